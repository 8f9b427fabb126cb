package storetest_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

// onListings lets fn change the pages of listings.
func onListings(b *bundle, fn func(q ports.LockQuery, page []ports.RateLock) []ports.RateLock) {
	list := b.locks.list
	b.locks.list = func(ctx context.Context, q ports.LockQuery) ([]ports.RateLock, error) {
		page, err := list(ctx, q)
		return fn(q, page), err
	}
}

// onPages is onListings for all queries.
func onPages(fn func(page []ports.RateLock) []ports.RateLock) func(b *bundle) {
	return func(b *bundle) {
		onListings(b, func(_ ports.LockQuery, page []ports.RateLock) []ports.RateLock { return fn(page) })
	}
}

// onQueries lets fn change the queries of listings.
func onQueries(fn func(q *ports.LockQuery)) func(b *bundle) {
	return func(b *bundle) {
		list := b.locks.list
		b.locks.list = func(ctx context.Context, q ports.LockQuery) ([]ports.RateLock, error) {
			fn(&q)
			return list(ctx, q)
		}
	}
}

var byIDOnly = onPages(func(page []ports.RateLock) []ports.RateLock {
	slices.SortFunc(page, func(x, y ports.RateLock) int { return strings.Compare(x.ID, y.ID) })
	return page
})

var tiesTurned = onPages(func(page []ports.RateLock) []ports.RateLock {
	slices.SortFunc(page, func(x, y ports.RateLock) int {
		return cmp.Or(x.CreatedAt.Compare(y.CreatedAt), strings.Compare(y.ID, x.ID))
	})
	return page
})

var skipsTies = onQueries(func(q *ports.LockQuery) {
	if q.After.ID != "" {
		q.After.ID = "\xff\xff"
	}
})

var repeatsTies = onQueries(func(q *ports.LockQuery) { q.After.ID = "" })

var oneTooMany = onQueries(func(q *ports.LockQuery) { q.Limit++ })

// countsOffsets pages by the number of locks read so far.
func countsOffsets(b *bundle) {
	seen := 0
	list := b.locks.list
	b.locks.list = func(ctx context.Context, q ports.LockQuery) ([]ports.RateLock, error) {
		if (q.After == ports.Pos{}) {
			seen = 0
		}
		limit := q.Limit
		q.After, q.Limit = ports.Pos{}, 1000
		locks, err := list(ctx, q)
		locks = locks[min(seen, len(locks)):]
		locks = locks[:min(limit, len(locks))]
		seen += len(locks)
		return locks, err
	}
}

// listsEnded also lists ended locks.
func listsEnded(b *bundle) {
	var ended []ports.RateLock
	onSave(b, func(c *ports.RateLockChange) { ended = append(ended, c.Ended...) })
	onPages(func(page []ports.RateLock) []ports.RateLock { return append(page, ended...) })(b)
}

func dueLater(by time.Duration) func(b *bundle) {
	return onQueries(func(q *ports.LockQuery) { q.DueBy = q.DueBy.Add(by) })
}

// takesQueries accepts queries of no listing or with a limit out of bounds.
func takesQueries(mend func(q *ports.LockQuery)) func(b *bundle) {
	return func(b *bundle) {
		list := b.locks.list
		b.locks.list = func(ctx context.Context, q ports.LockQuery) ([]ports.RateLock, error) {
			page, err := list(ctx, q)
			if errcodes.Of(err) == errcodes.InvalidRequest {
				mend(&q)
				return list(ctx, q)
			}
			return page, err
		}
	}
}

const (
	ofPair     = "a pair's listing has its active locks, of every owner"
	pairOrder  = "a pair's listing is ordered by creation, then id"
	pairPages  = "a pair's listing pages without a gap or a repeat"
	sinceIs    = "Since is included"
	dueOfAll   = "the listing of due locks has the active locks of every pair that expire by the time"
	dueOrder   = "the listing of due locks is ordered by expiry, then id"
	duePages   = "the listing of due locks pages without a gap or a repeat"
	ofOwner    = "an owner's listing has all of its locks, of every pair and status"
	ownerOrder = "an owner's listing is ordered by creation, then id"
	ownerPages = "an owner's listing pages without a gap or a repeat"
	listBounds = "a query selects one listing and has a limit of 1 to 10,000"
)

var listingFlaws = []flawedStore{
	{"lists the inverse pair's locks too", ofPair, func(b *bundle) {
		list := b.locks.list
		b.locks.list = func(ctx context.Context, q ports.LockQuery) ([]ports.RateLock, error) {
			page, err := list(ctx, q)
			q.Pair = q.Pair.Inverse()
			more, moreErr := list(ctx, q)
			return append(page, more...), errors.Join(err, moreErr)
		}
	}},
	{"lists one lock of an owner", ofPair, onPages(func(page []ports.RateLock) []ports.RateLock {
		seen := map[string]bool{}
		return slices.DeleteFunc(page, func(l ports.RateLock) bool {
			had := seen[l.Owner]
			seen[l.Owner] = true
			return had
		})
	})},
	{"orders a pair's listing by id", pairOrder, byIDOnly},
	{"orders ties of a pair's listing backwards", pairOrder, tiesTurned},
	{"skips ties between pages of a pair", pairPages, skipsTies},
	{"repeats ties between pages of a pair", pairPages, repeatsTies},
	{"counts offsets in a pair's listing", pairPages, countsOffsets},
	{"lists one lock of a pair too many", pairPages, oneTooMany},
	{"excludes Since", sinceIs, onQueries(func(q *ports.LockQuery) { q.Since = q.Since.Add(time.Millisecond) })},
	{"forgets Since on later pages", sinceIs, onQueries(func(q *ports.LockQuery) {
		if !q.After.At.IsZero() {
			q.Since = time.Time{}
		}
	})},
	{"forgets After when there is Since", sinceIs, onQueries(func(q *ports.LockQuery) { q.After = ports.Pos{} })},
	{"forgets Since of an owner", sinceIs, onQueries(func(q *ports.LockQuery) {
		if q.Owner != "" {
			q.Since = time.Time{}
		}
	})},
	{"excludes DueBy", dueOfAll, dueLater(-time.Millisecond)},
	{"lists locks before they are due", dueOfAll, dueLater(time.Millisecond)},
	{"lists the due locks of one pair", dueOfAll, onPages(func(page []ports.RateLock) []ports.RateLock {
		return slices.DeleteFunc(page, func(l ports.RateLock) bool { return l.Pair() != page[0].Pair() })
	})},
	{"orders due locks by id", dueOrder, byIDOnly},
	{"orders ties of due locks backwards", dueOrder, tiesTurned},
	{"skips ties between pages of due locks", duePages, skipsTies},
	{"repeats ties between pages of due locks", duePages, repeatsTies},
	{"counts offsets in the due locks", duePages, countsOffsets},
	{"lists one due lock too many", duePages, oneTooMany},
	{"lists one pair of an owner", ofOwner, onPages(func(page []ports.RateLock) []ports.RateLock {
		return slices.DeleteFunc(page, func(l ports.RateLock) bool { return l.Pair() != page[0].Pair() })
	})},
	{"lists only an owner's active locks", ofOwner, onPages(func(page []ports.RateLock) []ports.RateLock {
		return slices.DeleteFunc(page, func(l ports.RateLock) bool { return l.Status != ports.LockActive })
	})},
	{"lists the locks of a look-alike owner", ofOwner, onQueries(func(q *ports.LockQuery) { q.Owner = strings.TrimSpace(q.Owner) })},
	{"lists an owner without regard to case", ofOwner, onQueries(func(q *ports.LockQuery) { q.Owner = strings.ToLower(q.Owner) })},
	{"orders an owner's listing by id", ownerOrder, byIDOnly},
	{"orders ties of an owner's listing backwards", ownerOrder, tiesTurned},
	{"skips ties between pages of an owner", ownerPages, skipsTies},
	{"repeats ties between pages of an owner", ownerPages, repeatsTies},
	{"lists one lock of an owner too many", ownerPages, oneTooMany},
	{"lists ended locks", "an ended lock leaves the listings of active locks", listsEnded},
	{"lists half a lock", "a listed lock has every field", onPages(func(page []ports.RateLock) []ports.RateLock {
		for i := range page {
			page[i].AllInRate = ""
		}
		return page
	})},
	{"lists an ended lock as it was minted", "a listed lock has every field", onPages(func(page []ports.RateLock) []ports.RateLock {
		for i := range page {
			page[i].Status, page[i].CancellationReason, page[i].EndedAt = ports.LockActive, "", time.Time{}
			page[i].ObservedMid, page[i].DeviationBps = "", 0
		}
		return page
	})},
	{"accepts any limit", listBounds, takesQueries(func(q *ports.LockQuery) { q.Limit = 1 })},
	{"accepts a query of two listings", listBounds, takesQueries(func(q *ports.LockQuery) {
		if q.Pair != (ports.Pair{}) {
			*q = ports.LockQuery{Pair: q.Pair, Limit: q.Limit}
		}
	})},
	{"accepts a query of no listing", listBounds, takesQueries(func(q *ports.LockQuery) {
		if *q == (ports.LockQuery{Limit: 1}) {
			q.Owner = "acme"
		}
	})},
	{"ignores Since with DueBy", listBounds, takesQueries(func(q *ports.LockQuery) { q.Since = time.Time{} })},
}

const (
	lost = "a lost acknowledgement returns OutcomeUnknown, and the change is whole or absent"
	full = "a full store returns StorageUnavailable, stores nothing, and works when there is room"
)

// saves replaces Save.
func saves(fn func(save func(context.Context, ports.RateLockChange) error, ctx context.Context, c ports.RateLockChange) error) func(b *bundle) {
	return func(b *bundle) {
		save := b.locks.save
		b.locks.save = func(ctx context.Context, c ports.RateLockChange) error { return fn(save, ctx, c) }
	}
}

type saveFunc = func(context.Context, ports.RateLockChange) error

var outcomeFlaws = append(commonFlaws("a done context returns its code and stores nothing"),
	flawedStore{"reports a lost acknowledgement as success", lost, saves(func(save saveFunc, ctx context.Context, c ports.RateLockChange) error {
		if err := save(ctx, c); errcodes.Of(err) != errcodes.OutcomeUnknown {
			return err
		}
		return nil
	})},
	flawedStore{"reports a lost acknowledgement as a failure", lost, saves(func(save saveFunc, ctx context.Context, c ports.RateLockChange) error {
		return broken.Recode(save(ctx, c), errcodes.OutcomeUnknown, errcodes.StorageUnavailable)
	})},
	flawedStore{"stores half of a change whose acknowledgement is lost", lost, func(b *bundle) {
		lose, half := b.lose, false
		b.lose = func() { half = true; lose() }
		onSave(b, func(c *ports.RateLockChange) {
			if half {
				c.Events = nil
			}
			half = false
		})
	}},
	flawedStore{"calls a full store internal", full, saves(func(save saveFunc, ctx context.Context, c ports.RateLockChange) error {
		return broken.Recode(save(ctx, c), errcodes.StorageUnavailable, errcodes.Internal)
	})},
	flawedStore{"stores the events in a full store", full, func(b *bundle) {
		fill := b.fill
		b.fill = func() func() {
			empty := fill()
			return func() {
				empty()
				stray := ports.Event{ID: "stray", Key: "stray"}
				if err := b.locks.save(context.Background(), ports.RateLockChange{Book: ports.Book{Key: ports.BookKey{Owner: "stray"}}, Events: []ports.Event{stray}}); err != nil {
					panic(err)
				}
			}
		}
	}},
	flawedStore{"stays full", full, func(b *bundle) {
		fill := b.fill
		b.fill = func() func() { fill(); return func() {} }
	}},
	flawedStore{"forgets rate locks", "a reopened store has everything", forgets},
)
