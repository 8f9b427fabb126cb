package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
)

// backlog fills the outbox: each key has an event in backoff and one after it, and as
// many other keys have a new event, twice.
func backlog(tb testing.TB, pool *pgxpool.Pool, keys int) {
	tb.Helper()
	for _, sql := range []string{
		`INSERT INTO corridor.events (id, kind, key, owner, at, data, state, available_at, attempt, claim, claimed)
			SELECT ('w' || i)::bytea, 'k', ('key' || i)::bytea, 'acme', $1::timestamptz, '{}', 'waiting', $1::timestamptz + interval '1 day', 1, 1, true
			FROM generate_series(1, $2::int) i`,
		`INSERT INTO corridor.events (id, kind, key, owner, at, data, state)
			SELECT ('b' || i)::bytea, 'k', ('key' || i)::bytea, 'acme', $1::timestamptz, '{}', 'blocked'
			FROM generate_series(1, $2::int) i`,
		`INSERT INTO corridor.events (id, kind, key, owner, at, data)
			SELECT ('n' || n || i)::bytea, 'k', ('new' || i)::bytea, 'acme', $1::timestamptz, '{}'
			FROM generate_series(1, 2) n, generate_series(1, $2::int) i ORDER BY n, i`,
	} {
		_, err := pool.Exec(tb.Context(), sql, epoch, keys)
		require.NoError(tb, err)
	}
}

// BenchmarkClaim claims 100 of a backlog of 100,000 events and retries them.
func BenchmarkClaim(b *testing.B) {
	pool := connect(b, migrated(b), nil)
	store := on(b, pool, nil)
	backlog(b, pool, 25_000)
	_, err := pool.Exec(b.Context(), "ANALYZE corridor.events")
	require.NoError(b, err)
	for b.Loop() {
		events, err := store.Outbox().Claim(b.Context(), epoch, lease, 100)
		require.NoError(b, err)
		require.Len(b, events, 100)
		b.StopTimer()
		for _, e := range events {
			require.NoError(b, store.Outbox().Ack(b.Context(), e))
		}
		b.StartTimer()
	}
}
