package storetest_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/corridor-go/corridor/ports"
)

const (
	replays       = "a replayed event comes before the later ones of its key"
	givenBack     = "a retried event waits for earlier replayed ones and for its own time"
	named         = "Replay replays the given events, or all, and returns their number"
	claimedBefore = "a claim from before a replay is a conflict"
)

var replayFlaws = []flawedStore{
	{"replays nothing", replays, func(b *bundle) {
		b.letters.replay = func(_ context.Context, _ time.Time, _ ports.AuditRow, ids ...string) (int, error) {
			return len(ids), nil
		}
	}},
	{"replays after later events", replays, replaysBehind},
	{"keeps the attempts of a replayed event", replays, func(b *bundle) {
		again := map[string]int{}
		replay := b.letters.replay
		b.letters.replay = func(ctx context.Context, now time.Time, audit ports.AuditRow, ids ...string) (int, error) {
			for _, id := range ids {
				again[id] = 1
			}
			return replay(ctx, now, audit, ids...)
		}
		eachEvent(func(e *ports.Event) { e.Attempt += again[e.ID] })(b)
	}},
	{"lets a retried event overtake a replayed one", givenBack, losesOrder},
	{"forgets the time of an event after a replayed one", givenBack, retriesAt(-3 * time.Minute)},
	{"replays all when some are named", named, func(b *bundle) {
		replay := b.letters.replay
		b.letters.replay = func(ctx context.Context, now time.Time, audit ports.AuditRow, _ ...string) (int, error) {
			return replay(ctx, now, audit)
		}
	}},
	{"counts the given ids", named, func(b *bundle) {
		replay := b.letters.replay
		b.letters.replay = func(ctx context.Context, now time.Time, audit ports.AuditRow, ids ...string) (int, error) {
			n, err := replay(ctx, now, audit, ids...)
			return max(n, len(ids)), err
		}
	}},
	{"replays nothing without ids", named, func(b *bundle) {
		replay := b.letters.replay
		b.letters.replay = func(ctx context.Context, now time.Time, audit ports.AuditRow, ids ...string) (int, error) {
			if len(ids) == 0 {
				return 0, nil
			}
			return replay(ctx, now, audit, ids...)
		}
	}},
	{"identifies claims by their attempts", claimedBefore, namesByAttempt},
	{"lets the claim that buried settle a replayed event", claimedBefore, endsReplayed},
}

// replaysBehind saves a replayed event again, after the others of its key.
func replaysBehind(b *bundle) {
	const mark = "\x00again"
	kept := map[string]ports.Event{}
	bury := b.outbox.bury
	b.outbox.bury = func(ctx context.Context, e ports.Event, reason string) error {
		kept[e.ID] = e
		return bury(ctx, e, reason)
	}
	book, save := b.locks.book, b.locks.save
	b.letters.replay = func(ctx context.Context, _ time.Time, _ ports.AuditRow, ids ...string) (int, error) {
		carrier, err := book(ctx, ports.BookKey{Owner: "replay"})
		if err != nil {
			return 0, err
		}
		e := kept[ids[0]]
		e.ID += mark
		return 1, save(ctx, ports.RateLockChange{Book: carrier, Events: []ports.Event{e}})
	}
	eachEvent(func(e *ports.Event) { e.ID = strings.TrimSuffix(e.ID, mark) })(b)
}

// namesByAttempt accepts a claim with the same attempt as the latest.
func namesByAttempt(b *bundle) {
	latest := map[string]int64{}
	of := func(e ports.Event) string { return fmt.Sprint(e.Attempt, " ", e.ID) }
	eachEvent(func(e *ports.Event) { latest[of(*e)] = e.Claim })(b)
	inner := b.outbox
	b.outbox.ack = func(ctx context.Context, e ports.Event) error {
		e.Claim = latest[of(e)]
		return inner.ack(ctx, e)
	}
	b.outbox.retry = func(ctx context.Context, e ports.Event, at time.Time) error {
		e.Claim = latest[of(e)]
		return inner.retry(ctx, e, at)
	}
	b.outbox.bury = func(ctx context.Context, e ports.Event, reason string) error {
		e.Claim = latest[of(e)]
		return inner.bury(ctx, e, reason)
	}
}

// endsReplayed accepts any claim of a replayed event until it is claimed again.
func endsReplayed(b *bundle) {
	waits := map[string]bool{}
	replay := b.letters.replay
	b.letters.replay = func(ctx context.Context, now time.Time, audit ports.AuditRow, ids ...string) (int, error) {
		for _, id := range ids {
			waits[id] = true
		}
		return replay(ctx, now, audit, ids...)
	}
	eachEvent(func(e *ports.Event) { delete(waits, e.ID) })(b)
	onEnds(b, func(id string, _ int64, err error) error {
		if waits[id] {
			return nil
		}
		return err
	})
}
