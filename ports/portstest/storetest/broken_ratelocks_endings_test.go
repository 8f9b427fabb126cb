package storetest_test

import (
	"context"
	"slices"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const (
	sameEnd  = "saving an ended lock again as it is changes nothing"
	otherEnd = "another end of an ended lock is a conflict and stores nothing"

	neverActive = "a lock may be saved ended that never was active"
	onlyTheEnd  = "the end of a lock changes nothing but its end"
)

// onSecondEnd lets fn change a lock that is saved with an end once it has one;
// first is how it ended.
func onSecondEnd(fn func(first ports.RateLock, again *ports.RateLock)) func(b *bundle) {
	return func(b *bundle) {
		ended := map[string]ports.RateLock{}
		onSave(b, func(c *ports.RateLockChange) {
			for i := range c.Locks {
				l := &c.Locks[i]
				if first, ok := ended[l.ID]; ok {
					fn(first, l)
				} else if l.Status != ports.LockActive {
					ended[l.ID] = *l
				}
			}
		})
	}
}

// lastEndWins writes the last end over the first.
func lastEndWins(b *bundle) {
	last := map[string]ports.RateLock{}
	onSecondEnd(func(first ports.RateLock, again *ports.RateLock) {
		last[again.ID], *again = *again, first
	})(b)
	onLock(b, func(l *ports.RateLock) {
		if other, ok := last[l.ID]; ok {
			*l = other
		}
	})
}

// endsOnce refuses every second end.
func endsOnce(b *bundle) {
	var again bool
	onSecondEnd(func(ports.RateLock, *ports.RateLock) { again = true })(b)
	save := b.locks.save
	b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
		again = false
		err := save(ctx, c)
		if again {
			return errcodes.New(errcodes.Conflict, "")
		}
		return err
	}
}

// endsUnknown lets fn go on with a change that ends a lock which is not stored.
func endsUnknown(fn func(save func() error, c *ports.RateLockChange, lock int) error) func(b *bundle) {
	return func(b *bundle) {
		save := b.locks.save
		b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
			c.Locks = slices.Clone(c.Locks)
			for i, l := range c.Locks {
				_, _, err := b.locks.lock(ctx, l.Owner, l.ID)
				if l.Status != ports.LockActive && errcodes.Of(err) == errcodes.NotFound {
					return fn(func() error { return save(ctx, c) }, &c, i)
				}
			}
			return save(ctx, c)
		}
	}
}

var endingSaboteurs = []saboteur{
	{"refuses the same end again", sameEnd, endsOnce},
	{"keeps the moment of judgement of a second end", sameEnd, lastEndWins},
	{"lets the last end win", otherEnd, lastEndWins},
	{"passes over a second end", otherEnd, takesTakenIDs},
	{"stores the events of a change that ends a lock again", otherEnd, leaks(onlyEvents)},
	{"overlooks another status and reason", otherEnd, onSecondEnd(func(first ports.RateLock, again *ports.RateLock) {
		if again.ObservedMid == "" && first.ObservedMid == "" {
			*again = first
		}
	})},
	{"overlooks another instant of the end", otherEnd, onSecondEnd(func(first ports.RateLock, again *ports.RateLock) {
		again.EndedAt = first.EndedAt
	})},
	{"overlooks another observed mid", otherEnd, onSecondEnd(func(first ports.RateLock, again *ports.RateLock) {
		again.ObservedMid = first.ObservedMid
	})},
	{"passes over the end of a lock that it does not have", neverActive, endsUnknown(func(save func() error, c *ports.RateLockChange, l int) error {
		c.Locks = slices.Delete(c.Locks, l, l+1)
		return save()
	})},
	{"refuses the end of a lock that it does not have", neverActive, endsUnknown(func(func() error, *ports.RateLockChange, int) error {
		return errcodes.New(errcodes.Conflict, "")
	})},
	{"frees the id of a lock that never was active", neverActive, takesTakenIDs},
	{"takes the source of a record that ends a lock", onlyTheEnd, func(b *bundle) {
		sources := map[string]string{}
		onSave(b, func(c *ports.RateLockChange) {
			for _, l := range c.Locks {
				sources[l.ID] = l.MidSource
			}
		})
		onLock(b, func(l *ports.RateLock) { l.MidSource = sources[l.ID] })
	}},
	{"refuses an end that comes with other fields", onlyTheEnd, func(b *bundle) {
		sources := map[string]string{}
		save := b.locks.save
		b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
			for _, l := range c.Locks {
				if was, ok := sources[l.ID]; ok && was != l.MidSource {
					return errcodes.New(errcodes.Conflict, "")
				}
				sources[l.ID] = l.MidSource
			}
			return save(ctx, c)
		}
	}},
	{"overlooks another deviation", otherEnd, onSecondEnd(func(first ports.RateLock, again *ports.RateLock) {
		again.DeviationBps = first.DeviationBps
	})},
}
