// Package postgres stores rate locks, account validations, transactions, report
// jobs, events, background work, clients and tokens in PostgreSQL 13 or later. It is
// for services that run as several processes.
//
//	pool, err := pgxpool.New(ctx, "postgres://corridor@db/payments")
//	if err != nil {
//		return err
//	}
//	defer pool.Close()
//	store, err := postgres.New(ctx, pool, nil)
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	locks, err := ratelock.New(ratelock.Ports{Locks: store.RateLocks(), Feed: feed}, policy, nil)
//
// The embedder owns the pool and configures its size, TLS and tracer. Any number of
// processes may share a database, and their clocks may disagree. Every write is a
// compare-and-swap on the record's row and is correct at every isolation level.
//
// # What a call costs
//
// A read is one statement by primary key and one round trip. A save is one
// statement, too: it writes the record, its events and its work, so PostgreSQL
// commits all of them or nothing without a BEGIN. If a [Hook] wants events or work
// of the change, the save is a transaction of several round trips.
//
// # Processes with and without a hook
//
// Events and work are always stored in the tables, and any process claims them from
// Store.Outbox and Store.Work, also those of other processes. A hook such as a queue of
// adapters/river only wakes processes, so that processes with and without one can
// share a database and each of them can be the only one that runs.
//
// # Failures
//
// A statement that PostgreSQL rejects stores nothing. A statement that it rolled
// back because of another one (40001, 40P01) is tried again, 40 times at most. If the
// connection breaks after a write was sent, the outcome cannot be known, and the
// call returns [errcodes.OutcomeUnknown]. The services of this module then repeat
// the write at the version that they read, and at most one of the two writes
// succeeds. A call returns [errcodes.StorageUnavailable] if the server is
// unreachable, starting, full or read-only, or the pool has no free connection
// within [Config].AcquireTimeout. The next call tries again, so the service
// recovers without a restart.
//
// After a write was sent, the call waits for it up to [Config].Timeout even if the
// caller's context ends: cancelling it would leave its outcome unknown.
//
// # Tables
//
// The tables are in the schema corridor. Ids, owners and keys are byte strings,
// stored as bytea. Times are timestamptz, to the millisecond; they always come from
// the caller, never from the server's clock. Decimals are text, so that 18.2500
// stays 18.2500. The views named readable_… show the same rows to people, with text
// ids and numeric rates. The live locks of a book are packed in its row (see
// adapters/bookcodec), so one row by primary key contains them all.
//
// [Migrate] creates the tables, and so does [New] unless [Config].SkipMigrate is
// set. The first time, the role needs CREATE on the database or a schema corridor
// that it owns. If nothing is left to migrate, or with SkipMigrate, USAGE on the
// schema and SELECT, INSERT, UPDATE and DELETE on the tables are enough. New rejects
// tables of a newer version; a running process continues if another one migrates
// them. internal/docs/operations.md has the GRANT statements and queries for people.
package postgres
