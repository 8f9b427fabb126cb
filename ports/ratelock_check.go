package ports

import (
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// Check returns [errcodes.CorruptRecord], with the field's name, for a record that no
// rate lock can have, so that a changed record cannot break a rule (I4 to I7). Times
// are compared to the millisecond, as stores store them. Owner, MidSource and
// ObservedMid may be any text; MidAt and ToleranceBps are not checked.
func (l *RateLock) Check() error {
	if flaw := l.flaw(); flaw != "" {
		return corrupt("a rate lock's " + flaw)
	}
	return nil
}

// flaw describes the record's first flaw, or returns "".
func (l *RateLock) flaw() string {
	drifted := l.CancellationReason == CancelledMarketDrift
	switch {
	case l.ID == "":
		return "id is empty"
	case l.Base == "" || l.Quote == "" || l.Base == l.Quote:
		return fmt.Sprintf("base and quote are %.12q and %.12q, want two currencies", l.Base, l.Quote)
	case l.CreatedAt.UnixMilli() >= l.ExpiresAt.UnixMilli():
		return "expiresAt is not after createdAt"
	case l.Status != LockActive && l.Status != LockExpired && l.Status != LockCancelled:
		return fmt.Sprintf("status %.32q is unknown", l.Status)
	case (l.Status == LockCancelled) != (drifted || l.CancellationReason == CancelledRequested) ||
		l.Status != LockCancelled && l.CancellationReason != "":
		return fmt.Sprintf("cancellationReason %.32q does not fit status %s", l.CancellationReason, l.Status)
	case !l.endFits():
		return "endedAt does not fit status " + string(l.Status)
	case drifted != (l.ObservedMid != ""):
		return fmt.Sprintf("observedMid %.50q does not fit its cancellationReason", l.ObservedMid)
	case !drifted && l.DeviationBps != 0:
		return fmt.Sprintf("deviationBps %d does not fit its cancellationReason", l.DeviationBps)
	case !l.priced():
		return fmt.Sprintf("allInRate %.50q is not midRate %.50q plus %d basis points", l.AllInRate, l.MidRate, l.MarkupBps)
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

// priced reports whether I6 holds: with machine words if they suffice, otherwise by
// comparing the text.
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

// Check returns [errcodes.CorruptRecord] for an impossible book: Version is negative;
// a slot contains another book's lock, an ended lock, or a lock after an empty slot;
// the locks' CreatedAt does not rise by a millisecond or is after HighWater. It does
// not call [RateLock.Check].
func (b *Book) Check() error {
	if b.Version < 0 {
		return corrupt(fmt.Sprintf("a book's version is %d, want at least 0", b.Version))
	}
	var before time.Time
	live := b.Live()
	for i := range live {
		switch l := &live[i]; {
		case !l.isOf(&b.Key):
			return corrupt("a book contains another book's lock")
		case l.Status != LockActive:
			return corrupt("a book contains an ended lock")
		case l.CreatedAt.UnixMilli() <= before.UnixMilli():
			return corrupt("createdAt does not rise within a book")
		}
		before = live[i].CreatedAt
	}
	if before.UnixMilli() > b.HighWater.UnixMilli() {
		return corrupt("a lock was created after its book's highWater")
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

// Check checks a change by itself, without the stored records. Every store calls it
// first, so that all stores reject the same changes. It returns
//
//   - [errcodes.CorruptRecord] if [Book.Check] or, for a lock in the slots or in
//     Ended, [RateLock.Check] does; if a lock in Ended is active or of another book;
//     or if Minted is not the last lock in the slots;
//   - [errcodes.Conflict] if an ID occurs twice in the slots and Ended, or Ended has
//     more than [MaxLiveLocks] locks;
//   - the errors of [CheckQueued].
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
		return corrupt("the minted lock is not the last one in its book")
	}
	for i := range c.Ended {
		l := &c.Ended[i]
		if !l.isOf(&c.Book.Key) || l.Status == LockActive {
			return corrupt("a lock in Ended is active or of another book")
		}
		if err := l.Check(); err != nil {
			return err
		}
		ids = append(ids, l.ID)
	}
	if len(c.Ended) > MaxLiveLocks || twice(ids) {
		return errcodes.New(errcodes.Conflict, "a change contains the same lock twice, or ends more locks than a book has")
	}
	return CheckQueued(c.Events, c.Work, c.Audit)
}

func (l *RateLock) isOf(key *BookKey) bool {
	return l.Owner == key.Owner && l.Base == key.Pair.Base && l.Quote == key.Pair.Quote
}
