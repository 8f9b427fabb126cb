package memory

import (
	"context"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

var (
	errStale = errcodes.New(errcodes.Conflict, "The book has changed since it was read")
	errTaken = errcodes.New(errcodes.Conflict, "An id of the change is taken, or its lock has ended otherwise")
)

func (r rateLocks) Save(ctx context.Context, change ports.RateLockChange) error {
	if err := change.Check(); err != nil {
		return err
	}
	if err := r.s.writing(ctx); err != nil {
		return err
	}
	defer r.s.mu.Unlock()
	if err := r.s.admit(change); err != nil {
		return err
	}
	if err := r.s.faults(BeforeCommit); err != nil {
		return err
	}
	r.s.commit(change)
	return r.s.faults(AfterCommit)
}

// admit looks for every reason not to store the change.
func (s *Store) admit(change ports.RateLockChange) error {
	var version int64
	if b, _ := s.books.get(change.Book.Key); b != nil {
		version = b.Version
	}
	if version != change.Book.Version {
		return errStale
	}
	for i := range change.Locks {
		if !s.admitsLock(&change.Locks[i]) {
			return errTaken
		}
	}
	if !s.admitsWork(change.Work) {
		return errTaken
	}
	return nil
}

// admitsWork reports whether the ids of work are new.
func (s *Store) admitsWork(work []ports.WorkItem) bool {
	for i := range work {
		if s.work.has(work[i].ID) {
			return false
		}
	}
	return true
}

// admitsLock reports whether l may be stored under its id: an active lock is
// minted, so that its id must be new; an ended one replaces its active record,
// and after that nothing (I4).
func (s *Store) admitsLock(l *ports.RateLock) bool {
	old := s.locks[l.ID]
	switch {
	case old == nil:
		return true
	case old.Status == ports.LockActive:
		return l.Status != ports.LockActive && old.Book() == l.Book()
	default:
		return old.Book() == l.Book() && *old == *endOf(old, l)
	}
}

// endOf gives old with the end of l: nothing else of a record ever changes.
func endOf(old, l *ports.RateLock) *ports.RateLock {
	c := *old
	c.Status, c.CancellationReason, c.EndedAt = l.Status, l.CancellationReason, stamp(l.EndedAt)
	c.ObservedMid, c.DeviationBps = l.ObservedMid, l.DeviationBps
	return &c
}

// commit stores an admitted change; it cannot fail.
func (s *Store) commit(change ports.RateLockChange) {
	book := change.Book
	book.Version++
	book.HighWater = stamp(book.HighWater)
	live := len(book.Live())
	clear(book.Slots[live:])
	for i := range live {
		book.Slots[i] = *record(book.Slots[i])
	}
	s.books.put(&book)
	for i := range change.Locks {
		s.putLock(&change.Locks[i])
	}
	s.enqueue(change.Events, change.Work)
}

// enqueue makes admitted events and work claimable.
func (s *Store) enqueue(events []ports.Event, work []ports.WorkItem) {
	for i := range events {
		s.seq++
		s.outbox.add(events[i], s.seq)
	}
	for i := range work {
		s.seq++
		s.work.add(work[i], s.seq)
	}
}

// putLock stores l by its id and keeps the listings of active locks in step.
func (s *Store) putLock(l *ports.RateLock) {
	old := s.locks[l.ID]
	switch {
	case old == nil:
		l = record(*l)
	case old.Status == ports.LockActive:
		s.unlist(old)
		l = endOf(old, l)
	default:
		return // it is the very same
	}
	s.locks[l.ID] = l
	if l.Status == ports.LockActive {
		s.list(l)
	}
}

func (s *Store) list(l *ports.RateLock) {
	of := s.live[l.Pair()]
	if of == nil {
		of = newSorted(byCreation)
		s.live[l.Pair()] = of
	}
	of.insert(l)
	s.due.insert(l)
}

func (s *Store) unlist(l *ports.RateLock) {
	of := s.live[l.Pair()]
	of.remove(l)
	if of.empty() {
		delete(s.live, l.Pair())
	}
	s.due.remove(l)
}
