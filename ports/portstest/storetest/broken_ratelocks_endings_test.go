package storetest_test

import (
	"context"
	"slices"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const (
	endsOnce    = "ending an ended lock is a conflict and stores nothing"
	neverMinted = "ending a lock that was never minted is a conflict and stores nothing"
	bothEnd     = "a change ends both locks of a book and mints another"
	onlyTheEnd  = "ending a lock changes only the fields of its end"
)

// onStrayEnd lets fn change a change that ends a lock which is not active. first is
// the stored lock, which has no status if it was never stored.
func onStrayEnd(fn func(c *ports.RateLockChange, i int, first ports.RateLock)) func(b *bundle) {
	return func(b *bundle) {
		onSave(b, func(c *ports.RateLockChange) {
			for i := range slices.Backward(c.Ended) {
				first, _, err := b.locks.lock(context.Background(), c.Ended[i].Owner, c.Ended[i].ID)
				if err != nil || first.Status != ports.LockActive {
					fn(c, i, first)
				}
			}
		})
	}
}

func dropEnd(c *ports.RateLockChange, i int) { c.Ended = slices.Delete(c.Ended, i, i+1) }

// passesOver accepts a second end that equals the first.
func passesOver(agrees func(first, again ports.RateLock) bool) func(b *bundle) {
	return onStrayEnd(func(c *ports.RateLockChange, i int, first ports.RateLock) {
		if first.Status != "" && agrees(first, c.Ended[i]) {
			dropEnd(c, i)
		}
	})
}

// lastEndWins replaces the first end with the last.
func lastEndWins(b *bundle) {
	last := map[string]ports.RateLock{}
	onStrayEnd(func(c *ports.RateLockChange, i int, first ports.RateLock) {
		if first.Status != "" {
			last[first.ID] = c.Ended[i]
			dropEnd(c, i)
		}
	})(b)
	onLock(b, func(l *ports.RateLock) {
		if other, ok := last[l.ID]; ok {
			*l = other
		}
	})
}

var endingFlaws = []flawedStore{
	{"accepts the same end again", endsOnce, passesOver(func(first, again ports.RateLock) bool { return first == again })},
	{"accepts any second end", endsOnce, passesOver(func(ports.RateLock, ports.RateLock) bool { return true })},
	{"stores the last end", endsOnce, lastEndWins},
	{"stores the events of a change that ends a lock again", endsOnce, leaks(onlyEvents)},
	{"mints the lock of a change that ends an ended lock", endsOnce, takesTakenIDs},
	{"ignores the end of an unknown lock", neverMinted, onStrayEnd(func(c *ports.RateLockChange, i int, first ports.RateLock) {
		if first.Status == "" {
			dropEnd(c, i)
		}
	})},
	{"stores the end of a lock that was never minted", neverMinted, func(b *bundle) {
		stray := map[string]ports.RateLock{}
		onStrayEnd(func(c *ports.RateLockChange, i int, first ports.RateLock) {
			if first.Status == "" {
				stray[c.Ended[i].ID] = c.Ended[i]
			}
		})(b)
		lock := b.locks.lock
		b.locks.lock = func(ctx context.Context, owner, id string) (ports.RateLock, ports.Book, error) {
			l, book, err := lock(ctx, owner, id)
			if other, ok := stray[id]; ok && errcodes.Of(err) == errcodes.NotFound {
				return other, book, nil
			}
			return l, book, err
		}
	}},
	{"ends only the first of two locks", bothEnd, onSaved(func(c *ports.RateLockChange) { c.Ended = c.Ended[:min(1, len(c.Ended))] })},
	{"stores one end for both locks", bothEnd, func(b *bundle) {
		ends := map[string]ports.RateLock{}
		onSave(b, func(c *ports.RateLockChange) {
			for _, l := range c.Ended {
				ends[l.ID] = c.Ended[0]
			}
		})
		onLock(b, func(l *ports.RateLock) {
			if e, ok := ends[l.ID]; ok {
				l.Status, l.CancellationReason, l.EndedAt = e.Status, e.CancellationReason, e.EndedAt
				l.ObservedMid, l.DeviationBps = e.ObservedMid, e.DeviationBps
			}
		})
	}},
	{"changes the source of an ended lock", onlyTheEnd, func(b *bundle) {
		sources := map[string]string{}
		onSave(b, func(c *ports.RateLockChange) {
			for _, l := range c.Ended {
				sources[l.ID] = l.MidSource
			}
		})
		onLock(b, func(l *ports.RateLock) {
			if source, ok := sources[l.ID]; ok {
				l.MidSource = source
			}
		})
	}},
	{"rejects an end that comes with other fields", onlyTheEnd, func(b *bundle) {
		save := b.locks.save
		b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
			for _, l := range c.Ended {
				if was, _, err := b.locks.lock(ctx, l.Owner, l.ID); err == nil && was.MidSource != l.MidSource {
					return errcodes.New(errcodes.Conflict, "")
				}
			}
			return save(ctx, c)
		}
	}},
}
