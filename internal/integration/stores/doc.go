// Package stores holds the stores to one another: the same operations get the
// same answers from memory, SQLite and PostgreSQL, byte for byte, through the
// services and at the ports.
//
//	go test ./internal/integration/stores -rapid.checks 1000
package stores
