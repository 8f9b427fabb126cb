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

// once leaves the first of each id.
func once[V any](list []V, id func(V) string) []V {
	var out []V
	for _, v := range list {
		if !slices.ContainsFunc(out, func(w V) bool { return id(w) == id(v) }) {
			out = append(out, v)
		}
	}
	return out
}

// takesWhatCannotBe passes over the record of a change that no lock can have.
func takesWhatCannotBe(without func(c *ports.RateLockChange)) func(b *bundle) {
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
	{"ends a lock once that came twice", lockTwice, onSaved(func(c *ports.RateLockChange) { c.Ended = once(c.Ended, lockID) })},
	{"mints a lock that ends in the same change", lockTwice, onSaved(func(c *ports.RateLockChange) {
		if c.Minted != nil {
			c.Ended = slices.DeleteFunc(c.Ended, func(l ports.RateLock) bool { return l.ID == c.Minted.ID })
		}
	})},
	{"leaves a lock that stays in its book active", lockTwice, onSaved(func(c *ports.RateLockChange) {
		c.Ended = slices.DeleteFunc(c.Ended, func(l ports.RateLock) bool {
			_, held := slotOf(c.Book, l.ID)
			return held && c.Minted == nil
		})
	})},
	{"mints a lock that its book does not have", mintedElsewhere, takesWhatCannotBe(func(c *ports.RateLockChange) { c.Minted = nil })},
	{"takes the minted lock from the book", mintedElsewhere, onSaved(func(c *ports.RateLockChange) {
		if n := len(c.Book.Live()); c.Minted != nil && n == 2 {
			*c.Minted = c.Book.Slots[1]
		}
	})},
	{"stores the events of a change that names a lock twice", lockTwice, leaks(onlyEvents)},
	{"passes over a record that cannot be", impossibleRecord, takesWhatCannotBe(func(c *ports.RateLockChange) {
		c.Minted, c.Ended, c.Book.Slots = nil, nil, [ports.MaxLiveLocks]ports.RateLock{}
	})},
	{"passes over a slot that cannot be", impossibleRecord, takesWhatCannotBe(func(c *ports.RateLockChange) {
		c.Book.Slots = [ports.MaxLiveLocks]ports.RateLock{}
	})},
	{"makes what cannot be possible", impossibleRecord, onSaved(func(c *ports.RateLockChange) {
		eachLock(c, func(l *ports.RateLock) {
			if l.MarkupBps < 0 {
				l.MarkupBps, l.MidRate, l.AllInRate = 0, "1", "1"
			}
		})
	})},
	{"blames the caller for a record that cannot be", impossibleRecord, func(b *bundle) {
		save := b.locks.save
		b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
			return broken.Recode(save(ctx, c), errcodes.CorruptRecord, errcodes.InvalidRequest)
		}
	}},
	{"stores an event once that came twice", queuedTwice, onSaved(func(c *ports.RateLockChange) { c.Events = once(c.Events, eventID) })},
	{"stores an item once that came twice", queuedTwice, onSaved(func(c *ports.RateLockChange) { c.Work = once(c.Work, itemID) })},
	{"stores the work of a change that names an event twice", queuedTwice, leaks(onlyWork)},
}

// onSaved is onSave for a table.
func onSaved(fn func(c *ports.RateLockChange)) func(b *bundle) {
	return func(b *bundle) { onSave(b, fn) }
}

var eventIDFlaws = []flawedStore{
	{"refuses an id that waits", eventIDAgain, func(b *bundle) {
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
	{"drops an event whose id waits", eventIDAgain, func(b *bundle) {
		seen := map[string]bool{}
		onSave(b, func(c *ports.RateLockChange) {
			c.Events = slices.DeleteFunc(c.Events, func(e ports.Event) bool { return seen[e.ID] })
			for _, e := range c.Events {
				seen[e.ID] = true
			}
		})
	}},
	{"settles the first of an id", eventIDAgain, func(b *bundle) {
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
	{"settles all of an id", eventIDAgain, func(b *bundle) {
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
	{"hands out no bytes for no data", eventBytes, eachEvent(func(e *ports.Event) { e.Data = append([]byte{}, e.Data...) })},
}

var itemIDFlaws = []flawedStore{
	{"passes over an item whose id waits", itemIDAgain, func(b *bundle) {
		onConflict(b, func(save func(ports.RateLockChange) error, c ports.RateLockChange, _ ports.Book) error {
			c.Work = nil
			return save(c)
		})
	}},
	{"frees the id of what was buried", itemIDAgain, func(b *bundle) {
		b.work.bury = func(ctx context.Context, w ports.WorkItem, _ string) error { return b.work.done(ctx, w) }
	}},
	{"keeps the id of what is done", itemIDAgain, func(b *bundle) {
		b.work.done = func(ctx context.Context, w ports.WorkItem) error { return b.work.bury(ctx, w, "") }
	}},
	{"hands out no bytes for no payload", itemBytes, eachItem(func(w *ports.WorkItem) { w.Payload = append([]byte{}, w.Payload...) })},
}
