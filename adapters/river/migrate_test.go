package river_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/river"
)

// tries receives a value for each statement that tries to get the lock of migrations.
type tries chan struct{}

func (s tries) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if strings.Contains(q.SQL, "advisory_lock") {
		select {
		case s <- struct{}{}:
		default:
		}
	}
	return ctx
}

func (tries) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// It waits longer than statement_timeout, and does not block CREATE INDEX CONCURRENTLY.
func TestAMigrationDoesNotWaitWithinAStatement(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, bare)
	other, err := connect(t, dsn).Acquire(t.Context())
	require.NoError(t, err)
	defer other.Release()
	_, err = other.Exec(t.Context(), "SELECT pg_advisory_lock($1)", river.MigrationLock)
	require.NoError(t, err)

	asked := make(tries, 1)
	config, err := pgxpool.ParseConfig(dsn)
	require.NoError(t, err)
	config.MaxConns = 8
	config.ConnConfig.RuntimeParams["statement_timeout"] = "500"
	config.ConnConfig.Tracer = asked
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	defer pool.Close()
	ctx, cancel := context.WithCancel(t.Context())
	for _, end := range []func(){
		cancel,
		func() {
			_, err := other.Exec(t.Context(), "SELECT pg_advisory_unlock($1)", river.MigrationLock)
			require.NoError(t, err)
		},
	} {
		done := make(chan error, 1)
		go func() { done <- river.Migrate(ctx, pool) }()
		for range 3 {
			select {
			case <-asked:
			case err := <-done:
				require.NoError(t, err, "not waited")
				require.Fail(t, "not waited")
			}
		}
		end()
		require.ErrorIs(t, <-done, ctx.Err())
		ctx = t.Context()
	}
	var free bool
	require.NoError(t, other.QueryRow(t.Context(), "SELECT pg_try_advisory_lock($1)", river.MigrationLock).Scan(&free))
	require.True(t, free, "the lock is released")
}
