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

// onListings lets fn change both listings' pages.
func onListings(b *bundle, fn func(page []ports.RateLock) []ports.RateLock) {
	live, due := b.locks.live, b.locks.due
	b.locks.live = func(ctx context.Context, q ports.LiveQuery) ([]ports.RateLock, error) {
		page, err := live(ctx, q)
		return fn(page), err
	}
	b.locks.due = func(ctx context.Context, q ports.DueQuery) ([]ports.RateLock, error) {
		page, err := due(ctx, q)
		return fn(page), err
	}
}

// onQueries lets fn change both listings' places and limits.
func onQueries(b *bundle, fn func(after *ports.LockPos, limit *int)) {
	live, due := b.locks.live, b.locks.due
	b.locks.live = func(ctx context.Context, q ports.LiveQuery) ([]ports.RateLock, error) {
		fn(&q.After, &q.Limit)
		return live(ctx, q)
	}
	b.locks.due = func(ctx context.Context, q ports.DueQuery) ([]ports.RateLock, error) {
		fn(&q.After, &q.Limit)
		return due(ctx, q)
	}
}

func byIDOnly(b *bundle) {
	onListings(b, func(page []ports.RateLock) []ports.RateLock {
		slices.SortFunc(page, func(x, y ports.RateLock) int { return strings.Compare(x.ID, y.ID) })
		return page
	})
}

func tiesTurned(b *bundle) {
	onListings(b, func(page []ports.RateLock) []ports.RateLock {
		slices.SortFunc(page, func(x, y ports.RateLock) int {
			return cmp.Or(x.CreatedAt.Compare(y.CreatedAt), strings.Compare(y.ID, x.ID))
		})
		return page
	})
}

func skipsTies(b *bundle) {
	onQueries(b, func(after *ports.LockPos, _ *int) {
		if after.ID != "" {
			after.ID = "\xff\xff"
		}
	})
}

func repeatsTies(b *bundle) {
	onQueries(b, func(after *ports.LockPos, _ *int) { after.ID = "" })
}

func oneTooMany(b *bundle) {
	onQueries(b, func(_ *ports.LockPos, limit *int) { *limit++ })
}

// countsOffsets pages by the number of locks read so far.
func countsOffsets(b *bundle) {
	seen := 0
	live, due := b.locks.live, b.locks.due
	page := func(locks []ports.RateLock, first bool, limit int) []ports.RateLock {
		if first {
			seen = 0
		}
		locks = locks[min(seen, len(locks)):]
		locks = locks[:min(limit, len(locks))]
		seen += len(locks)
		return locks
	}
	b.locks.live = func(ctx context.Context, q ports.LiveQuery) ([]ports.RateLock, error) {
		all, err := live(ctx, ports.LiveQuery{Pair: q.Pair, Limit: 1000})
		return page(all, q.After == ports.LockPos{}, q.Limit), err
	}
	b.locks.due = func(ctx context.Context, q ports.DueQuery) ([]ports.RateLock, error) {
		all, err := due(ctx, ports.DueQuery{By: q.By, Limit: 1000})
		return page(all, q.After == ports.LockPos{}, q.Limit), err
	}
}

// listsEnded goes on listing locks that have ended.
func listsEnded(b *bundle) {
	var ended []ports.RateLock
	onSave(b, func(c *ports.RateLockChange) {
		ended = append(ended, c.Ended...)
	})
	onListings(b, func(page []ports.RateLock) []ports.RateLock { return append(page, ended...) })
}

func onSince(b *bundle, fn func(q *ports.LiveQuery)) {
	live := b.locks.live
	b.locks.live = func(ctx context.Context, q ports.LiveQuery) ([]ports.RateLock, error) {
		fn(&q)
		return live(ctx, q)
	}
}

func dueLater(by time.Duration) func(b *bundle) {
	return func(b *bundle) {
		due := b.locks.due
		b.locks.due = func(ctx context.Context, q ports.DueQuery) ([]ports.RateLock, error) {
			q.By = q.By.Add(by)
			return due(ctx, q)
		}
	}
}

const (
	ofPair    = "Live lists the active locks of the pair, of every owner"
	livePages = "Live pages without a gap or a repeat"
	duePages  = "Due pages without a gap or a repeat"
	sinceIs   = "Live takes Since to include its instant"
	dueOfAll  = "Due lists the active locks of every pair that expire by the instant"
)

var listingSaboteurs = []saboteur{
	{"lists the inverse pair's locks as well", ofPair, func(b *bundle) {
		live := b.locks.live
		b.locks.live = func(ctx context.Context, q ports.LiveQuery) ([]ports.RateLock, error) {
			page, err := live(ctx, q)
			q.Pair = q.Pair.Inverse()
			more, moreErr := live(ctx, q)
			return append(page, more...), errors.Join(err, moreErr)
		}
	}},
	{"lists one lock of an owner", ofPair, func(b *bundle) {
		onListings(b, func(page []ports.RateLock) []ports.RateLock {
			seen := map[string]bool{}
			return slices.DeleteFunc(page, func(l ports.RateLock) bool {
				had := seen[l.Owner]
				seen[l.Owner] = true
				return had
			})
		})
	}},
	{"orders Live by id", "Live is ordered by creation, then id", byIDOnly},
	{"orders ties of Live backwards", "Live is ordered by creation, then id", tiesTurned},
	{"skips ties between pages of Live", livePages, skipsTies},
	{"repeats ties between pages of Live", livePages, repeatsTies},
	{"counts offsets in Live", livePages, countsOffsets},
	{"gives one lock too many in Live", livePages, oneTooMany},
	{"leaves out the instant of Since", sinceIs, func(b *bundle) {
		onSince(b, func(q *ports.LiveQuery) { q.Since = q.Since.Add(time.Millisecond) })
	}},
	{"forgets Since on later pages", sinceIs, func(b *bundle) {
		onSince(b, func(q *ports.LiveQuery) {
			if !q.After.At.IsZero() {
				q.Since = time.Time{}
			}
		})
	}},
	{"forgets After when there is Since", sinceIs, func(b *bundle) {
		onSince(b, func(q *ports.LiveQuery) { q.After = ports.LockPos{} })
	}},
	{"leaves out the instant of Due", dueOfAll, dueLater(-time.Millisecond)},
	{"is early with Due", dueOfAll, dueLater(time.Millisecond)},
	{"lists one pair in Due", dueOfAll, func(b *bundle) {
		onListings(b, func(page []ports.RateLock) []ports.RateLock {
			return slices.DeleteFunc(page, func(l ports.RateLock) bool { return l.Pair() != page[0].Pair() })
		})
	}},
	{"orders Due by id", "Due is ordered by expiry, then id", byIDOnly},
	{"orders ties of Due backwards", "Due is ordered by expiry, then id", tiesTurned},
	{"skips ties between pages of Due", duePages, skipsTies},
	{"repeats ties between pages of Due", duePages, repeatsTies},
	{"counts offsets in Due", duePages, countsOffsets},
	{"gives one lock too many in Due", duePages, oneTooMany},
	{"lists ended locks", "an ended lock leaves the listings", listsEnded},
	{"lists half a lock", "a listed lock has every field", func(b *bundle) {
		onListings(b, func(page []ports.RateLock) []ports.RateLock {
			for i := range page {
				page[i].AllInRate = ""
			}
			return page
		})
	}},
}

const (
	lost = "a lost acknowledgement is an unknown outcome, and the change whole or absent"
	full = "a full store says so, stores nothing, and goes on when there is room"
)

// saves replaces Save.
func saves(fn func(save func(context.Context, ports.RateLockChange) error, ctx context.Context, c ports.RateLockChange) error) func(b *bundle) {
	return func(b *bundle) {
		save := b.locks.save
		b.locks.save = func(ctx context.Context, c ports.RateLockChange) error { return fn(save, ctx, c) }
	}
}

type saveFunc = func(context.Context, ports.RateLockChange) error

var outcomeSaboteurs = append(commonSaboteurs("a context that is done gives its own code and stores nothing"),
	saboteur{"takes a lost acknowledgement for success", lost, saves(func(save saveFunc, ctx context.Context, c ports.RateLockChange) error {
		if err := save(ctx, c); errcodes.Of(err) != errcodes.OutcomeUnknown {
			return err
		}
		return nil
	})},
	saboteur{"takes a lost acknowledgement for a failure", lost, saves(func(save saveFunc, ctx context.Context, c ports.RateLockChange) error {
		return broken.Recode(save(ctx, c), errcodes.OutcomeUnknown, errcodes.StorageUnavailable)
	})},
	saboteur{"stores half of a change whose acknowledgement is lost", lost, func(b *bundle) {
		lose, half := b.lose, false
		b.lose = func() { half = true; lose() }
		onSave(b, func(c *ports.RateLockChange) {
			if half {
				c.Events = nil
			}
			half = false
		})
	}},
	saboteur{"calls a full store internal", full, saves(func(save saveFunc, ctx context.Context, c ports.RateLockChange) error {
		return broken.Recode(save(ctx, c), errcodes.StorageUnavailable, errcodes.Internal)
	})},
	saboteur{"stores the events in a full store", full, func(b *bundle) {
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
	saboteur{"stays full", full, func(b *bundle) {
		fill := b.fill
		b.fill = func() func() { fill(); return func() {} }
	}},
	saboteur{"forgets rate locks", "a store that is opened again has everything", forgets},
)
