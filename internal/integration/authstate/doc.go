// Package authstate tests the life of a payment on the stores that it is kept in:
// every history of calls and timeouts keeps the invariants on memory and on
// SQLite, racers agree on one end, and nothing that was acknowledged is lost when
// a process is killed.
//
//	go test ./internal/integration/authstate -rapid.checks 1000 -crash.rounds 100
package authstate
