// Package postgres keeps rate locks, account validations, transactions, report
// jobs, events, background work, clients and tokens in PostgreSQL 13 or later:
// the store for a service that runs as several processes.
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
// The pool is the embedder's: its size, its TLS, its tracer. Any number of
// processes may share a database, and their clocks may disagree; the rules hold
// by compare-and-swap on one row a record, at every isolation level.
//
// # What a call costs
//
// A read is one statement by primary key and one round trip. A save is one
// statement, too: the record, what belongs to it, its events and its work are
// parts of it, so that PostgreSQL commits all of them or none without a BEGIN.
// Only with a [Hook] that has something to enqueue is it a transaction of
// several round trips.
//
// # Failures
//
// A statement that PostgreSQL refuses stores nothing. What it rolled back for
// another's sake (40001, 40P01) is made again, a few times. When the connection
// breaks after a write was sent, nobody can tell whether it took effect: that is
// errcodes.OutcomeUnknown, after which the services of this module repeat the
// write at the version that they read, which at most one of two can win. A server
// that is away, starting, full or read-only, and a pool that has no connection
// free within [Config].AcquireTimeout, are errcodes.StorageUnavailable; the next
// call tries anew, so that the service recovers by itself.
//
// A write that was sent is waited for even when the caller's context ends, up to
// [Config].Timeout: to break it off would leave its outcome unknown.
//
// # Tables
//
// All are in the schema corridor. Ids, owners and keys are bytea, since they are
// byte strings; times are timestamptz, to the millisecond, and always given by
// the caller: no statement asks the server for the time. Decimals are text, so
// that 18.2500 stays 18.2500. The views named readable_… show the same rows with
// text ids and numeric rates, for people. The live locks of a book are packed in
// its row (see adapters/bookcodec), so that a full pair costs one row by
// primary key.
//
// [Migrate] makes the tables, and [New] does so too unless it is told not to. The
// role needs CREATE on the database for the first time, or a schema corridor that
// it owns; afterwards USAGE on the schema and SELECT, INSERT, UPDATE and DELETE on
// the tables are enough, where nothing is left to migrate or with
// [Config].SkipMigrate. Tables of a newer version are refused: a process that runs
// goes on when they are made beside it, and does not start again. The page
// internal/docs/operations.md has the statements, and queries for people.
package postgres
