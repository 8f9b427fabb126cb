package postgres_test

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/corridor-go/corridor/ports"
)

// levels are the isolation levels that a database may have as its default.
var levels = []string{"read committed", "repeatable read", "serializable"}

// isolated sets the isolation level of a pool's transactions; "" is the server's default.
func isolated(level string) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) {
		if level != "" {
			c.ConnConfig.RuntimeParams["default_transaction_isolation"] = level
		}
	}
}

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
