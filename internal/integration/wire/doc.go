// Package wire tests the wire interface from a client's side: every route of
// adapters/httpserver with its services, on one server, on two servers that share a
// store, and on PostgreSQL.
//
//	go test ./internal/integration/wire -full
//
// It is a separate package because it links stores, their drivers and a test database,
// which embedders of the server do not need.
package wire
