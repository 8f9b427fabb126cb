// Package ratelock tests rate locks on the stores that they are used with: every
// history of calls keeps the invariants on memory and on SQLite, and nothing that
// was acknowledged is lost when a process is killed.
//
//	go test ./internal/integration/ratelock -rapid.checks 1000 -crash.rounds 100
package ratelock
