package postgres_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func small(n int32) func(*pgxpool.Config) { return func(c *pgxpool.Config) { c.MaxConns = n } }

// poolCalls are a read, a write and a transaction.
func poolCalls(store, hooked *postgres.Store) map[string]func(ctx context.Context) error {
	l := activeLock("acme", "rl-1", epoch)
	return map[string]func(ctx context.Context) error{
		"a read": store.Ping,
		"a write": func(ctx context.Context) error {
			_, err := store.Tokens().PurgeTokens(ctx, epoch, 1)
			return err
		},
		"a transaction": func(ctx context.Context) error {
			return hooked.RateLocks().Save(ctx, mint(ports.Book{Key: l.Book()}, l))
		},
	}
}

func TestTheWaitForAnExhaustedPoolIsBounded(t *testing.T) {
	t.Parallel()
	const wait = 50 * time.Millisecond
	pool := connect(t, emptied(t), small(2))
	store := on(t, pool, &postgres.Config{SkipMigrate: true, AcquireTimeout: wait})
	hooked := on(t, pool, &postgres.Config{SkipMigrate: true, AcquireTimeout: wait, Hook: idle{}})
	held := acquireAll(t, pool, 2)
	for name, call := range poolCalls(store, hooked) {
		err := call(t.Context())
		requireCode(t, errcodes.StorageUnavailable, err)
		assert.Equal(t, time.Second, errcodes.RetryAfterOf(err), name)

		ctx, cancel := context.WithTimeout(t.Context(), wait/10)
		requireCode(t, errcodes.DeadlineExceeded, call(ctx))
		cancel()
		requireCode(t, errcodes.Canceled, call(gone(t)))
	}
	for _, conn := range held {
		conn.Release()
	}
	for name, call := range poolCalls(on(t, pool, nil), on(t, pool, &postgres.Config{SkipMigrate: true, Hook: idle{}})) {
		require.NoError(t, call(t.Context()), name)
	}
}

// gone is a cancelled context.
func gone(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	cancel()
	return ctx
}

// Calls are cancelled at any moment.
func TestCancelledCallsReturnTheirConnections(t *testing.T) {
	t.Parallel()
	const most, callers, conns = 200, 8, 4
	pool := connect(t, emptied(t), small(conns))
	store := on(t, pool, &postgres.Config{SkipMigrate: true, AcquireTimeout: 20 * time.Millisecond})
	hooked := on(t, pool, &postgres.Config{SkipMigrate: true, AcquireTimeout: 20 * time.Millisecond, Hook: idle{}})
	var all sync.WaitGroup
	for n := range callers {
		all.Go(func() {
			calls := slices.Collect(maps.Values(poolCalls(store, hooked)))
			for i := range most / callers {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i*37+n*11)%1500*time.Microsecond)
				err := calls[i%len(calls)](ctx)
				cancel()
				assert.Contains(t, []errcodes.Code{"", errcodes.DeadlineExceeded, errcodes.StorageUnavailable, errcodes.Conflict}, errcodes.Of(err), "%v", err)
			}
		})
	}
	all.Wait()
	require.Eventually(t, func() bool { return pool.Stat().AcquiredConns() == 0 }, patience, time.Millisecond)
	for _, conn := range acquireAll(t, pool, conns) {
		require.NoError(t, conn.Ping(t.Context()), "the pool's connections work")
		conn.Release()
	}
}

// If the server stops answering during a call, the call ends after Timeout, and if the change may be stored, its outcome is unknown.
func TestTimeoutsHaveACode(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t, emptied(t))
	for name, want := range map[string]errcodes.Code{
		"a read": errcodes.StorageUnavailable, "a write": errcodes.OutcomeUnknown, "a transaction": errcodes.StorageUnavailable,
	} {
		pool := connect(t, proxy.DSN(), func(c *pgxpool.Config) {
			small(1)(c)
			c.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false } // as pgx does not within a second of use
		})
		config := &postgres.Config{SkipMigrate: true, Timeout: 100 * time.Millisecond}
		store := on(t, pool, config)
		hooking := *config
		hooking.Hook = idle{}
		call := poolCalls(store, on(t, pool, &hooking))[name]
		fillPool(t, pool, 1)
		proxy.Stall()
		err := call(t.Context())
		proxy.Resume()
		requireCode(t, want, err)
		assert.NotContains(t, err.Error(), "deadline", "the driver's text is not included")
	}
}
