// Package ratelock tests rate locks on their stores: every history of calls preserves the
// invariants on memory and SQLite, and acknowledged changes survive a killed process.
//
//	go test ./internal/integration/ratelock -rapid.checks 1000 -crash.rounds 100
package ratelock
