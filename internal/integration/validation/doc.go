// Package validation tests account validation on the stores that it is used with,
// memory and SQLite: an answer within the window, recovery, nothing personal in
// any stored byte, and no validation lost when a process is killed.
//
//	go test ./internal/integration/validation -rapid.checks 1000 -crash.rounds 100
package validation
