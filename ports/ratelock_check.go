package ports

import "github.com/corridor-go/corridor/errcodes"

// Check finds what is wrong with a change by itself, whatever a store holds. A
// store asks it before all else, so that each refuses the same:
//
//   - a lock of another book, in Locks or in a slot, is errcodes.InvalidRequest;
//   - a record that no lock can be, or slots that no book has, is
//     errcodes.CorruptRecord: a Status or CancellationReason that there is not, an
//     end without its fields or fields without their end, a MarkupBps below 0,
//     an ExpiresAt that is not after CreatedAt to the millisecond, a slot of a lock
//     that is not active, or behind an empty one;
//   - the same ID twice in Locks, or in the slots, and what [CheckQueued] refuses,
//     is errcodes.Conflict.
//
// Of prices it knows nothing: they are the rate lock service's to judge.
func (c *RateLockChange) Check() error {
	for i := range c.Locks {
		if err := c.Locks[i].check(&c.Book.Key); err != nil {
			return err
		}
	}
	if err := c.Book.checkSlots(); err != nil {
		return err
	}
	if twice(c.Locks, func(l *RateLock) string { return l.ID }) || c.Book.slotTwice() {
		return errcodes.New(errcodes.Conflict, "A change names the same lock twice")
	}
	return CheckQueued(c.Events, c.Work)
}

func (b *Book) checkSlots() error {
	live := b.Live()
	for i := range live {
		if err := live[i].check(&b.Key); err != nil {
			return err
		}
		if live[i].Status != LockActive {
			return errcodes.New(errcodes.CorruptRecord, "A book's slots hold its active locks")
		}
	}
	for i := len(live); i < len(b.Slots); i++ {
		if b.Slots[i].ID != "" {
			return errcodes.New(errcodes.CorruptRecord, "A book's slots are filled from the front")
		}
	}
	return nil
}

// slotTwice is not twice of the slots, which would take the change to the heap.
func (b *Book) slotTwice() bool {
	live := b.Live()
	for i := range live {
		for j := range i {
			if live[i].ID == live[j].ID {
				return true
			}
		}
	}
	return false
}

// check judges a lock of the book of key.
func (l *RateLock) check(key *BookKey) error {
	switch {
	case l.Owner != key.Owner || l.Base != key.Pair.Base || l.Quote != key.Pair.Quote:
		return errcodes.New(errcodes.InvalidRequest, "A lock of the change belongs to another book")
	case !l.possible():
		return errcodes.New(errcodes.CorruptRecord, "A record of the change is none that a lock can have")
	default:
		return nil
	}
}

func (l *RateLock) possible() bool {
	drifted := l.CancellationReason == CancelledMarketDrift
	return l.MarkupBps >= 0 && l.CreatedAt.UnixMilli() < l.ExpiresAt.UnixMilli() &&
		reasonFits(l.Status, l.CancellationReason) && (l.Status == LockActive) == l.EndedAt.IsZero() &&
		drifted == (l.ObservedMid != "") && (drifted || l.DeviationBps == 0)
}

// reasonFits reports whether there is the status, with such a reason.
func reasonFits(s LockStatus, why CancellationReason) bool {
	switch s {
	case LockActive, LockExpired:
		return why == ""
	case LockCancelled:
		return why == CancelledRequested || why == CancelledMarketDrift
	default:
		return false
	}
}

// CheckQueued is errcodes.Conflict when the same ID comes twice in events, or
// twice in work. Stores ask it of what a change of any record carries, before
// they store anything.
func CheckQueued(events []Event, work []WorkItem) error {
	if twice(events, func(e *Event) string { return e.ID }) {
		return errcodes.New(errcodes.Conflict, "A change names the same event twice")
	}
	if twice(work, func(w *WorkItem) string { return w.ID }) {
		return errcodes.New(errcodes.Conflict, "A change names the same work item twice")
	}
	return nil
}

// few are as many as are sooner compared one by one: no more come with a change
// of a service's.
const few = 16

// twice reports whether two of list have the same id.
func twice[V any](list []V, id func(*V) string) bool {
	if len(list) > few {
		return twiceInMany(list, id)
	}
	for i := range list {
		for j := range i {
			if id(&list[i]) == id(&list[j]) {
				return true
			}
		}
	}
	return false
}

func twiceInMany[V any](list []V, id func(*V) string) bool {
	seen := make(map[string]struct{}, len(list))
	for i := range list {
		seen[id(&list[i])] = struct{}{}
	}
	return len(seen) < len(list)
}
