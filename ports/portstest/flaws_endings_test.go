package portstest_test

import (
	"context"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const (
	sameEnd  = "saving an ended lock again as it is changes nothing"
	otherEnd = "another end of an ended lock is a conflict and stores nothing"

	onlyTheEnd = "the end of a lock changes nothing but its end"
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
