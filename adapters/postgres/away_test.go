package postgres_test

import (
	"context"
	"flag"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

var awayFor = flag.Duration("away.for", time.Second, "how long a server is away under load")

const (
	awayAcquire = 150 * time.Millisecond
	awayTimeout = 250 * time.Millisecond

	// patience is how much longer than the bounds of Config a loaded machine may take.
	patience = 5 * time.Second
)

// outage is a way in which the database can be unreachable.
type outage struct {
	name     string
	server   bool // the server is down, not the network
	leave    func(c *pgtest.Cluster, p *pgtest.Proxy) error
	comeBack func(c *pgtest.Cluster, p *pgtest.Proxy) error
}

var outages = []outage{
	{
		"stopped", true,
		func(c *pgtest.Cluster, _ *pgtest.Proxy) error { return c.Stop(pgtest.Fast) },
		func(c *pgtest.Cluster, _ *pgtest.Proxy) error { return c.Start() },
	},
	{
		"paused", true,
		func(c *pgtest.Cluster, _ *pgtest.Proxy) error { return c.Pause() },
		func(c *pgtest.Cluster, _ *pgtest.Proxy) error { return c.Resume() },
	},
	{
		"a network that refuses", false,
		func(_ *pgtest.Cluster, p *pgtest.Proxy) error { p.Refuse(); p.Cut(); return nil },
		func(_ *pgtest.Cluster, p *pgtest.Proxy) error { return p.Accept() },
	},
	{
		"a network that loses all", false,
		func(_ *pgtest.Cluster, p *pgtest.Proxy) error { p.Stall(); return nil },
		func(_ *pgtest.Cluster, p *pgtest.Proxy) error { p.Resume(); return nil },
	},
}

// I10: while the server is unreachable, requests under load are rejected within the
// store's bounds with a fitting code. The store recovers without a restart, and all
// acknowledged changes are stored.
func TestAnOutageUnderLoad(t *testing.T) {
	t.Parallel()
	for _, o := range outages {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			c := pgtest.Server(t)
			if o.server {
				c = pgtest.New(t, &pgtest.Options{Dir: inMemory()})
			}
			dsn := c.Database(t, tables)
			proxy := pgtest.NewProxy(t, dsn)
			pool := connect(t, proxy.DSN(), nil)
			store := on(t, pool, &postgres.Config{SkipMigrate: true, AcquireTimeout: awayAcquire, Timeout: awayTimeout})
			load := startLoad(t, lockService(t, store, ports.SystemClock()))
			load.waitServed(t)

			left := time.Now()
			require.NoError(t, o.leave(c, proxy))
			<-time.After(*awayFor)
			requireCode(t, errcodes.StorageUnavailable, store.Ping(t.Context()))
			require.NoError(t, o.comeBack(c, proxy))
			returned := time.Now()
			require.Eventually(t, func() bool { return store.Ping(t.Context()) == nil }, patience, time.Millisecond,
				"a loaded machine may take longer than Timeout to serve")
			recovered := time.Since(returned)
			load.waitServed(t)
			t.Logf("away for %v: %v; slowest error after %v; first successful read after %v", returned.Sub(left), load.outcomes, load.slowest, recovered)
			load.stop()

			assert.Less(t, load.slowest, 4*(awayAcquire+awayTimeout)+patience, "read, save, read back, read the lock")
			assert.NotEmpty(t, load.outcomes, "some calls failed")
			require.Eventually(t, func() bool { return pool.Stat().AcquiredConns() == 0 }, patience, time.Millisecond,
				"a broken connection is closed behind the call's back")
			requireNothingLost(t, dsn, &load.acked)
		})
	}
}

// load is eight writers, which continue after errors.
type load struct {
	acked   acknowledged
	writers sync.WaitGroup

	mu       sync.Mutex
	good     int // successful calls since waitServed began
	outcomes map[errcodes.Code]int
	slowest  time.Duration // of the failed calls
	stopped  bool
}

func startLoad(t *testing.T, locks *ratelock.Service) *load {
	t.Helper()
	l := &load{outcomes: map[errcodes.Code]int{}}
	const writers = 8
	for w := range writers {
		l.writers.Go(func() {
			began := time.Now()
			churn(context.WithoutCancel(t.Context()), locks, w, func(lock ports.RateLock, minted bool, err error) bool {
				took := time.Since(began)
				if err != nil {
					<-time.After(10 * time.Millisecond) // as a caller would wait
				} else if minted || lock.Status == ports.LockCancelled {
					l.acked.note(lock)
				}
				more := l.answer(t, took, err)
				began = time.Now()
				return more
			})
		})
	}
	t.Cleanup(l.stop)
	return l
}

func (l *load) answer(t *testing.T, took time.Duration, err error) bool {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	code := errcodes.Of(err)
	if code == "" {
		l.good++
		return !l.stopped
	}
	l.outcomes[code]++
	l.slowest = max(l.slowest, took)
	return assert.Contains(t, []errcodes.Code{errcodes.StorageUnavailable, errcodes.OutcomeUnknown}, code, "%v", err) && !l.stopped
}

// waitServed waits for successful calls.
func (l *load) waitServed(t *testing.T) {
	t.Helper()
	const enough = 20
	l.mu.Lock()
	l.good = 0
	l.mu.Unlock()
	require.Eventually(t, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.good >= enough
	}, time.Minute, time.Millisecond)
}

func (l *load) stop() {
	l.mu.Lock()
	l.stopped = true
	l.mu.Unlock()
	l.writers.Wait()
}

// After a restart of the server, a pool full of dead connections causes no errors of
// reads and writes.
func TestDeadConnectionsAfterARestartAreReplaced(t *testing.T) {
	t.Parallel()
	const conns = 12
	dsn := migrated(t)
	proxy := pgtest.NewProxy(t, dsn)
	pool := connect(t, proxy.DSN(), func(c *pgxpool.Config) {
		c.MaxConns = conns
		c.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false } // as pgx does not ping within a second of use
	})
	store := on(t, pool, &postgres.Config{SkipMigrate: true})
	hooked := on(t, pool, &postgres.Config{SkipMigrate: true, Hook: idle{}})
	l := activeLock("acme", "rl-1", epoch)
	for name, call := range map[string]func() error{
		"a read":        func() error { return store.Ping(t.Context()) },
		"a write":       func() error { _, err := store.Tokens().PurgeTokens(t.Context(), epoch, 1); return err },
		"a transaction": func() error { return hooked.RateLocks().Save(t.Context(), mint(ports.Book{Key: l.Book()}, l)) },
	} {
		fillPool(t, pool, conns)
		proxy.Cut()
		<-time.After(10 * time.Millisecond) // by now the sockets are closed
		require.NoError(t, call(), name)
	}
}

// idle is a hook that wants events and does nothing with them.
type idle struct{}

func (idle) Wants(kind string) bool { return kind == "rate_lock.minted" }

func (idle) Enqueue(context.Context, pgx.Tx, []ports.Event, []ports.WorkItem) error { return nil }

// fillPool opens that many connections and leaves them idle.
func fillPool(tb testing.TB, pool *pgxpool.Pool, n int) {
	tb.Helper()
	for _, conn := range acquireAll(tb, pool, n) {
		conn.Release()
	}
}

func acquireAll(tb testing.TB, pool *pgxpool.Pool, n int) []*pgxpool.Conn {
	tb.Helper()
	all := make([]*pgxpool.Conn, n)
	for i := range all {
		var err error
		all[i], err = pool.Acquire(tb.Context())
		require.NoError(tb, err)
		tb.Cleanup(all[i].Release) // closing the pool waits for it
	}
	return all
}
