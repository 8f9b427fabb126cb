package storetest_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// onEvents lets fn change what Claim returns.
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

var eventFlaws = []flawedStore{
	{"does not find events", "Claim of an empty outbox returns no events and no error", func(b *bundle) {
		claim := b.outbox.claim
		b.outbox.claim = func(ctx context.Context, now time.Time, lease time.Duration, n int) ([]ports.Event, error) {
			got, err := claim(ctx, now, lease, n)
			if len(got) == 0 && err == nil {
				return nil, errcodes.New(errcodes.NotFound, "")
			}
			return got, err
		}
	}},
	{"counts attempts from 0", "an event is claimed as it was saved", eachEvent(func(e *ports.Event) { e.Attempt-- })},
	{"forgets the owner", "an event is claimed as it was saved", eachEvent(func(e *ports.Event) { e.Owner = "" })},
	{"holds events back until their time", "an event can be claimed once it is saved, whatever its time", func(b *bundle) {
		onEvents(b, func(now time.Time, got []ports.Event) []ports.Event {
			return slices.DeleteFunc(got, func(e ports.Event) bool { return e.At.After(now) })
		})
	}},
	{"repairs ill text in data", "data of any bytes is returned unchanged", eachEvent(func(e *ports.Event) {
		e.Data = bytes.ToValidUTF8(e.Data, []byte("\ufffd"))
	})},
	{"cuts data at 32 KiB", "data of any bytes is returned unchanged", eachEvent(func(e *ports.Event) {
		e.Data = e.Data[:min(len(e.Data), 32<<10)]
	})},
	{"keeps the data passed in", "changing data outside the store does not change the store", func(b *bundle) {
		kept := map[string][]byte{}
		onSave(b, func(c *ports.RateLockChange) {
			for _, e := range c.Events {
				kept[e.ID] = e.Data
			}
		})
		eachEvent(func(e *ports.Event) { e.Data = kept[e.ID] })(b)
	}},
	{"returns its stored data", "changing data outside the store does not change the store", func(b *bundle) {
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
	inOrder = "events are claimed in the order of their saves"
	acked   = "an acknowledged event is removed and releases the next of its key"
	buried  = "a buried event is set aside and releases the next of its key"
)

var eventOrderFlaws = append(
	confuse("keys of events", "keys that look alike are ordered separately", looks, func(b *bundle, f func(string) string) {
		onSavedEvents(func(e *ports.Event) { e.Key = f(e.Key) })(b)
	}),
	flawedStore{"orders events by id", inOrder, func(b *bundle) {
		onEvents(b, func(_ time.Time, got []ports.Event) []ports.Event {
			slices.SortFunc(got, func(x, y ports.Event) int { return strings.Compare(x.ID, y.ID) })
			return got
		})
	}},
	flawedStore{"orders events by their times", inOrder, func(b *bundle) {
		onEvents(b, func(_ time.Time, got []ports.Event) []ports.Event {
			slices.SortFunc(got, func(x, y ports.Event) int { return x.At.Compare(y.At) })
			return got
		})
	}},
	flawedStore{"returns all events of a key", "a claim takes at most one event of a key", losesOrder},
	flawedStore{"lets events overtake a claimed one", "a claimed event holds back only the later ones of its key", losesOrder},
	flawedStore{"holds back every key", "a claimed event holds back only the later ones of its key", onSavedEvents(func(e *ports.Event) { e.Key = "" })},
	flawedStore{"lets events overtake a retried one", "a retried event holds back the later ones of its key", losesOrder},
	flawedStore{"returns acknowledged events", acked, func(b *bundle) {
		b.outbox.ack = func(ctx context.Context, e ports.Event) error { return b.outbox.retry(ctx, e, e.At) }
	}},
	flawedStore{"acknowledges the rest of a key", acked, func(b *bundle) {
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
	flawedStore{"lets a buried event block its key", buried, func(b *bundle) {
		b.outbox.bury = func(ctx context.Context, e ports.Event, _ string) error {
			return b.outbox.retry(ctx, e, e.At.AddDate(10, 0, 0))
		}
	}},
)

var eventClaimFlaws = append(claimFlaws("events", "an event"),
	flawedStore{"does not count attempts", "a leased event is not claimed until the lease ends, and attempts are counted",
		eachEvent(func(e *ports.Event) { e.Attempt = 1 })},
)
