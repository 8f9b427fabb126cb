package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/corridor-go/corridor/ports"
)

type outbox struct{ *Store }

const (
	insertEvent = `INSERT INTO events (id, kind, key, owner, at, data, state) VALUES (?, ?, ?, ?, ?, ?, 'new')`

	// lastSeen is the last seq before the new events.
	lastSeen = `coalesce((SELECT max(seq) FROM events WHERE state <> 'new'), 0)`

	peekEvents = `SELECT EXISTS (SELECT 1 FROM events WHERE state = 'ready' AND available_at <= ?1)
		OR EXISTS (SELECT 1 FROM events WHERE state = 'waiting' AND available_at <= ?1)
		OR EXISTS (SELECT 1 FROM events WHERE seq > ` + lastSeen + `)`

	newEvents  = `SELECT seq, key FROM events WHERE seq > ` + lastSeen + ` ORDER BY seq LIMIT ?`
	countReady = `SELECT count(*) FROM (SELECT 1 FROM events WHERE state = 'ready' AND available_at <= ? LIMIT ?)`
	admitEvent = `UPDATE events SET state = iif(EXISTS (SELECT 1 FROM events WHERE key = ? AND ` + unsettled + `), 'blocked', 'ready')
		WHERE seq = ?`

	// unsettled excludes new events, which come after all others.
	unsettled = `state NOT IN ('new', 'buried')`

	hasEarlier = `EXISTS (SELECT 1 FROM events e
		WHERE e.key = events.key AND e.seq < events.seq AND e.state NOT IN ('new', 'buried'))`

	wakeEvents = `UPDATE events SET state = iif(` + hasEarlier + `, 'blocked', 'ready')
		WHERE state = 'waiting' AND available_at <= ?`

	claimEvents = `UPDATE events SET state = 'waiting', claimed = 1, attempt = attempt + 1, claim = claim + 1, available_at = ?
		WHERE seq IN (SELECT seq FROM events WHERE state = 'ready' AND available_at <= ? ORDER BY seq LIMIT ?)
		RETURNING seq, id, kind, key, owner, at, data, attempt, claim`

	// whereClaim requires that the caller's claim is the latest. Few events of a key
	// wait, so the lookup goes by key.
	whereClaim = ` WHERE id = ? AND key = ? AND claim = ? AND claimed = 1 AND ` + unsettled

	ackEvent   = `DELETE FROM events` + whereClaim
	retryEvent = `UPDATE events SET state = 'waiting', claimed = 0, available_at = ?` + whereClaim
	buryEvent  = `UPDATE events SET state = 'buried', claimed = 0, reason = ?` + whereClaim

	unblockEvent = `UPDATE events SET state = 'ready'
		WHERE seq = (SELECT min(seq) FROM events WHERE key = ? AND ` + unsettled + `) AND state = 'blocked'`
)

// admitAtOnce is the maximum number of new events that one transaction admits, which
// takes about 20 ms.
const admitAtOnce = 1_000

func addEvent(ctx context.Context, s *session, e *ports.Event) error {
	_, err := s.exec(ctx, insertEvent, blob(e.ID), e.Kind, blob(e.Key), blob(e.Owner), e.At.UnixMilli(), bytesOf(e.Data))
	return err
}

func (o outbox) Claim(ctx context.Context, now time.Time, lease time.Duration, n int) ([]ports.Event, error) {
	if err := ports.CheckClaim(lease, n); err != nil {
		return nil, err
	}
	var waits bool
	if err := o.scan(ctx, peekEvents, []any{now.UnixMilli()}, &waits); err != nil || !waits {
		return nil, err
	}
	for {
		events, again, err := o.tryClaim(ctx, now, lease, n)
		if err != nil || !again {
			return events, err
		}
	}
}

// tryClaim claims events, or returns again if a batch of new events contained too
// few that are ready. The next batch then has a separate transaction, so that saves
// can run in between.
func (o outbox) tryClaim(ctx context.Context, now time.Time, lease time.Duration, n int) (events []ports.Event, again bool, err error) {
	var claimed []sequenced[ports.Event]
	err = o.update(ctx, func(ctx context.Context, s *session) error {
		if _, err := s.exec(ctx, wakeEvents, now.UnixMilli()); err != nil {
			return err
		}
		if again, err = admitEvents(ctx, s, now, n); err != nil || again {
			return err
		}
		claimed, err = claimReady(ctx, s, now, lease, n)
		return err
	}, nil)
	if err != nil {
		return nil, false, err
	}
	return inOrder(claimed), again, nil
}

// admitEvents makes a batch of new events ready or blocked if fewer than n are
// ready, and reports whether there are still too few and more new ones. Claims do
// this rather than Save, which so writes fewer indexes.
func admitEvents(ctx context.Context, s *session, now time.Time, n int) (again bool, err error) {
	tooFew := func() (bool, error) {
		var ready int
		err := s.scan(ctx, countReady, []any{now.UnixMilli(), n}, &ready)
		return ready < n, err
	}
	if few, err := tooFew(); err != nil || !few {
		return false, err
	}
	admitted, err := admitBatch(ctx, s)
	if err != nil || admitted < admitAtOnce {
		return false, err
	}
	return tooFew()
}

func admitBatch(ctx context.Context, s *session) (admitted int, err error) {
	type fresh struct {
		seq int64
		key []byte
	}
	var batch []fresh
	err = s.each(ctx, newEvents, []any{admitAtOnce}, func(rows *sql.Rows) error {
		var f fresh
		err := rows.Scan(&f.seq, &f.key)
		batch = append(batch, f)
		return err
	})
	for i := 0; i < len(batch) && err == nil; i++ {
		_, err = s.exec(ctx, admitEvent, bytesOf(batch[i].key), batch[i].seq)
	}
	return len(batch), err
}

func claimReady(ctx context.Context, s *session, now time.Time, lease time.Duration, n int) ([]sequenced[ports.Event], error) {
	var claimed []sequenced[ports.Event]
	args := []any{now.Add(lease).UnixMilli(), now.UnixMilli(), n}
	err := s.each(ctx, claimEvents, args, func(rows *sql.Rows) error {
		var seq int64
		var e ports.Event
		err := rows.Scan(&seq, &e.ID, &e.Kind, &e.Key, &e.Owner, instant{&e.At}, &e.Data, &e.Attempt, &e.Claim)
		claimed = append(claimed, sequenced[ports.Event]{0, seq, e})
		return err
	})
	return claimed, err
}

func (o outbox) Ack(ctx context.Context, e ports.Event) error {
	return o.settle(ctx, e, true, ackEvent)
}

func (o outbox) Retry(ctx context.Context, e ports.Event, at time.Time) error {
	return o.settle(ctx, e, false, retryEvent, at.UnixMilli())
}

func (o outbox) Bury(ctx context.Context, e ports.Event, reason string) error {
	if err := ports.CheckReason(reason); err != nil {
		return err
	}
	return o.settle(ctx, e, true, buryEvent, reason)
}

// settle ends a claim by query, whose last arguments are whereClaim's. If passes is
// set, the event no longer blocks the next one of its key.
func (o outbox) settle(ctx context.Context, e ports.Event, passes bool, query string, args ...any) error {
	return o.update(ctx, func(ctx context.Context, s *session) error {
		args := append(args, blob(e.ID), blob(e.Key), e.Claim)
		if err := s.mustChange(ctx, staleClaim, query, args...); err != nil || !passes {
			return err
		}
		_, err := s.exec(ctx, unblockEvent, blob(e.Key))
		return err
	}, nil)
}
