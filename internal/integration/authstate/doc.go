// Package authstate tests the payment service on its stores: every history of calls and
// timeouts preserves the invariants on memory and SQLite, concurrent callers agree on one
// terminal state, and acknowledged changes survive a killed process.
//
//	go test ./internal/integration/authstate -rapid.checks 1000 -crash.rounds 100
package authstate
