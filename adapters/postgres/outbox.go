package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type outbox struct{ *Store }

// Outbox gives the events that wait for delivery. Any number of processes may
// claim at once.
func (s *Store) Outbox() ports.Outbox { return outbox{s} }

const staleClaim = "The claim is no longer the latest"

func (o outbox) Claim(ctx context.Context, now time.Time, lease time.Duration, n int) ([]ports.Event, error) {
	if err := checkClaim(lease, n); err != nil {
		return nil, err
	}
	claimed, again, err := o.claim(ctx, now, lease, n)
	for again && len(claimed) < n {
		var more []ports.Event
		more, again, err = o.claim(ctx, now, lease, n-len(claimed))
		claimed = append(claimed, more...)
	}
	if len(claimed) > 0 {
		return claimed, nil // they are the caller's; an error comes again
	}
	return nil, err
}

// claim claims by one statement. It asks for another go when it put events out
// of the way that stood before others.
func (o outbox) claim(ctx context.Context, now time.Time, lease time.Duration, n int) (claimed []ports.Event, again bool, err error) {
	args := []any{position(now), position(now.Add(lease)), n}
	rows, err := claiming(ctx, o.Store, claimUpTo(n), args, func(rows pgx.Rows, r *claimRow) error { return rows.Scan(r.fields()...) })
	for i := range rows {
		again = rows[i].blocked > 0
		if rows[i].seq > 0 {
			claimed = append(claimed, rows[i].event)
		}
	}
	return claimed, again, err
}

// claiming makes a claim, and gives what it claimed. The claim is planned anew
// each time: the plan that a connection made while a queue was empty reads all of
// it for each event, once it is long.
func claiming[V any](ctx context.Context, s *Store, query string, args []any, scan func(pgx.Rows, *V) error) ([]V, error) {
	var claimed []V
	args = append([]any{pgx.QueryExecModeCacheDescribe}, args...)
	err := s.write(ctx, func(ctx context.Context, q querier) (err error) {
		claimed, err = collect(ctx, q, query, args, scan)
		return err
	})
	if err != nil {
		return nil, contended(err)
	}
	return claimed, nil
}

// claimRow is a row that claimEvents gives: seq is 0 in the one that stands for
// no event.
type claimRow struct {
	blocked, seq int64
	event        ports.Event
}

func (r *claimRow) fields() []any { return append([]any{&r.blocked, &r.seq}, eventFields(&r.event)...) }

// eventFields are the targets of an event's columns.
func eventFields(e *ports.Event) []any {
	return []any{
		raw{&e.ID}, text{&e.Kind}, raw{&e.Key}, raw{&e.Owner}, anyInstant{&e.At}, some{&e.Data}, &e.Attempt, &e.Claim,
	}
}

func (o outbox) Ack(ctx context.Context, e ports.Event) error {
	return o.settle(ctx, e, ackEvent)
}

func (o outbox) Retry(ctx context.Context, e ports.Event, at time.Time) error {
	return o.settle(ctx, e, retryEvent, position(at))
}

func (o outbox) Bury(ctx context.Context, e ports.Event, reason string) error {
	if err := checkReason(reason); err != nil {
		return err
	}
	return o.settle(ctx, e, buryEvent, []byte(reason))
}

// settle ends a claim by query, whose first parameters are those of theClaim.
func (o outbox) settle(ctx context.Context, e ports.Event, query string, args ...any) error {
	args = append([]any{[]byte(e.ID), []byte(e.Key), e.Claim}, args...)
	return o.end(ctx, query, args)
}

// end makes a statement that ends a claim, and counts it.
func (s *Store) end(ctx context.Context, query string, args []any) error {
	n, err := s.count(ctx, query, args...)
	if err == nil && n == 0 {
		return errcodes.New(errcodes.Conflict, staleClaim)
	}
	return contended(err)
}

// contended tells of a statement on a queue that was void or undone until its
// tries were up: all who work on a queue meet at its head, and each time one of
// them got on.
func contended(err error) error {
	if isUndone(err) {
		return errcodes.Wrap(errcodes.StorageUnavailable, "", quiet{err}).WithRetryAfter(retryAfter)
	}
	return err
}
