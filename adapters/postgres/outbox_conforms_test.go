package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// levels are the isolation levels that a database may have as its default.
var levels = []string{"read committed", "repeatable read", "serializable"}

// isolated sets the isolation level of a pool's transactions.
func isolated(level string) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams["default_transaction_isolation"] = level }
}

// TestQueuesConform runs the suites of events and work at the usual isolation level and
// at the strictest; the races run at all three.
func TestQueuesConform(t *testing.T) {
	for _, level := range []string{levels[0], levels[2]} {
		t.Run(level, func(t *testing.T) {
			h := queueHarness(level)
			t.Run("Outbox", func(t *testing.T) { storetest.Outbox(t, h) })
			t.Run("DeadLetters", func(t *testing.T) { storetest.DeadLetters(t, h) })
			t.Run("Work", func(t *testing.T) { storetest.Work(t, h) })
		})
	}
}

func queueHarness(level string) storetest.Harness {
	return storetest.Harness{
		Parallel: true,
		Open: func(tb testing.TB) storetest.Store {
			tb.Helper()
			return queues(tb, migrated(tb), level)
		},
	}
}

func queues(tb testing.TB, dsn, level string) storetest.Store {
	tb.Helper()
	store := on(tb, connect(tb, dsn, isolated(level)), &postgres.Config{SkipMigrate: true})
	outbox, work := store.Outbox(), store.Work()
	if level == levels[2] {
		outbox, work = insistentOutbox{outbox}, insistentWork{work}
	}
	return storetest.Store{
		RateLocks: store.RateLocks(), DeadLetters: store.DeadLetters(), Outbox: outbox, Work: work,
		Close: store.Close,
		Reopen: func() storetest.Store {
			require.NoError(tb, store.Close())
			return queues(tb, dsn, level)
		},
	}
}

// insistentOutbox and insistentWork come again, as relays and workers do, when a
// serializable database has undone a call too often.
type (
	// insistentOutbox and insistentWork repeat calls that a serializable database has rolled
	// back too often, as relays and workers do.
	insistentOutbox struct{ ports.Outbox }
	insistentWork   struct{ ports.Work }
)

func (o insistentOutbox) Claim(ctx context.Context, now time.Time, lease time.Duration, n int) (all []ports.Event, err error) {
	err = insist(func() (err error) { all, err = o.Outbox.Claim(ctx, now, lease, n); return err })
	return all, err
}

func (o insistentOutbox) Ack(ctx context.Context, e ports.Event) error {
	return insist(func() error { return o.Outbox.Ack(ctx, e) })
}

func (w insistentWork) Claim(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) (all []ports.WorkItem, err error) {
	err = insist(func() (err error) { all, err = w.Work.Claim(ctx, kind, now, lease, n); return err })
	return all, err
}

func (w insistentWork) Done(ctx context.Context, i ports.WorkItem) error {
	return insist(func() error { return w.Work.Done(ctx, i) })
}
