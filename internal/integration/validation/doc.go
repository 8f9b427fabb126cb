// Package validation tests account validation on memory and SQLite: answers arrive within
// the window, lost validations are recovered, no stored byte is personal data, and no
// validation is lost when a process is killed.
//
//	go test ./internal/integration/validation -rapid.checks 1000 -crash.rounds 100
package validation
