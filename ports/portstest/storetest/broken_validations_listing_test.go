package storetest_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const (
	overdueOfAll   = "Overdue lists the pending validations of every owner whose deadline has passed"
	overdueOrder   = "Overdue is ordered by deadline, then id"
	overduePages   = "Overdue pages without a gap or a repeat"
	overdueEnded   = "Overdue omits ended validations"
	overdueMoves   = "changing a deadline moves the validation in Overdue"
	overdueWhole   = "a listed validation has every field"
	overdueBounds  = "a page's limit is 1 to 10,000"
	purgedDue      = "a purge removes ended validations that are due, and nothing else"
	pendingKept    = "a purge keeps pending validations, however old"
	purgedForGood  = "a purged validation is not found"
	purgersAtOnce  = "concurrent purges remove each validation once"
	purgeOfBounds  = "a purge's limit is 1 to 10,000"
	ofManyOverdues = 1000
)

type overdueQuery struct {
	by    time.Time
	after ports.Pos
	limit int
}

// asksOverdue lets fn change the arguments of Overdue.
func asksOverdue(fn func(q *overdueQuery)) func(b *bundle) {
	return func(b *bundle) {
		overdue := b.validations.overdue
		b.validations.overdue = func(ctx context.Context, by time.Time, after ports.Pos, limit int) ([]ports.ValidationRecord, error) {
			q := overdueQuery{by, after, limit}
			fn(&q)
			return overdue(ctx, q.by, q.after, q.limit)
		}
	}
}

func sortsOverdue(compare func(x, y ports.ValidationRecord) int) func(b *bundle) {
	return func(b *bundle) {
		onOverdue(b, func(page []ports.ValidationRecord) []ports.ValidationRecord {
			slices.SortFunc(page, compare)
			return page
		})
	}
}

// goesOnListing lists validations that ended with a status as they were before.
func goesOnListing(status ports.ValidationStatus) func(b *bundle) {
	return func(b *bundle) {
		var listed []ports.ValidationRecord
		onSaveValidation(func(c *ports.ValidationChange) {
			if c.Record.Status == status {
				listed = append(listed, c.Record)
			}
		})(b)
		onOverdue(b, func(page []ports.ValidationRecord) []ports.ValidationRecord { return append(page, listed...) })
	}
}

var overdueFlaws = []flawedStore{
	{"excludes the time of a deadline", overdueOfAll, asksOverdue(func(q *overdueQuery) { q.by = q.by.Add(-time.Millisecond) })},
	{"lists deadlines a millisecond early", overdueOfAll, asksOverdue(func(q *overdueQuery) { q.by = q.by.Add(time.Millisecond) })},
	{"lists one validation of an owner", overdueOfAll, func(b *bundle) {
		onOverdue(b, func(page []ports.ValidationRecord) []ports.ValidationRecord {
			seen := map[string]bool{}
			return slices.DeleteFunc(page, func(v ports.ValidationRecord) bool {
				had := seen[v.Owner]
				seen[v.Owner] = true
				return had
			})
		})
	}},
	{"orders by id", overdueOrder, sortsOverdue(func(x, y ports.ValidationRecord) int { return strings.Compare(x.ID, y.ID) })},
	{"orders equal times by descending id", overdueOrder, sortsOverdue(func(x, y ports.ValidationRecord) int {
		return cmp.Or(x.Deadline.Compare(y.Deadline), strings.Compare(y.ID, x.ID))
	})},
	{"skips equal deadlines at the end of a page", overduePages, asksOverdue(func(q *overdueQuery) {
		if q.after.ID != "" {
			q.after.ID = "\xff\xff"
		}
	})},
	{"repeats equal deadlines at the end of a page", overduePages, asksOverdue(func(q *overdueQuery) { q.after.ID = "" })},
	{"starts every page at the beginning", overduePages, asksOverdue(func(q *overdueQuery) { q.after = ports.Pos{} })},
	{"returns one more than the limit", overduePages, asksOverdue(func(q *overdueQuery) { q.limit++ })},
	{"pages by offset", overduePages, func(b *bundle) {
		overdue, seen := b.validations.overdue, 0
		b.validations.overdue = func(ctx context.Context, by time.Time, after ports.Pos, limit int) ([]ports.ValidationRecord, error) {
			if after == (ports.Pos{}) {
				seen = 0
			}
			page, err := overdue(ctx, by, ports.Pos{}, ofManyOverdues)
			page = page[min(seen, len(page)):]
			page = page[:min(limit, len(page))]
			seen += len(page)
			return page, err
		}
	}},
	{"lists verified validations", overdueEnded, goesOnListing(ports.StatusVerified)},
	{"lists mismatches", overdueEnded, goesOnListing(ports.StatusNameMismatch)},
	{"lists not_found validations", overdueEnded, goesOnListing(ports.StatusNotFound)},
	{"lists errors", overdueEnded, goesOnListing(ports.StatusError)},
	{"lists by the first deadline", overdueMoves, func(b *bundle) {
		first := map[string]ports.ValidationRecord{}
		onSaveValidation(func(c *ports.ValidationChange) {
			if _, ok := first[c.Record.ID]; !ok {
				first[c.Record.ID] = c.Record
			}
			c.Record.Deadline = first[c.Record.ID].Deadline
		})(b)
	}},
	{"lists a moved validation twice", overdueMoves, func(b *bundle) {
		var moved []ports.ValidationRecord
		onSaveValidation(func(c *ports.ValidationChange) {
			if c.Record.Version > 0 {
				moved = append(moved, c.Record)
			}
		})(b)
		onOverdue(b, func(page []ports.ValidationRecord) []ports.ValidationRecord { return append(page, moved...) })
	}},
	{"lists no tables", overdueWhole, eachOverdue(func(v *ports.ValidationRecord) { v.Tables = "" })},
	{"lists no merchants", overdueWhole, eachOverdue(func(v *ports.ValidationRecord) { v.MerchantID = "" })},
	{"lists owners as text", overdueWhole, eachOverdue(func(v *ports.ValidationRecord) { v.Owner = strings.ToValidUTF8(v.Owner, "?") })},
	{"lists the first version", overdueWhole, eachOverdue(func(v *ports.ValidationRecord) { v.Version = 1 })},
	{"treats a limit of 0 as no limit", overdueBounds, asksOverdue(func(q *overdueQuery) {
		if q.limit == 0 {
			q.limit = 10_000
		}
	})},
	{"reduces a limit to the maximum", overdueBounds, asksOverdue(func(q *overdueQuery) { q.limit = min(q.limit, 10_000) })},
	{"rejects a limit of 10,000", overdueBounds, func(b *bundle) {
		overdue := b.validations.overdue
		b.validations.overdue = func(ctx context.Context, by time.Time, after ports.Pos, limit int) ([]ports.ValidationRecord, error) {
			if limit > 9999 {
				return nil, errcodes.New(errcodes.InvalidRequest, "")
			}
			return overdue(ctx, by, after, limit)
		}
	}},
}

type purgeFunc = func(context.Context, time.Time, int) (int, error)

// purges replaces PurgeValidations with fn.
func purges(fn func(ctx context.Context, purge purgeFunc, before time.Time, n int) (int, error)) func(b *bundle) {
	return func(b *bundle) {
		purge := b.validations.purge
		b.validations.purge = func(ctx context.Context, before time.Time, n int) (int, error) {
			return fn(ctx, purge, before, n)
		}
	}
}

func purgesValidationsAt(by time.Duration) func(b *bundle) {
	return purges(func(ctx context.Context, purge purgeFunc, before time.Time, n int) (int, error) {
		return purge(ctx, before.Add(by), n)
	})
}

// purgesPending also removes pending validations.
func purgesPending(b *bundle) {
	pending := map[string]time.Time{}
	gone := map[string]bool{}
	onSaveValidation(func(c *ports.ValidationChange) {
		delete(pending, c.Record.ID)
		if c.Record.Status == ports.StatusPending {
			pending[c.Record.ID] = c.Record.PurgeAt
		}
	})(b)
	purges(func(ctx context.Context, purge purgeFunc, before time.Time, n int) (int, error) {
		for id, at := range pending {
			if !at.After(before) {
				gone[id] = true
			}
		}
		return purge(ctx, before, n)
	})(b)
	read := b.validations.read
	b.validations.read = func(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
		if gone[id] {
			return ports.ValidationRecord{}, errcodes.New(errcodes.NotFound, "")
		}
		return read(ctx, owner, id)
	}
}

var validationPurgeFlaws = []flawedStore{
	{"excludes the time of a purge", purgedDue, purgesValidationsAt(-time.Millisecond)},
	{"purges too much", purgedDue, purgesValidationsAt(time.Millisecond)},
	{"keeps validations that were pending", purgedDue, func(b *bundle) {
		onSaveValidation(func(c *ports.ValidationChange) {
			if c.Record.Version > 0 {
				c.Record.PurgeAt = c.Record.PurgeAt.AddDate(100, 0, 0)
			}
		})(b)
	}},
	{"purges more than n", bounded, purges(func(ctx context.Context, purge purgeFunc, before time.Time, n int) (int, error) {
		return purge(ctx, before, n+1)
	})},
	{"removes more than it returns", bounded, purges(func(ctx context.Context, purge purgeFunc, before time.Time, n int) (int, error) {
		got, err := purge(ctx, before, n+1)
		return min(got, n), err
	})},
	{"returns n whatever it purged", bounded, purges(func(ctx context.Context, purge purgeFunc, before time.Time, n int) (int, error) {
		_, err := purge(ctx, before, n)
		return n, err
	})},
	{"purges pending validations", pendingKept, purgesPending},
	{"still returns a purged record", purgedForGood, func(b *bundle) {
		last := map[string]ports.ValidationRecord{}
		onSaveValidation(func(c *ports.ValidationChange) { last[c.Record.ID] = c.Record })(b)
		read := b.validations.read
		b.validations.read = func(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
			v, err := read(ctx, owner, id)
			if kept, ok := last[id]; ok && errcodes.Of(err) == errcodes.NotFound {
				return kept, nil
			}
			return v, err
		}
	}},
	{"purges the events too", purgedForGood, func(b *bundle) {
		purges(func(ctx context.Context, purge purgeFunc, before time.Time, n int) (int, error) {
			got, err := purge(ctx, before, n)
			events, _ := b.outbox.claim(ctx, before, time.Minute, 10)
			for _, e := range events {
				_ = b.outbox.ack(ctx, e)
			}
			return got, err
		})(b)
	}},
	{"creates a purged validation at any version", purgedForGood, onRefused(func(_ func(ports.ValidationChange) error, c ports.ValidationChange, now ports.ValidationRecord, known bool) error {
		if known && c.Record.Version == now.Version {
			return nil
		}
		return errcodes.New(errcodes.Conflict, "")
	})},
	{"counts what concurrent calls purged", purgersAtOnce, func(b *bundle) {
		var mu sync.Mutex
		sum := 0
		purges(func(ctx context.Context, purge purgeFunc, before time.Time, n int) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			got, err := purge(ctx, before, n)
			sum += got
			return min(sum, n), err
		})(b)
	}},
	{"returns errors to concurrent purges", purgersAtOnce, func(b *bundle) {
		var mu sync.Mutex
		calls := 0
		purges(func(ctx context.Context, purge purgeFunc, before time.Time, n int) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			if calls++; calls%3 == 0 {
				return 0, errcodes.New(errcodes.StorageUnavailable, "busy")
			}
			return purge(ctx, before, n)
		})(b)
	}},
	{"accepts an n of 0", purgeOfBounds, purges(func(ctx context.Context, purge purgeFunc, before time.Time, n int) (int, error) {
		if n == 0 {
			return 0, nil
		}
		return purge(ctx, before, n)
	})},
	{"reduces n to the maximum", purgeOfBounds, purges(func(ctx context.Context, purge purgeFunc, before time.Time, n int) (int, error) {
		return purge(ctx, before, min(n, 10_000))
	})},
}
