// Package stores compares the stores: the same operations return the same results on
// memory, SQLite and PostgreSQL, byte for byte, through the services and at the ports.
//
//	go test ./internal/integration/stores -rapid.checks 1000
package stores
