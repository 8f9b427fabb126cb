package storetest_test

import (
	"context"
	"slices"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

const (
	mintedElsewhere  = "a minted lock that is not in its book is rejected and stores nothing"
	lockTwice        = "a change with a repeated lock is a conflict and stores nothing"
	queuedTwice      = "a change with a repeated event or item is a conflict and stores nothing"
	impossibleRecord = "an invalid lock is rejected and stores nothing"
	eventIDAgain     = "events of different changes may have the same id"
	itemIDAgain      = "an item's id is reserved until the item is done"
	eventBytes       = "data of any bytes is returned unchanged"
	itemBytes        = "a payload of any bytes is returned unchanged"
)

func eventID(e ports.Event) string   { return e.ID }
func itemID(w ports.WorkItem) string { return w.ID }
func lockID(l ports.RateLock) string { return l.ID }

// once returns the first element of each id.
func once[V any](list []V, id func(V) string) []V {
	var out []V
	for _, v := range list {
		if !slices.ContainsFunc(out, func(w V) bool { return id(w) == id(v) }) {
			out = append(out, v)
		}
	}
	return out
}

// ignoresInvalid ignores the invalid record of a change.
func ignoresInvalid(without func(c *ports.RateLockChange)) func(b *bundle) {
	return func(b *bundle) {
		save := b.locks.save
		b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
			err := save(ctx, c)
			if errcodes.Of(err) != errcodes.CorruptRecord {
				return err
			}
			without(&c)
			return broken.Recode(save(ctx, c), errcodes.Conflict, errcodes.CorruptRecord)
		}
	}
}

var changeFlaws = []flawedStore{
	{"ends a repeated lock once", lockTwice, onSaved(func(c *ports.RateLockChange) { c.Ended = once(c.Ended, lockID) })},
	{"mints a lock that ends in the same change", lockTwice, onSaved(func(c *ports.RateLockChange) {
		if c.Minted != nil {
			c.Ended = slices.DeleteFunc(c.Ended, func(l ports.RateLock) bool { return l.ID == c.Minted.ID })
		}
	})},
	{"does not end a lock that stays in its book", lockTwice, onSaved(func(c *ports.RateLockChange) {
		c.Ended = slices.DeleteFunc(c.Ended, func(l ports.RateLock) bool {
			_, held := slotOf(c.Book, l.ID)
			return held && c.Minted == nil
		})
	})},
	{"mints a lock that is not in its book", mintedElsewhere, ignoresInvalid(func(c *ports.RateLockChange) { c.Minted = nil })},
	{"reads the minted lock from the book", mintedElsewhere, onSaved(func(c *ports.RateLockChange) {
		if n := len(c.Book.Live()); c.Minted != nil && n == 2 {
			*c.Minted = c.Book.Slots[1]
		}
	})},
	{"stores the events of a change with a repeated lock", lockTwice, leaks(onlyEvents)},
	{"ignores an invalid record", impossibleRecord, ignoresInvalid(func(c *ports.RateLockChange) {
		c.Minted, c.Ended, c.Book.Slots = nil, nil, [ports.MaxLiveLocks]ports.RateLock{}
	})},
	{"ignores an invalid slot", impossibleRecord, ignoresInvalid(func(c *ports.RateLockChange) {
		c.Book.Slots = [ports.MaxLiveLocks]ports.RateLock{}
	})},
	{"repairs an invalid record", impossibleRecord, onSaved(func(c *ports.RateLockChange) {
		eachLock(c, func(l *ports.RateLock) {
			if l.MarkupBps < 0 {
				l.MarkupBps, l.MidRate, l.AllInRate = 0, "1", "1"
			}
		})
	})},
	{"returns InvalidRequest for an invalid record", impossibleRecord, func(b *bundle) {
		save := b.locks.save
		b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
			return broken.Recode(save(ctx, c), errcodes.CorruptRecord, errcodes.InvalidRequest)
		}
	}},
	{"stores a repeated event once", queuedTwice, onSaved(func(c *ports.RateLockChange) { c.Events = once(c.Events, eventID) })},
	{"stores a repeated item once", queuedTwice, onSaved(func(c *ports.RateLockChange) { c.Work = once(c.Work, itemID) })},
	{"stores the work of a change with a repeated event", queuedTwice, leaks(onlyWork)},
}

// onSaved is onSave for a table.
func onSaved(fn func(c *ports.RateLockChange)) func(b *bundle) {
	return func(b *bundle) { onSave(b, fn) }
}

var eventIDFlaws = []flawedStore{
	{"rejects the id of a waiting event", eventIDAgain, func(b *bundle) {
		seen := map[string]bool{}
		save := b.locks.save
		b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
			for _, e := range c.Events {
				if seen[e.ID] {
					return errcodes.New(errcodes.Conflict, "")
				}
				seen[e.ID] = true
			}
			return save(ctx, c)
		}
	}},
	{"drops an event with the id of a waiting one", eventIDAgain, func(b *bundle) {
		seen := map[string]bool{}
		onSave(b, func(c *ports.RateLockChange) {
			c.Events = slices.DeleteFunc(c.Events, func(e ports.Event) bool { return seen[e.ID] })
			for _, e := range c.Events {
				seen[e.ID] = true
			}
		})
	}},
	{"settles the first event of an id", eventIDAgain, func(b *bundle) {
		first := map[string]ports.Event{}
		onEvents(b, func(_ time.Time, got []ports.Event) []ports.Event {
			for _, e := range got {
				if _, ok := first[e.ID]; !ok {
					first[e.ID] = e
				}
			}
			return got
		})
		ack := b.outbox.ack
		b.outbox.ack = func(ctx context.Context, e ports.Event) error { return ack(ctx, first[e.ID]) }
	}},
	{"settles all events of an id", eventIDAgain, func(b *bundle) {
		var claimed []ports.Event
		onEvents(b, func(_ time.Time, got []ports.Event) []ports.Event {
			claimed = append(claimed, got...)
			return got
		})
		ack := b.outbox.ack
		b.outbox.ack = func(ctx context.Context, e ports.Event) error {
			for _, other := range claimed {
				if other.ID == e.ID && other.Key != e.Key {
					_ = ack(ctx, other)
				}
			}
			return ack(ctx, e)
		}
	}},
	{"returns empty instead of nil data", eventBytes, eachEvent(func(e *ports.Event) { e.Data = append([]byte{}, e.Data...) })},
}

var itemIDFlaws = []flawedStore{
	{"ignores an item with the id of a waiting one", itemIDAgain, func(b *bundle) {
		onConflict(b, func(save func(ports.RateLockChange) error, c ports.RateLockChange, _ ports.Book) error {
			c.Work = nil
			return save(c)
		})
	}},
	{"frees the id of a buried item", itemIDAgain, func(b *bundle) {
		b.work.bury = func(ctx context.Context, w ports.WorkItem, _ string) error { return b.work.done(ctx, w) }
	}},
	{"keeps the id of a done item", itemIDAgain, func(b *bundle) {
		b.work.done = func(ctx context.Context, w ports.WorkItem) error { return b.work.bury(ctx, w, "") }
	}},
	{"returns an empty instead of a nil payload", itemBytes, eachItem(func(w *ports.WorkItem) { w.Payload = append([]byte{}, w.Payload...) })},
}
