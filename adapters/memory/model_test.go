package memory_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// lockModel is the store with plain slices: every method walks through all locks.
type lockModel struct {
	books []ports.Book
	locks []ports.RateLock
}

func (m *lockModel) book(k ports.BookKey) ports.Book {
	i := slices.IndexFunc(m.books, func(b ports.Book) bool { return b.Key == k })
	if i < 0 {
		return ports.Book{Key: k}
	}
	return m.books[i]
}

func (m *lockModel) save(c ports.RateLockChange) errcodes.Code {
	if c.Book.Version < 0 {
		return errcodes.CorruptRecord
	}
	if m.book(c.Book.Key).Version != c.Book.Version {
		return errcodes.Conflict
	}
	if c.Minted != nil && m.index(c.Minted.ID) >= 0 || twice(c.Ended) {
		return errcodes.Conflict
	}
	for _, l := range c.Ended {
		if i := m.index(l.ID); i < 0 || m.locks[i].Status != ports.LockActive || m.locks[i].Book() != l.Book() {
			return errcodes.Conflict
		}
	}
	m.books = slices.DeleteFunc(m.books, func(b ports.Book) bool { return b.Key == c.Book.Key })
	c.Book.Version++
	m.books = append(m.books, c.Book)
	changed := slices.Clone(c.Ended)
	if c.Minted != nil {
		changed = append(changed, *c.Minted)
	}
	for _, l := range changed {
		m.locks = slices.DeleteFunc(m.locks, func(old ports.RateLock) bool { return old.ID == l.ID })
		m.locks = append(m.locks, l)
	}
	return ""
}

func twice(locks []ports.RateLock) bool {
	for i := range locks {
		if slices.ContainsFunc(locks[:i], func(l ports.RateLock) bool { return l.ID == locks[i].ID }) {
			return true
		}
	}
	return false
}

func (m *lockModel) index(id string) int {
	return slices.IndexFunc(m.locks, func(l ports.RateLock) bool { return l.ID == id })
}

// list returns up to limit locks that keep accepts, ordered by at and id: those that follow
// the position after.
func (m *lockModel) list(keep func(ports.RateLock) bool, at func(ports.RateLock) time.Time, after ports.Pos, limit int) []ports.RateLock {
	place := func(l ports.RateLock) ports.Pos { return ports.Pos{At: at(l), ID: l.ID} }
	var found []ports.RateLock
	for _, l := range m.locks {
		if keep(l) && compare(place(l), after) > 0 {
			found = append(found, l)
		}
	}
	slices.SortFunc(found, func(a, b ports.RateLock) int { return compare(place(a), place(b)) })
	return found[:min(limit, len(found))]
}

func compare(a, b ports.Pos) int {
	return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID))
}

// Values are drawn from small sets, so that they collide.
func drawKey(t *rapid.T) ports.BookKey {
	return ports.BookKey{
		Owner: rapid.SampledFrom([]string{"acme", "ACME", ""}).Draw(t, "owner"),
		Pair:  rapid.SampledFrom([]ports.Pair{usdZAR, usdZAR.Inverse()}).Draw(t, "pair"),
	}
}

func drawTime(t *rapid.T, label string) time.Time {
	return start.Add(time.Duration(rapid.IntRange(0, 8).Draw(t, label)) * time.Millisecond)
}

func drawPos(t *rapid.T) ports.Pos {
	if rapid.Bool().Draw(t, "from the start") {
		return ports.Pos{}
	}
	return ports.Pos{At: drawTime(t, "after"), ID: drawID(t)}
}

func drawID(t *rapid.T) string { return fmt.Sprint("lock-", rapid.IntRange(0, 12).Draw(t, "id")) }

func drawChange(t *rapid.T, m *lockModel) ports.RateLockChange {
	b := m.book(drawKey(t))
	if rapid.IntRange(0, 5).Draw(t, "stale") == 0 {
		b.Version += int64(rapid.IntRange(-1, 1).Draw(t, "off by"))
	}
	var c ports.RateLockChange
	if live := b.Live(); len(live) > 0 && rapid.Bool().Draw(t, "end") {
		ended := live[0]
		ended.Status, ended.EndedAt = ports.LockExpired, ended.ExpiresAt
		b.Slots[0], b.Slots[1] = b.Slots[1], ports.RateLock{}
		c.Ended = append(c.Ended, ended)
	}
	if n := len(b.Live()); n < len(b.Slots) && rapid.Bool().Draw(t, "mint") {
		l := lockOf(b.Key, drawID(t), drawTime(t, "created"))
		if !l.CreatedAt.After(b.HighWater) {
			l.CreatedAt = b.HighWater.Add(time.Millisecond)
		}
		l.ExpiresAt = l.CreatedAt.Add(time.Duration(rapid.IntRange(1, 9).Draw(t, "life")) * time.Millisecond)
		b.Slots[n], b.HighWater = l, l.CreatedAt
		c.Minted = &l
	}
	if again, ok := drawEnded(t, m, b.Key); ok {
		c.Ended = append(c.Ended, again)
	}
	c.Book = b
	return c
}

// drawEnded sometimes draws a lock of the book that has already ended, unchanged or
// with another end.
func drawEnded(t *rapid.T, m *lockModel, k ports.BookKey) (ports.RateLock, bool) {
	var ended []ports.RateLock
	for _, l := range m.locks {
		if l.Book() == k && l.Status != ports.LockActive {
			ended = append(ended, l)
		}
	}
	if len(ended) == 0 || rapid.IntRange(0, 3).Draw(t, "end again") > 0 {
		return ports.RateLock{}, false
	}
	l := rapid.SampledFrom(ended).Draw(t, "ended")
	switch l.ObservedMid, l.DeviationBps = "", 0; rapid.IntRange(0, 2).Draw(t, "as") {
	case 1:
		l.Status, l.CancellationReason, l.EndedAt = ports.LockCancelled, ports.CancelledRequested, l.CreatedAt
	case 2:
		l.Status, l.CancellationReason, l.EndedAt = ports.LockCancelled, ports.CancelledMarketDrift, l.CreatedAt
		l.ObservedMid, l.DeviationBps = "18.00", -270
	}
	return l, true
}

func TestRateLocksAgreeWithSlices(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		locks, m := newStore(t).RateLocks(), &lockModel{}
		ctx := context.Background()
		rt.Repeat(map[string]func(*rapid.T){
			"save": func(rt *rapid.T) {
				c := drawChange(rt, m)
				if got, want := errcodes.Of(locks.Save(ctx, c)), m.save(c); got != want {
					rt.Fatalf("Save: %q, want %q", got, want)
				}
			},
			"live": func(rt *rapid.T) {
				q := ports.LockQuery{Pair: drawKey(rt).Pair, After: drawPos(rt), Limit: rapid.IntRange(1, 4).Draw(rt, "limit")}
				if rapid.Bool().Draw(rt, "since at all") {
					q.Since = drawTime(rt, "since")
				}
				got, err := locks.List(ctx, q)
				same(rt, err, got, m.list(
					func(l ports.RateLock) bool {
						return l.Status == ports.LockActive && l.Pair() == q.Pair && !l.CreatedAt.Before(q.Since)
					},
					func(l ports.RateLock) time.Time { return l.CreatedAt }, q.After, q.Limit))
			},
			"owner": func(rt *rapid.T) {
				owner := rapid.SampledFrom([]string{"acme", "ACME"}).Draw(rt, "owner")
				q := ports.LockQuery{Owner: owner, Since: drawTime(rt, "since"), After: drawPos(rt), Limit: rapid.IntRange(1, 4).Draw(rt, "limit")}
				got, err := locks.List(ctx, q)
				same(rt, err, got, m.list(
					func(l ports.RateLock) bool { return l.Owner == owner && !l.CreatedAt.Before(q.Since) },
					func(l ports.RateLock) time.Time { return l.CreatedAt }, q.After, q.Limit))
			},
			"due": func(rt *rapid.T) {
				q := ports.LockQuery{DueBy: drawTime(rt, "by"), After: drawPos(rt), Limit: rapid.IntRange(1, 4).Draw(rt, "limit")}
				got, err := locks.List(ctx, q)
				same(rt, err, got, m.list(
					func(l ports.RateLock) bool { return l.Status == ports.LockActive && !l.ExpiresAt.After(q.DueBy) },
					func(l ports.RateLock) time.Time { return l.ExpiresAt }, q.After, q.Limit))
			},
			"lock": func(rt *rapid.T) {
				owner, id := drawKey(rt).Owner, drawID(rt)
				l, b, err := locks.Lock(ctx, owner, id)
				i := m.index(id)
				if i < 0 || m.locks[i].Owner != owner {
					if errcodes.Of(err) != errcodes.NotFound {
						rt.Fatalf("Lock of nothing: %v", err)
					}
					return
				}
				same(rt, err, []ports.RateLock{l}, []ports.RateLock{m.locks[i]})
				same(rt, nil, []ports.Book{b}, []ports.Book{m.book(l.Book())})
			},
			"book": func(rt *rapid.T) {
				k := drawKey(rt)
				b, err := locks.Book(ctx, k)
				same(rt, err, []ports.Book{b}, []ports.Book{m.book(k)})
			},
		})
	})
}

func same[T comparable](t *rapid.T, err error, got, want []T) {
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("%v\n got %+v\nwant %+v", err, got, want)
	}
}
