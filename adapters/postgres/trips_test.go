package postgres_test

import (
	"context"
	"encoding/binary"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ratelock"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

// meter counts the statements that pgx reports for a pool and the round trips on the
// wire.
type meter struct{ statements, trips atomic.Int64 }

func (m *meter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	m.statements.Add(1)
	return ctx
}

func (m *meter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// attach meters a pool of one connection, which is never idle for so long that the pool
// pings it.
func (m *meter) attach(c *pgxpool.Config) {
	c.MaxConns = 1
	c.ConnConfig.Tracer = m
	c.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	below := c.ConnConfig.DialFunc
	c.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := below(ctx, network, address)
		return &meteredConn{Conn: conn, meter: m}, err
	}
}

// meteredConn counts the messages after which a client waits: the startup, Sync and
// Query. The driver writes whole messages.
type meteredConn struct {
	net.Conn
	meter   *meter
	started bool
}

func (c *meteredConn) Write(p []byte) (int, error) {
	if !c.started {
		c.started = true
		c.meter.trips.Add(1)
		return c.Conn.Write(p)
	}
	const head = 5 // type and length
	for rest := p; len(rest) >= head; {
		if rest[0] == 'S' || rest[0] == 'Q' {
			c.meter.trips.Add(1)
		}
		rest = rest[min(len(rest), 1+int(binary.BigEndian.Uint32(rest[1:head]))):]
	}
	return c.Conn.Write(p)
}

// cost returns the number of statements and round trips of do.
func (m *meter) cost(tb testing.TB, do func() error) (statements, trips int64) {
	tb.Helper()
	m.statements.Store(0)
	m.trips.Store(0)
	require.NoError(tb, do())
	return m.statements.Load(), m.trips.Load()
}

// metered returns a store on a metered pool of one connection.
func metered(tb testing.TB) (*postgres.Store, *pgxpool.Pool, *meter) {
	tb.Helper()
	m := &meter{}
	pool := connect(tb, emptied(tb), m.attach)
	return on(tb, pool, nil), pool, m
}

// trip is an operation and its cost once its statements are prepared.
type trip struct {
	name string
	// prepare stores what each call of the operation needs; n is 0, 1, …
	prepare func(tb testing.TB, n int)
	do      func(ctx context.Context, n int) error
	want    int64
}

// requireTrips runs the operation once, which prepares its statements, and then again to
// count its cost.
func requireTrips(t *testing.T, m *meter, trips []trip) {
	t.Helper()
	for _, op := range trips {
		for n := range 3 {
			if op.prepare != nil {
				op.prepare(t, n)
			}
			statements, trips := m.cost(t, func() error { return op.do(t.Context(), n) })
			if n == 0 {
				continue
			}
			assert.Equal(t, op.want, statements, "%s: statements", op.name)
			assert.Equal(t, op.want, trips, "%s: round trips", op.name)
		}
	}
}

func TestRoundTripsOfRateLocks(t *testing.T) {
	t.Parallel()
	store, _, m := metered(t)
	clock := portstest.NewClock(epoch)
	locks := lockService(t, store, clock)
	create := func(owner string, minted bool) func(context.Context, int) error {
		return func(ctx context.Context, n int) error {
			_, did, err := locks.Create(ctx, numbered(owner, n), usdZAR)
			assert.Equal(t, minted, did, owner)
			return err
		}
	}
	ids := map[string]string{}
	mints := func(owner string, times int) func(tb testing.TB, n int) {
		return func(tb testing.TB, n int) {
			tb.Helper()
			for range times {
				l, _, err := locks.Create(tb.Context(), numbered(owner, n), usdZAR)
				require.NoError(tb, err)
				ids[l.Owner] = l.ID
			}
		}
	}
	get := func(owner string) func(context.Context, int) error {
		return func(ctx context.Context, n int) error {
			_, err := locks.Get(ctx, numbered(owner, n), ids[numbered(owner, n)])
			return err
		}
	}
	cancel := func(owner string) func(context.Context, int) error {
		return func(ctx context.Context, n int) error {
			_, err := locks.Cancel(ctx, numbered(owner, n), ids[numbered(owner, n)])
			return err
		}
	}
	requireTrips(t, m, []trip{
		{"create on a full pair", mints("full", 2), create("full", false), 1},
		{"create the first lock", nil, create("first", true), 2},
		{"create the second lock", mints("second", 1), create("second", true), 2},
		{"get", mints("got", 2), get("got"), 1},
		{"cancel", mints("cancelled", 1), cancel("cancelled"), 2},
		{"cancel again", nil, cancel("cancelled"), 1},
		{"get a cancelled lock", nil, get("cancelled"), 1},
		{"get the first time after its end", func(tb testing.TB, n int) {
			mints("expired", 2)(tb, n)
			clock.Advance(lockValidity + time.Second) // the second lock must be of a later millisecond
		}, get("expired"), 2},
		{"get later", nil, get("expired"), 1},
	})
}

// The first call on a new connection also pays for the connection itself and for preparing
// each statement.
func TestRoundTripsOfTheFirstUse(t *testing.T) {
	t.Parallel()
	store, pool, m := metered(t)
	locks := lockService(t, store, portstest.NewClock(epoch))
	create := func() error { _, _, err := locks.Create(t.Context(), "acme", usdZAR); return err }
	for range 2 {
		require.NoError(t, create())
	}
	_, trips := m.cost(t, create)
	require.EqualValues(t, 1, trips)
	pool.Reset()
	const connecting, preparing = 1, 1
	_, trips = m.cost(t, create)
	assert.EqualValues(t, connecting+preparing+1, trips)
	_, trips = m.cost(t, create)
	assert.EqualValues(t, 1, trips)
}

func TestRoundTripsOfQueues(t *testing.T) {
	t.Parallel()
	store, _, m := metered(t)
	events, work, reports := store.Outbox(), store.Work(), store.Reports()
	claimed, items := make([]ports.Event, 3), make([]ports.WorkItem, 3)
	save := func(tb testing.TB, n int) {
		l := activeLock(numbered("shop", n), numbered("rl", n), epoch)
		c := mint(ports.Book{Key: l.Book()}, l)
		c.Work = []ports.WorkItem{{ID: numbered("w", n), Kind: "sweep", DueAt: epoch}}
		require.NoError(tb, store.RateLocks().Save(tb.Context(), c))
	}
	claim := func(ctx context.Context, n int) error {
		got, err := events.Claim(ctx, epoch, time.Minute, 1)
		if err == nil {
			claimed[n] = got[0]
		}
		return err
	}
	requireTrips(t, m, []trip{
		{"claim an event", save, claim, 1},
		{"claim from an empty queue", nil, func(ctx context.Context, _ int) error {
			_, err := events.Claim(ctx, epoch, time.Minute, 1)
			return err
		}, 1},
		{"retry an event", nil, func(ctx context.Context, n int) error { return events.Retry(ctx, claimed[n], epoch) }, 1},
		{"acknowledge an event", func(tb testing.TB, n int) { require.NoError(tb, claim(tb.Context(), n)) },
			func(ctx context.Context, n int) error { return events.Ack(ctx, claimed[n]) }, 1},
		{"claim work", nil, func(ctx context.Context, n int) error {
			got, err := work.Claim(ctx, "sweep", epoch, time.Minute, 1)
			if err == nil {
				items[n] = got[0]
			}
			return err
		}, 1},
		{"finish work", nil, func(ctx context.Context, n int) error { return work.Done(ctx, items[n]) }, 1},
		{"claim a report", func(tb testing.TB, n int) {
			require.NoError(tb, reports.Save(tb.Context(), ports.ReportChange{Job: waitingReport(numbered("rp", n))}))
		}, func(ctx context.Context, _ int) error {
			_, err := reports.ClaimReport(ctx, "worker", epoch, time.Minute)
			return err
		}, 1},
	})
}

func waitingReport(id string) ports.ReportJob {
	return ports.ReportJob{
		ID: id, Owner: "acme", Kind: ports.ReportTransactions, Status: ports.ReportRunning, Total: -1,
		CreatedAt: epoch, UpdatedAt: epoch,
		Request: ports.ReportRequest{MerchantID: "m", Name: "daily", From: epoch, To: epoch, Columns: []string{"id"}, Format: "csv"},
	}
}

// The answer is read and the validation saved.
func TestRoundTripsOfACachedAnswer(t *testing.T) {
	t.Parallel()
	store, _, m := metered(t)
	provider := fake.NewConnector("provider", []ports.Capability{{Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, ReturnsName: true}})
	provider.Answer(ports.Answer{Kind: ports.OutcomeFound, HolderName: "AMA SERWAA MENSAH"})
	open := func() *validation.Service {
		s, err := validation.New(validation.Ports{
			Validations: store.Validations(), Answers: store.Answers(), Work: store.Work(), Sealer: sealer(t),
			Connectors: []ports.AccountConnector{provider},
		}, validation.Policy{AnswerTTL: 24 * time.Hour}, nil)
		require.NoError(t, err)
		return s
	}
	accounts := open()
	var last ports.Validation
	var err error
	validate := func(ctx context.Context, n int) error {
		last, err = accounts.Validate(ctx, "acme", market.Request{
			MerchantID: "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f", Country: "NGA", AccountType: "bank_account",
			AccountIdentifier: "0690000032", BankCode: "044", AccountHolderName: numbered("Mensah, Ama", n), // a new name, since the service remembers recent requests
		})
		if err == nil && last.Status == ports.StatusPending {
			last, err = accounts.Wait(ctx, "acme", last.ID)
		}
		return err
	}
	require.NoError(t, validate(t.Context(), 0))
	require.NoError(t, accounts.Stop(t.Context())) // the lookup has released its claim, which must not be counted
	accounts = open()
	t.Cleanup(func() { require.NoError(t, accounts.Stop(context.Background())) })
	requireTrips(t, m, []trip{
		{"validate on a cached answer", nil, validate, 2},
		{"read a validation", nil, func(ctx context.Context, _ int) error {
			_, err := accounts.Get(ctx, "acme", last.ID)
			return err
		}, 1},
	})
	assert.True(t, last.Cached)
}

func sealer(tb testing.TB) ports.Sealer {
	tb.Helper()
	keys, err := keyring.Parse("2026-11:xsWvXAW8Qh1hBUyoEhPVkQPl7ZVqXJYYdDIBFM4TzZQ=")
	require.NoError(tb, err)
	s, err := keyring.New(keys, nil)
	require.NoError(tb, err)
	return s
}

// numbered returns a different name for each round of a loop.
func numbered(name string, n int) string { return name + "-" + strconv.Itoa(n) }

// lockService returns the domain's service on a store, with a mid of 18.25.
func lockService(tb testing.TB, store *postgres.Store, clock ports.Clock) *ratelock.Service {
	tb.Helper()
	feed := fake.NewFeed(clock.Now)
	feed.Offer(usdZAR, "18.25")
	terms := ratelock.Terms{MarkupBps: 150, Validity: lockValidity, ToleranceBps: 200}
	locks, err := ratelock.New(ratelock.Ports{Locks: store.RateLocks(), Feed: feed}, terms, &ratelock.Config{Clock: clock})
	require.NoError(tb, err)
	return locks
}

const lockValidity = time.Hour
