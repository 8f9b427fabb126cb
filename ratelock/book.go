package ratelock

import (
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Book contains the live locks of one owner and pair, and enforces that there are at most
// two. It does no I/O: callers pass time and ids, and save the result of [Book.Change] by
// compare-and-swap.
type Book struct {
	rec    ports.Book
	ended  []ports.RateLock
	minted bool // the last slot was minted since the book was restored
	raise  []raised
}

// raised is an event of the change.
type raised struct {
	kind string
	lock ports.RateLock
	at   time.Time
}

var (
	errNotFound = errcodes.Wrap(errcodes.NotFound, "No such rate lock", errcodes.RateLockNotFound)
	errFull     = errcodes.New(errcodes.Conflict, "The pair has two live locks")
)

// RestoreBook returns the book of a record, or [errcodes.CorruptRecord] if this package
// cannot have written the record.
func RestoreBook(rec ports.Book) (*Book, error) {
	b := &Book{rec: rec}
	if err := rec.Check(); err != nil {
		return nil, err
	}
	live := rec.Live()
	for i := range live {
		if err := live[i].Check(); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// DecisionTime returns the time of the book's next decision: now, to the millisecond, or
// the book's HighWater if that is later.
func (b *Book) DecisionTime(now time.Time) time.Time { return decisionTime(&b.rec, now) }

func decisionTime(rec *ports.Book, now time.Time) time.Time {
	now = ports.Millis(now)
	if now.Before(rec.HighWater) {
		return rec.HighWater
	}
	return now
}

// freshest sets AsOf of the locks in a checked record that are valid at the given time,
// and returns the last one, which is the latest, and their number.
func freshest(rec *ports.Book, at time.Time) (best *ports.RateLock, n int) {
	for i := range rec.Slots {
		if l := &rec.Slots[i]; l.ID != "" && at.Before(l.ExpiresAt) {
			l.AsOf = at
			best = l
			n++
		}
	}
	return best, n
}

// overdue reports whether a lock in the record has passed its ExpiresAt.
func overdue(rec *ports.Book, at time.Time) bool {
	for i := range rec.Slots {
		if l := &rec.Slots[i]; l.ID != "" && !live(l, at) {
			return true
		}
	}
	return false
}

// Expire ends every lock that has passed its ExpiresAt, and reports whether there was one.
// It returns no error for a book made by RestoreBook.
func (b *Book) Expire(now time.Time) (bool, error) {
	at := b.DecisionTime(now)
	before := b.rec // a copy, because end moves the slots
	for _, l := range before.Live() {
		if live(&l, at) {
			continue
		}
		if err := b.end(l.ID, OnTime, l.ExpiresAt, at, nil); err != nil {
			return true, err
		}
	}
	return len(before.Live()) != len(b.rec.Live()), nil
}

// Mint adds a lock with the id, the price and the terms, and returns it. The caller must
// call Expire first. Mint returns [errcodes.Conflict] if the book is full, and
// [errcodes.InvalidRequest] if price.Mid is not a rate.
//
// Only Mint raises HighWater and with it CreatedAt, by at least 1 ms for each lock, also
// if the clock stands still or goes back.
func (b *Book) Mint(now time.Time, id string, terms Terms, price ports.Price) (ports.RateLock, error) {
	slots := b.rec.Live()
	if len(slots) == ports.MaxLiveLocks {
		return ports.RateLock{}, errFull
	}
	row, _ := transitions.Next("", OnMint) // it is in the table
	allIn, err := ports.AllInRate(price.Mid, terms.MarkupBps)
	if err != nil {
		return ports.RateLock{}, err
	}
	at := b.DecisionTime(now)
	if !at.After(b.rec.HighWater) {
		at = b.rec.HighWater.Add(time.Millisecond)
	}
	l := ports.RateLock{
		ID: id, Owner: b.rec.Key.Owner, Base: b.rec.Key.Pair.Base, Quote: b.rec.Key.Pair.Quote,
		MidRate: price.Mid, MarkupBps: terms.MarkupBps, AllInRate: allIn,
		MidSource: price.Source, MidAt: ports.Millis(price.At), ToleranceBps: terms.ToleranceBps,
		CreatedAt: at, ExpiresAt: at.Add(terms.Validity),
		Status: row.To, AsOf: at,
	}
	b.rec.HighWater = at
	b.rec.Slots[len(slots)] = l
	b.minted = true
	b.raise = append(b.raise, raised{row.Event, l, at})
	return l, nil
}

// Cancel ends a live lock at the client's request. The caller must call Expire first.
// Cancel returns [errcodes.NotFound] if the lock is not in the book.
func (b *Book) Cancel(now time.Time, id string) error {
	at := b.DecisionTime(now)
	return b.end(id, OnCancel, at, at, nil)
}

// Drift ends a live lock because the market has moved to the mid observed, which deviates
// from the lock's mid by bps basis points. It returns the errors of Cancel.
func (b *Book) Drift(now time.Time, id, observed string, bps int64) error {
	at := b.DecisionTime(now)
	return b.end(id, OnDrift, at, at, func(l *ports.RateLock) {
		l.ObservedMid, l.DeviationBps = observed, bps
	})
}

// end moves the lock out of the slots and into the change.
func (b *Book) end(id string, on Trigger, endedAt, decided time.Time, note func(*ports.RateLock)) error {
	slots := b.rec.Live()
	for i := range slots {
		if slots[i].ID != id {
			continue
		}
		l := slots[i]
		row, err := end(&l, on, endedAt)
		if err != nil {
			return err
		}
		if note != nil {
			note(&l)
		}
		b.ended = append(b.ended, l)
		b.raise = append(b.raise, raised{row.Event, l, decided})
		copy(slots[i:], slots[i+1:])
		slots[len(slots)-1] = ports.RateLock{}
		return nil
	}
	return errNotFound
}

// Find returns the lock with the id if it is live, or has ended since RestoreBook.
func (b *Book) Find(id string) (ports.RateLock, bool) {
	for _, list := range [][]ports.RateLock{b.rec.Live(), b.ended} {
		for _, l := range list {
			if l.ID == id {
				return l, true
			}
		}
	}
	return ports.RateLock{}, false
}

// Change returns the change to save, with the version that was restored, and reports
// whether there is one.
func (b *Book) Change() (ports.RateLockChange, bool) {
	if len(b.raise) == 0 {
		return ports.RateLockChange{}, false
	}
	change := ports.RateLockChange{Book: b.rec, Ended: b.ended}
	if live := b.rec.Live(); b.minted && len(live) > 0 {
		minted := live[len(live)-1]
		change.Minted = &minted
	}
	for i := range b.raise {
		change.Events = append(change.Events, event(&b.raise[i]))
	}
	return change, true
}
