// Package wire tests the wire interface as a client meets it: every route of
// adapters/httpserver with the services behind it, on one server, on two that
// take turns at one store, and on PostgreSQL.
//
//	go test ./internal/integration/wire -everywhere
//
// It stands apart because it links what an embedder of the server need not:
// stores, their drivers and a database for tests.
package wire
