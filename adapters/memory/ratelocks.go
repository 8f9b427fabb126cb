package memory

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// rateLocks implements ports.RateLockStore.
type rateLocks struct{ s *Store }

func (r rateLocks) Book(ctx context.Context, key ports.BookKey) (ports.Book, error) {
	if err := ctx.Err(); err != nil {
		return ports.Book{}, err
	}
	b, open := r.s.books.get(key)
	if !open {
		return ports.Book{}, errClosed
	}
	if b == nil {
		return ports.Book{Key: key}, nil
	}
	return *b, nil
}

func (r rateLocks) Lock(ctx context.Context, owner, id string) (ports.RateLock, ports.Book, error) {
	if err := r.s.reading(ctx); err != nil {
		return ports.RateLock{}, ports.Book{}, err
	}
	defer r.s.mu.RUnlock()
	l := r.s.locks[id]
	if l == nil || l.Owner != owner {
		return ports.RateLock{}, ports.Book{}, errcodes.New(errcodes.NotFound, "No such rate lock")
	}
	b, _ := r.s.books.get(l.Book()) // a save cannot change it meanwhile: it needs mu
	return *l, *b, nil
}

func (r rateLocks) List(ctx context.Context, q ports.LockQuery) ([]ports.RateLock, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	if err := r.s.reading(ctx); err != nil {
		return nil, err
	}
	defer r.s.mu.RUnlock()
	all := r.s.due
	if q.Pair != (ports.Pair{}) {
		all = r.s.live[q.Pair]
	} else if q.Owner != "" {
		all = r.s.owned[q.Owner]
	}
	if all == nil {
		return nil, nil
	}
	if q.After.At.Before(q.Since) {
		q.After = ports.Pos{At: q.Since}
	}
	probe := &ports.RateLock{CreatedAt: q.After.At, ExpiresAt: q.After.At, ID: q.After.ID}
	var found []*ports.RateLock
	for l := range all.from(probe) {
		if !q.DueBy.IsZero() && l.ExpiresAt.After(q.DueBy) || len(found) == q.Limit {
			break
		}
		if all.compare(l, probe) != 0 {
			found = append(found, l)
		}
	}
	return copyLocks(found), nil
}

// copyLocks copies the locks with one allocation, since they are large.
func copyLocks(found []*ports.RateLock) []ports.RateLock {
	locks := make([]ports.RateLock, len(found))
	for i, l := range found {
		locks[i] = *l
	}
	return locks
}

func byCreation(a, b *ports.RateLock) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
}

func byExpiry(a, b *ports.RateLock) int {
	return cmp.Or(a.ExpiresAt.Compare(b.ExpiresAt), strings.Compare(a.ID, b.ID))
}

func (r rateLocks) Save(ctx context.Context, change ports.RateLockChange) error {
	if err := change.Check(); err != nil {
		return err
	}
	if err := r.s.writing(ctx); err != nil {
		return err
	}
	defer r.s.mu.Unlock()
	if err := r.s.checkRateLocks(&change); err != nil {
		return err
	}
	if err := r.s.faults(BeforeCommit); err != nil {
		return err
	}
	r.s.putRateLocks(&change)
	return r.s.faults(AfterCommit)
}

// checkRateLocks returns an error if the change must not be stored.
func (s *Store) checkRateLocks(c *ports.RateLockChange) error {
	var version int64
	if b, _ := s.books.get(c.Book.Key); b != nil {
		version = b.Version
	}
	if version != c.Book.Version {
		return errBookChanged
	}
	for i := range c.Ended {
		if old := s.locks[c.Ended[i].ID]; old == nil || old.Status != ports.LockActive || old.Book() != c.Book.Key {
			return errLockEnded
		}
	}
	if c.Minted != nil && s.locks[c.Minted.ID] != nil || !s.admitsWork(c.Work) {
		return errIDTaken
	}
	return nil
}

// endOf returns old with the end of l. No other field of a lock ever changes.
func endOf(old, l *ports.RateLock) *ports.RateLock {
	c := *old
	c.Status, c.CancellationReason, c.EndedAt = l.Status, l.CancellationReason, ports.Millis(l.EndedAt)
	c.ObservedMid, c.DeviationBps = l.ObservedMid, l.DeviationBps
	return &c
}

// storedLock returns the lock with times in milliseconds and without AsOf.
func storedLock(l ports.RateLock) *ports.RateLock {
	for _, t := range [...]*time.Time{&l.MidAt, &l.CreatedAt, &l.ExpiresAt, &l.EndedAt} {
		*t = ports.Millis(*t)
	}
	l.AsOf = time.Time{}
	return &l
}

// putRateLocks stores a change that checkRateLocks accepted.
func (s *Store) putRateLocks(c *ports.RateLockChange) {
	book := c.Book
	book.Version++
	book.HighWater = ports.Millis(book.HighWater)
	live := len(book.Live())
	clear(book.Slots[live:])
	for i := range live {
		book.Slots[i] = *storedLock(book.Slots[i])
	}
	s.books.put(&book)
	for i := range c.Ended {
		old := s.locks[c.Ended[i].ID]
		s.unlistActive(old)
		ended := endOf(old, &c.Ended[i])
		s.locks[old.ID] = ended
		s.owned[old.Owner].remove(old)
		s.owned[old.Owner].insert(ended)
	}
	if c.Minted != nil {
		l := storedLock(*c.Minted)
		s.locks[l.ID] = l
		s.listActive(l)
	}
	s.enqueue(c.Events, c.Work, c.Audit)
}

func (s *Store) listActive(l *ports.RateLock) {
	listOf(s.live, l.Pair()).insert(l)
	listOf(s.owned, l.Owner).insert(l)
	s.due.insert(l)
}

// listOf returns the listing of key, and adds an empty one if there is none.
func listOf[K comparable](all map[K]*sorted[*ports.RateLock], key K) *sorted[*ports.RateLock] {
	list := all[key]
	if list == nil {
		list = newSorted(byCreation)
		all[key] = list
	}
	return list
}

func (s *Store) unlistActive(l *ports.RateLock) {
	list := s.live[l.Pair()]
	list.remove(l)
	if list.empty() {
		delete(s.live, l.Pair())
	}
	s.due.remove(l)
}
