package portstest_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// onEvents lets fn change what Claim gives.
func onEvents(b *bundle, fn func(now time.Time, got []ports.Event) []ports.Event) {
	claim := b.outbox.claim
	b.outbox.claim = func(ctx context.Context, now time.Time, lease time.Duration, n int) ([]ports.Event, error) {
		got, err := claim(ctx, now, lease, n)
		return fn(now, got), err
	}
}

func eachEvent(fn func(e *ports.Event)) func(b *bundle) {
	return func(b *bundle) {
		onEvents(b, func(_ time.Time, got []ports.Event) []ports.Event {
			for i := range got {
				fn(&got[i])
			}
			return got
		})
	}
}

// onSavedEvents lets fn change each event that is saved.
func onSavedEvents(fn func(e *ports.Event)) func(b *bundle) {
	return func(b *bundle) {
		onSave(b, func(c *ports.RateLockChange) {
			for i := range c.Events {
				fn(&c.Events[i])
			}
		})
	}
}

var losesOrder = onSavedEvents(func(e *ports.Event) { e.Key = e.ID })

var eventSaboteurs = []saboteur{
	{"does not find events", "an empty outbox hands out nothing, without an error", func(b *bundle) {
		claim := b.outbox.claim
		b.outbox.claim = func(ctx context.Context, now time.Time, lease time.Duration, n int) ([]ports.Event, error) {
			got, err := claim(ctx, now, lease, n)
			if len(got) == 0 && err == nil {
				return nil, errcodes.New(errcodes.NotFound, "")
			}
			return got, err
		}
	}},
	{"counts attempts from 0", "an event comes out as it was saved", eachEvent(func(e *ports.Event) { e.Attempt-- })},
	{"forgets the owner", "an event comes out as it was saved", eachEvent(func(e *ports.Event) { e.Owner = "" })},
	{"holds events back until their time", "an event waits from its save on, whatever its time says", func(b *bundle) {
		onEvents(b, func(now time.Time, got []ports.Event) []ports.Event {
			return slices.DeleteFunc(got, func(e ports.Event) bool { return e.At.After(now) })
		})
	}},
	{"repairs ill text in data", "data of any bytes comes back", eachEvent(func(e *ports.Event) {
		e.Data = bytes.ToValidUTF8(e.Data, []byte("\ufffd"))
	})},
	{"cuts data at 32 KiB", "data of any bytes comes back", eachEvent(func(e *ports.Event) {
		e.Data = e.Data[:min(len(e.Data), 32<<10)]
	})},
	{"keeps the data passed in", "changing data that was passed in or handed out changes nothing stored", func(b *bundle) {
		kept := map[string][]byte{}
		onSave(b, func(c *ports.RateLockChange) {
			for _, e := range c.Events {
				kept[e.ID] = e.Data
			}
		})
		eachEvent(func(e *ports.Event) { e.Data = kept[e.ID] })(b)
	}},
	{"hands out the data it keeps", "changing data that was passed in or handed out changes nothing stored", func(b *bundle) {
		kept := map[string][]byte{}
		eachEvent(func(e *ports.Event) {
			if kept[e.ID] == nil {
				kept[e.ID] = e.Data
			}
			e.Data = kept[e.ID]
		})(b)
	}},
	{"stores ten events of a change", "every event of a change is stored", func(b *bundle) {
		onSave(b, func(c *ports.RateLockChange) { c.Events = c.Events[:min(len(c.Events), 10)] })
	}},
}

const (
	inOrder   = "events come in the order of their saves"
	acked     = "an acknowledged event is gone and lets the next of its key pass"
	buried    = "a buried event is set aside and lets the next of its key pass"
	replays   = "a replayed event comes before the later ones of its key"
	givenBack = "an event given back waits behind a replayed one, and for its own time"
	named     = "Replay brings back the events named, or all, and counts them"
)

var eventOrderSaboteurs = append(
	confuse("keys of events", "keys that look alike are ordered apart", looks, func(b *bundle, f func(string) string) {
		onSavedEvents(func(e *ports.Event) { e.Key = f(e.Key) })(b)
	}),
	saboteur{"orders events by id", inOrder, func(b *bundle) {
		onEvents(b, func(_ time.Time, got []ports.Event) []ports.Event {
			slices.SortFunc(got, func(x, y ports.Event) int { return strings.Compare(x.ID, y.ID) })
			return got
		})
	}},
	saboteur{"orders events by their times", inOrder, func(b *bundle) {
		onEvents(b, func(_ time.Time, got []ports.Event) []ports.Event {
			slices.SortFunc(got, func(x, y ports.Event) int { return x.At.Compare(y.At) })
			return got
		})
	}},
	saboteur{"hands out all events of a key", "a claim takes at most one event of a key", losesOrder},
	saboteur{"lets events overtake a claimed one", "a claimed event holds back the later ones of its key only", losesOrder},
	saboteur{"holds back every key", "a claimed event holds back the later ones of its key only", onSavedEvents(func(e *ports.Event) { e.Key = "" })},
	saboteur{"lets events overtake a retried one", "a retried event holds back the later ones of its key", losesOrder},
	saboteur{"gives back what was acknowledged", acked, func(b *bundle) {
		b.outbox.ack = func(ctx context.Context, e ports.Event) error { return b.outbox.retry(ctx, e, e.At) }
	}},
	saboteur{"takes the rest of a key for acknowledged", acked, func(b *bundle) {
		claim, ack := b.outbox.claim, b.outbox.ack
		b.outbox.ack = func(ctx context.Context, e ports.Event) error {
			if err := ack(ctx, e); err != nil {
				return err
			}
			rest, err := claim(ctx, e.At, time.Millisecond, 1)
			if err != nil || len(rest) == 0 || rest[0].Key != e.Key {
				return err
			}
			return ack(ctx, rest[0])
		}
	}},
	saboteur{"lets a buried event block its key", buried, func(b *bundle) {
		b.outbox.bury = func(ctx context.Context, e ports.Event, _ string) error {
			return b.outbox.retry(ctx, e, e.At.AddDate(10, 0, 0))
		}
	}},
	saboteur{"replays nothing", replays, func(b *bundle) {
		b.outbox.replay = func(_ context.Context, _ time.Time, ids ...string) (int, error) { return len(ids), nil }
	}},
	saboteur{"replays behind the rest", replays, replaysBehind},
	saboteur{"keeps the attempts of a replayed event", replays, func(b *bundle) {
		again := map[string]int{}
		replay := b.outbox.replay
		b.outbox.replay = func(ctx context.Context, now time.Time, ids ...string) (int, error) {
			for _, id := range ids {
				again[id] = 1
			}
			return replay(ctx, now, ids...)
		}
		eachEvent(func(e *ports.Event) { e.Attempt += again[e.ID] })(b)
	}},
	saboteur{"lets an event given back overtake a replayed one", givenBack, losesOrder},
	saboteur{"forgets a later time behind a replayed event", givenBack, retriesAt(-3 * time.Minute)},
	saboteur{"replays all when some are named", named, func(b *bundle) {
		replay := b.outbox.replay
		b.outbox.replay = func(ctx context.Context, now time.Time, _ ...string) (int, error) { return replay(ctx, now) }
	}},
	saboteur{"counts what was named", named, func(b *bundle) {
		replay := b.outbox.replay
		b.outbox.replay = func(ctx context.Context, now time.Time, ids ...string) (int, error) {
			n, err := replay(ctx, now, ids...)
			return max(n, len(ids)), err
		}
	}},
	saboteur{"replays none when none is named", named, func(b *bundle) {
		replay := b.outbox.replay
		b.outbox.replay = func(ctx context.Context, now time.Time, ids ...string) (int, error) {
			if len(ids) == 0 {
				return 0, nil
			}
			return replay(ctx, now, ids...)
		}
	}},
)

// replaysBehind saves a replayed event anew, behind the others of its key.
func replaysBehind(b *bundle) {
	const mark = "\x00again"
	kept := map[string]ports.Event{}
	bury := b.outbox.bury
	b.outbox.bury = func(ctx context.Context, e ports.Event, reason string) error {
		kept[e.ID] = e
		return bury(ctx, e, reason)
	}
	book, save := b.locks.book, b.locks.save
	b.outbox.replay = func(ctx context.Context, _ time.Time, ids ...string) (int, error) {
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

var eventClaimSaboteurs = append(claimSaboteurs("events", "an event"),
	saboteur{"does not count attempts", "a lease keeps an event until it ends, and counts the attempts",
		eachEvent(func(e *ports.Event) { e.Attempt = 1 })},
	saboteur{"names claims by their attempts", "a claim of before a replay is a conflict", namesByAttempt},
	saboteur{"lets the claim that buried end a replayed event", "a claim of before a replay is a conflict", endsReplayed},
)

// namesByAttempt takes a claim for the latest of the same attempt.
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

// endsReplayed takes any claim of a replayed event that nobody has claimed since.
func endsReplayed(b *bundle) {
	waits := map[string]bool{}
	replay := b.outbox.replay
	b.outbox.replay = func(ctx context.Context, now time.Time, ids ...string) (int, error) {
		for _, id := range ids {
			waits[id] = true
		}
		return replay(ctx, now, ids...)
	}
	eachEvent(func(e *ports.Event) { delete(waits, e.ID) })(b)
	onEnds(b, func(id string, _ int64, err error) error {
		if waits[id] {
			return nil
		}
		return err
	})
}
