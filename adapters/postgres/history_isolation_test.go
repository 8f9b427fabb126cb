package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// Embedders may set their pool to more than READ COMMITTED.
func TestConformsAtEachIsolationLevel(t *testing.T) {
	for _, level := range []string{"repeatable read", "serializable"} {
		t.Run(level, func(t *testing.T) {
			storetest.RateLockStore(t, storetest.Harness{
				Parallel: true, Open: func(tb testing.TB) storetest.Store { return isolatedStore(tb, migrated(tb), level) },
			})
		})
	}
}

func isolatedStore(tb testing.TB, dsn, level string) storetest.Store {
	tb.Helper()
	network := &losing{}
	pool := connect(tb, dsn, func(c *pgxpool.Config) {
		network.dial(c)
		isolatedAt(c, level)
	})
	var is string
	require.NoError(tb, pool.QueryRow(tb.Context(), "SHOW transaction_isolation").Scan(&is))
	require.Equal(tb, level, is)
	store := on(tb, pool, &postgres.Config{SkipMigrate: true})
	return storetest.Store{
		RateLocks: store.RateLocks(), Work: store.Work(), Outbox: store.Outbox(), DeadLetters: store.DeadLetters(),
		Close: store.Close, LoseNextCommit: network.arm, Fill: func() (empty func()) { return fill(tb, dsn) },
		Reopen: func() storetest.Store {
			require.NoError(tb, store.Close())
			pool.Close()
			return isolatedStore(tb, dsn, level)
		},
	}
}
