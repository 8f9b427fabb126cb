package ports

import (
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// Check returns [errcodes.CorruptRecord], which names the field, for a record that
// no rate lock can have: storage is no way around a rule (I4 to I7). Times are
// compared to the millisecond, as stores keep them. Owner may be any text, and so
// may MidSource and ObservedMid; MidAt and ToleranceBps are not looked at.
func (l *RateLock) Check() error {
	if flaw := l.flaw(); flaw != "" {
		return corrupt("a rate lock's " + flaw)
	}
	return nil
}

// flaw says what is wrong with the record, "" for nothing.
func (l *RateLock) flaw() string {
	drifted := l.CancellationReason == CancelledMarketDrift
	switch {
	case l.ID == "":
		return "id is empty"
	case l.Base == "" || l.Quote == "" || l.Base == l.Quote:
		return "base and quote are not two currencies"
	case l.CreatedAt.UnixMilli() >= l.ExpiresAt.UnixMilli():
		return "expiresAt is not after createdAt"
	case l.Status != LockActive && l.Status != LockExpired && l.Status != LockCancelled:
		return "status is unknown"
	case (l.Status == LockCancelled) != (drifted || l.CancellationReason == CancelledRequested) ||
		l.Status != LockCancelled && l.CancellationReason != "":
		return "cancellationReason does not fit its status"
	case !l.endFits():
		return "endedAt does not fit its status"
	case drifted != (l.ObservedMid != ""):
		return "observedMid does not fit its cancellationReason"
	case !drifted && l.DeviationBps != 0:
		return "deviationBps does not fit its cancellationReason"
	case !l.priced():
		return "allInRate is not its midRate plus its markupBps"
	default:
		return ""
	}
}

func (l *RateLock) endFits() bool {
	created, ended, expires := l.CreatedAt.UnixMilli(), l.EndedAt.UnixMilli(), l.ExpiresAt.UnixMilli()
	switch {
	case l.EndedAt.IsZero() || l.Status == LockActive:
		return l.EndedAt.IsZero() && l.Status == LockActive
	case l.Status == LockExpired:
		return ended == expires
	default:
		return created <= ended && ended < expires
	}
}

// priced checks I6: in machine words where they suffice, else by the text.
func (l *RateLock) priced() bool {
	if l.MarkupBps < 0 || l.MarkupBps > MaxMarkupBps {
		return false
	}
	mid, scale, small := smallRate(l.MidRate)
	if allIn, allInScale, ok := smallDecimal(l.AllInRate); small && ok {
		want := mid * uint64(10_000+l.MarkupBps)
		for scale += bpsDigits; scale > 0 && want%10 == 0; scale-- {
			want /= 10
		}
		return allIn == want && allInScale == scale
	}
	var buf [64]byte
	allIn, err := allInRate(buf[:0], l.MidRate, l.MarkupBps)
	return err == nil && string(allIn) == l.AllInRate
}

// Check returns [errcodes.CorruptRecord] for a book that cannot be: a negative
// Version; a slot that holds another book's lock, one that has ended, or a lock
// behind an empty slot; locks whose CreatedAt does not rise to the millisecond, or
// goes beyond HighWater. What a lock has in itself is for [RateLock.Check].
func (b *Book) Check() error {
	if b.Version < 0 {
		return corrupt("a book's version is negative")
	}
	var before time.Time
	live := b.Live()
	for i := range live {
		switch l := &live[i]; {
		case !l.isOf(&b.Key):
			return corrupt("a book holds another book's lock")
		case l.Status != LockActive:
			return corrupt("a book holds a lock that has ended")
		case l.CreatedAt.UnixMilli() <= before.UnixMilli():
			return corrupt("createdAt does not rise within a book")
		}
		before = live[i].CreatedAt
	}
	if before.UnixMilli() > b.HighWater.UnixMilli() {
		return corrupt("a lock is above its book's highWater")
	}
	for i := range b.Slots[len(live):] {
		if b.Slots[len(live)+i].ID != "" {
			return corrupt("a book's slots are not filled from the front")
		}
	}
	return nil
}

func corrupt(what string) error {
	return errcodes.Wrap(errcodes.CorruptRecord, "", errcodes.New(errcodes.CorruptRecord, what))
}

// Check finds what is wrong with a change by itself, whatever a store holds. A
// store calls it before all else, so that each rejects the same:
//
//   - what [Book.Check] and [RateLock.Check] find, of each lock in the slots or in
//     Ended, a lock of another book, an active lock in Ended, and a Minted that is
//     not the last of the slots, is [errcodes.CorruptRecord];
//   - the same ID twice in the slots and Ended, and more in Ended than a book holds,
//     is [errcodes.Conflict];
//   - the rest is for [CheckQueued].
func (c *RateLockChange) Check() error {
	if err := c.Book.Check(); err != nil {
		return err
	}
	live := c.Book.Live()
	ids := make([]string, 0, 2*MaxLiveLocks)
	for i := range live {
		if err := live[i].Check(); err != nil {
			return err
		}
		ids = append(ids, live[i].ID)
	}
	if c.Minted != nil && (len(live) == 0 || live[len(live)-1] != *c.Minted) {
		return corrupt("the minted lock is not the last of its book")
	}
	for i := range c.Ended {
		l := &c.Ended[i]
		if !l.isOf(&c.Book.Key) || l.Status == LockActive {
			return corrupt("an ended lock of the change is active or of another book")
		}
		if err := l.Check(); err != nil {
			return err
		}
		ids = append(ids, l.ID)
	}
	if len(c.Ended) > MaxLiveLocks || twice(ids) {
		return errcodes.New(errcodes.Conflict, "A change names the same lock twice, or ends more than a book holds")
	}
	return CheckQueued(c.Events, c.Work, c.Audit)
}

func (l *RateLock) isOf(key *BookKey) bool {
	return l.Owner == key.Owner && l.Base == key.Pair.Base && l.Quote == key.Pair.Quote
}
