package postgres_test

import (
	"context"
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

const (
	awayAcquire = 150 * time.Millisecond
	awayTimeout = 250 * time.Millisecond

	// patience is a limit that only a hang reaches.
	patience = time.Minute
)

// outage is a way in which the database can be unreachable.
type outage struct {
	name     string
	server   bool // the server is down, not the network
	leave    func(c *pgtest.Cluster, p *pgtest.Proxy) error
	comeBack func(c *pgtest.Cluster, p *pgtest.Proxy) error
}

// outages are two ways for a server to be away, and with -full four: to a client, a
// network that refuses looks like a stopped server, and a paused server like a network
// that loses all.
var outages = []outage{
	{
		"stopped", true,
		func(c *pgtest.Cluster, _ *pgtest.Proxy) error { return c.Stop(pgtest.Fast) },
		func(c *pgtest.Cluster, _ *pgtest.Proxy) error { return c.Start() },
	},
	{
		"a network that loses all", false,
		func(_ *pgtest.Cluster, p *pgtest.Proxy) error { p.Stall(); return nil },
		func(_ *pgtest.Cluster, p *pgtest.Proxy) error { p.Resume(); return nil },
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
}

// I10: while the server is unreachable, requests under load are rejected within the
// store's bounds with a fitting code. The store recovers without a restart, and all
// acknowledged changes are stored.
func TestAnOutageUnderLoad(t *testing.T) {
	t.Parallel()
	for i, o := range outages {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			if i > 1 {
				onlyInFull(t, "another outage looks the same to a client")
			}
			c := pgtest.Server(t)
			if o.server {
				c = pgtest.New(t, &pgtest.Options{Dir: inMemory()})
			}
			dsn := c.Database(t, tables)
			proxy := pgtest.NewProxy(t, dsn)
			pool := connect(t, proxy.DSN(), nil)
			store := on(t, pool, &postgres.Config{SkipMigrate: true, AcquireTimeout: awayAcquire, Timeout: awayTimeout})
			load := startLoad(t, lockService(t, store, ports.SystemClock()))
			<-load.served()

			require.NoError(t, o.leave(c, proxy))
			<-load.failed()
			requireCode(t, errcodes.StorageUnavailable, store.Ping(t.Context()))
			require.NoError(t, o.comeBack(c, proxy))
			<-load.served()
			load.stop()
			t.Logf("%v", load.outcomes)

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
	outcomes map[errcodes.Code]int
	good     countdown
	bad      countdown
	stopped  bool
}

// countdown closes its channel after a number of calls.
type countdown struct {
	left int
	done chan struct{}
}

func (c *countdown) count() {
	if c.left--; c.left == 0 {
		close(c.done)
	}
}

func startLoad(t *testing.T, locks *ratelock.Service) *load {
	t.Helper()
	l := &load{outcomes: map[errcodes.Code]int{}}
	const writers = 8
	for w := range writers {
		l.writers.Go(func() {
			churn(context.WithoutCancel(t.Context()), locks, w, func(lock ports.RateLock, minted bool, err error) bool {
				if err == nil && (minted || lock.Status == ports.LockCancelled) {
					l.acked.note(lock)
				}
				return l.answer(t, err)
			})
		})
	}
	t.Cleanup(l.stop)
	return l
}

func (l *load) answer(t *testing.T, err error) bool {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	code := errcodes.Of(err)
	if code == "" {
		l.good.count()
		return !l.stopped
	}
	l.outcomes[code]++
	l.bad.count()
	return assert.Contains(t, []errcodes.Code{errcodes.StorageUnavailable, errcodes.OutcomeUnknown}, code, "%v", err) && !l.stopped
}

// served is closed after some more successful calls, and failed after some more others.
func (l *load) served() <-chan struct{} { return l.after(&l.good, 20) }
func (l *load) failed() <-chan struct{} { return l.after(&l.bad, 8) }

func (l *load) after(c *countdown, calls int) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	*c = countdown{calls, make(chan struct{})}
	return c.done
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
	dsn := emptied(t)
	proxy := pgtest.NewProxy(t, dsn)
	pool := connect(t, proxy.DSN(), func(c *pgxpool.Config) {
		c.MaxConns = conns
		c.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false } // as pgx does not ping within a second of use
	})
	store := on(t, pool, nil)
	hooked := on(t, pool, &postgres.Config{SkipMigrate: true, Hook: idle{}})
	l := activeLock("acme", "rl-1", epoch)
	for name, call := range map[string]func() error{
		"a read":        func() error { return store.Ping(t.Context()) },
		"a write":       func() error { _, err := store.Tokens().PurgeTokens(t.Context(), epoch, 1); return err },
		"a transaction": func() error { return hooked.RateLocks().Save(t.Context(), mint(ports.Book{Key: l.Book()}, l)) },
	} {
		fillPool(t, pool, conns)
		proxy.Cut()
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
