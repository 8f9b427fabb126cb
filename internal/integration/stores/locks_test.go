package stores_test

import (
	"context"
	"errors"
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func (w *worlds) lockActions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"rate create": w.createLock, "rate current": w.currentLock, "rate get": w.getLock, "rate cancel": w.cancelLock,
		"rate use": w.useLock, "rate sweep": w.sweepLocks, "rate feed": w.moveFeed, "rate book": w.readBook,
		"rate live": w.listLive, "rate due": w.listDue, "rate save": w.saveLock,
	}
}

func (*worlds) pair(t *rapid.T) ports.Pair {
	return rapid.SampledFrom([]ports.Pair{usdZAR, usdZAR, usdZAR.Inverse()}).Draw(t, "pair")
}

func (w *worlds) createLock(t *rapid.T) {
	owner, pair := w.owner(t), w.pair(t)
	type answer struct {
		Lock   ports.RateLock
		Minted bool
	}
	got, err := same(t, w, func(ctx context.Context, w *world) (a answer, err error) {
		a.Lock, a.Minted, err = w.rates.Create(ctx, owner, pair)
		return a, err
	})
	if err == nil {
		w.locks = append(w.locks, got.Lock.ID)
	}
}

func (w *worlds) currentLock(t *rapid.T) {
	owner, pair, left := w.owner(t), w.pair(t), time.Duration(rapid.IntRange(-1, 70).Draw(t, "minutes"))*time.Minute
	l, err := same(t, w, func(ctx context.Context, w *world) (ports.RateLock, error) {
		l, _, err := w.rates.Current(ctx, owner, pair, left)
		return l, err
	})
	if err == nil {
		w.locks = append(w.locks, l.ID)
	}
}

func (w *worlds) getLock(t *rapid.T) {
	owner, id := w.owner(t), draw(t, w.locks, "lock")
	_, _ = same(t, w, func(ctx context.Context, w *world) (ports.RateLock, error) { return w.rates.Get(ctx, owner, id) })
}

func (w *worlds) cancelLock(t *rapid.T) {
	owner, id := w.owner(t), draw(t, w.locks, "lock")
	_, _ = same(t, w, func(ctx context.Context, w *world) (ports.RateLock, error) { return w.rates.Cancel(ctx, owner, id) })
}

func (w *worlds) useLock(t *rapid.T) {
	owner, id, pair := w.owner(t), draw(t, w.locks, "lock"), w.pair(t)
	_, _ = same(t, w, func(ctx context.Context, w *world) (any, error) { return w.rates.Use(ctx, owner, id, pair) })
}

// sweepLocks leaves out drift, which ends locks in no fixed order; saveLock covers those
// ends.
func (w *worlds) sweepLocks(t *rapid.T) {
	now := w.clock.Now()
	_ = agree(t, w, func(ctx context.Context, w *world) error { return w.rates.Sweep(ctx, now) })
}

func (w *worlds) moveFeed(t *rapid.T) {
	pair := w.pair(t)
	switch mid := rapid.SampledFrom([]string{"18.2500", "18.2499", "18.61", "19", "0.05", "gone", "dead"}).Draw(t, "mid"); mid {
	case "gone":
		w.feed.Drop(pair)
	case "dead":
		w.feed.Fail(errors.New("the bank is closed"))
	default:
		w.feed.Recover()
		w.feed.Set(pair, mid)
	}
}

func (w *worlds) readBook(t *rapid.T) {
	key := ports.BookKey{Owner: w.owner(t), Pair: w.pair(t)}
	_, _ = same(t, w, func(ctx context.Context, w *world) (ports.Book, error) { return w.RateLocks().Book(ctx, key) })
}

// saveLock saves at the port: the version may be wrong, the id may be taken, and the lock
// may have ended.
func (w *worlds) saveLock(t *rapid.T) {
	key := ports.BookKey{Owner: w.owner(t), Pair: w.pair(t)}
	book, err := w.all[0].RateLocks().Book(context.Background(), key)
	if err != nil {
		t.Fatal(err)
	}
	change := ports.RateLockChange{Book: book}
	change.Book.Version += int64(rapid.SampledFrom([]int{0, 0, 0, 0, -1, 1}).Draw(t, "version"))
	l := activeLock(key.Owner, rapid.SampledFrom([]string{"raw-1", "raw-2", "raw-3"}).Draw(t, "id"), w.clock.Now())
	l.Base, l.Quote = key.Pair.Base, key.Pair.Quote
	switch {
	case rapid.Bool().Draw(t, "ended"):
		l.Status, l.CancellationReason, l.EndedAt = ports.LockCancelled, ports.CancelledRequested, l.CreatedAt.Add(time.Second)
		if rapid.Bool().Draw(t, "drifted") {
			l.CancellationReason, l.ObservedMid, l.DeviationBps = ports.CancelledMarketDrift, "18.70", 246
		}
		change.Ended = []ports.RateLock{l}
	case len(book.Live()) == ports.MaxLiveLocks || !l.CreatedAt.After(book.HighWater):
		t.Skip("no room")
	default:
		change.Book.HighWater = l.CreatedAt
		change.Book.Slots[len(book.Live())] = l
		change.Minted = &l
	}
	for i, live := range change.Book.Live() {
		if live.ID == l.ID && l.Status != ports.LockActive {
			copy(change.Book.Slots[i:], change.Book.Slots[i+1:])
			change.Book.Slots[ports.MaxLiveLocks-1] = ports.RateLock{}
			break
		}
	}
	if err := agree(t, w, func(ctx context.Context, w *world) error { return w.RateLocks().Save(ctx, change) }); err == nil {
		w.locks = append(w.locks, l.ID)
	}
}

func (w *worlds) listLive(t *rapid.T) {
	q := ports.LockQuery{Pair: w.pair(t), Limit: rapid.IntRange(0, 4).Draw(t, "limit")}
	if rapid.Bool().Draw(t, "of an owner") {
		q.Pair, q.Owner = ports.Pair{}, w.owner(t)
	}
	if rapid.Bool().Draw(t, "since") {
		q.Since = w.clock.Now().Add(-time.Hour)
	}
	for range 3 {
		page, err := same(t, w, func(ctx context.Context, w *world) ([]ports.RateLock, error) { return w.RateLocks().List(ctx, q) })
		if err != nil || len(page) == 0 {
			return
		}
		last := page[len(page)-1]
		q.After = ports.Pos{At: last.CreatedAt, ID: last.ID}
	}
}

func (w *worlds) listDue(t *rapid.T) {
	q := ports.LockQuery{DueBy: w.clock.Now().Add(time.Hour), Limit: rapid.IntRange(0, 4).Draw(t, "limit")}
	for range 3 {
		page, err := same(t, w, func(ctx context.Context, w *world) ([]ports.RateLock, error) { return w.RateLocks().List(ctx, q) })
		if errcodes.Of(err) != "" || len(page) == 0 {
			return
		}
		last := page[len(page)-1]
		q.After = ports.Pos{At: last.ExpiresAt, ID: last.ID}
	}
}
