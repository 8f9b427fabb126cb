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

// onItems lets fn change what Claim returns.
func onItems(b *bundle, fn func(got []ports.WorkItem) []ports.WorkItem) {
	claim := b.work.claim
	b.work.claim = func(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) ([]ports.WorkItem, error) {
		got, err := claim(ctx, kind, now, lease, n)
		return fn(got), err
	}
}

func eachItem(fn func(w *ports.WorkItem)) func(b *bundle) {
	return func(b *bundle) {
		onItems(b, func(got []ports.WorkItem) []ports.WorkItem {
			for i := range got {
				fn(&got[i])
			}
			return got
		})
	}
}

// mapKinds applies f to kinds.
func mapKinds(b *bundle, f func(string) string) {
	claim := b.work.claim
	b.work.claim = func(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) ([]ports.WorkItem, error) {
		return claim(ctx, f(kind), now, lease, n)
	}
	onSave(b, func(c *ports.RateLockChange) {
		for i := range c.Work {
			c.Work[i].Kind = f(c.Work[i].Kind)
		}
	})
}

// dueBy changes the time of claims.
func dueBy(d time.Duration) func(b *bundle) {
	return onClaims(func(a *claimArgs) { a.now = a.now.Add(d) })
}

var itemFlaws = append(
	confuse("kinds", "kinds that look alike are different kinds", looks, mapKinds),
	flawedStore{"does not find work", "Claim of a store without work returns no items and no error", func(b *bundle) {
		claim := b.work.claim
		b.work.claim = func(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) ([]ports.WorkItem, error) {
			got, err := claim(ctx, kind, now, lease, n)
			if len(got) == 0 && err == nil {
				return nil, errcodes.New(errcodes.NotFound, "")
			}
			return got, err
		}
	}},
	flawedStore{"keeps due times in seconds", "an item is claimed as it was saved",
		eachItem(func(w *ports.WorkItem) { w.DueAt = w.DueAt.Truncate(time.Second) })},
	flawedStore{"counts attempts from 0", "an item is claimed as it was saved", eachItem(func(w *ports.WorkItem) { w.Attempt-- })},
	flawedStore{"stops at a NUL in a payload", "a payload of any bytes is returned unchanged", eachItem(func(w *ports.WorkItem) {
		w.Payload, _, _ = bytes.Cut(w.Payload, []byte{0})
	})},
	flawedStore{"keeps the payload passed in", "changing a payload outside the store does not change the store", func(b *bundle) {
		kept := map[string][]byte{}
		onSave(b, func(c *ports.RateLockChange) {
			for _, w := range c.Work {
				kept[w.ID] = w.Payload
			}
		})
		eachItem(func(w *ports.WorkItem) { w.Payload = kept[w.ID] })(b)
	}},
	flawedStore{"returns items too early", "an item is claimed when it is due, not before", dueBy(time.Millisecond)},
	flawedStore{"returns items too late", "an item is claimed when it is due, not before", dueBy(-time.Millisecond)},
	flawedStore{"orders items by id", "the item due first is claimed first", func(b *bundle) {
		onItems(b, func(got []ports.WorkItem) []ports.WorkItem {
			slices.SortFunc(got, func(x, y ports.WorkItem) int { return strings.Compare(x.ID, y.ID) })
			return got
		})
	}},
	flawedStore{"orders items by their saves", "the item due first is claimed first", func(b *bundle) {
		onSave(b, func(c *ports.RateLockChange) {
			for i := range c.Work {
				c.Work[i].DueAt = c.Work[i].DueAt.Truncate(time.Hour)
			}
		})
	}},
)

var itemClaimFlaws = append(claimFlaws("items", "an item"),
	flawedStore{"returns done items", "a done item is never claimed again", func(b *bundle) {
		b.work.done = func(ctx context.Context, w ports.WorkItem) error { return b.work.retry(ctx, w, w.DueAt) }
	}},
	flawedStore{"returns buried items", "a buried item is never claimed again", func(b *bundle) {
		b.work.bury = func(ctx context.Context, w ports.WorkItem, _ string) error {
			return b.work.retry(ctx, w, w.DueAt.AddDate(0, 0, 1))
		}
	}},
)
