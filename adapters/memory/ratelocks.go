package memory

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// rateLocks is the store as a ports.RateLockStore.
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
	b, _ := r.s.books.get(l.Book()) // no save can come between: it holds mu
	return *l, *b, nil
}

func (r rateLocks) Live(ctx context.Context, q ports.LiveQuery) ([]ports.RateLock, error) {
	if err := within(q.Limit, 1, maxPage, "a page's limit"); err != nil {
		return nil, err
	}
	if err := r.s.reading(ctx); err != nil {
		return nil, err
	}
	defer r.s.mu.RUnlock()
	all := r.s.live[q.Pair]
	if all == nil {
		return nil, nil
	}
	start := ports.LockPos{At: q.Since}
	if !q.After.At.Before(q.Since) {
		start = q.After
	}
	probe := &ports.RateLock{CreatedAt: start.At, ID: start.ID}
	var found []*ports.RateLock
	for l := range all.from(probe) {
		if len(found) == q.Limit {
			break
		}
		if start != q.After || byCreation(l, probe) != 0 {
			found = append(found, l)
		}
	}
	return page(found), nil
}

func (r rateLocks) Due(ctx context.Context, q ports.DueQuery) ([]ports.RateLock, error) {
	if err := within(q.Limit, 1, maxPage, "a page's limit"); err != nil {
		return nil, err
	}
	if err := r.s.reading(ctx); err != nil {
		return nil, err
	}
	defer r.s.mu.RUnlock()
	probe := &ports.RateLock{ExpiresAt: q.After.At, ID: q.After.ID}
	var found []*ports.RateLock
	for l := range r.s.due.from(probe) {
		if l.ExpiresAt.After(q.By) || len(found) == q.Limit {
			break
		}
		if byExpiry(l, probe) != 0 {
			found = append(found, l)
		}
	}
	return page(found), nil
}

// page copies what was found, in one allocation: a lock is large.
func page(found []*ports.RateLock) []ports.RateLock {
	locks := make([]ports.RateLock, len(found))
	for i, l := range found {
		locks[i] = *l
	}
	return locks
}

const maxPage = 10_000

func byCreation(a, b *ports.RateLock) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
}

func byExpiry(a, b *ports.RateLock) int {
	return cmp.Or(a.ExpiresAt.Compare(b.ExpiresAt), strings.Compare(a.ID, b.ID))
}

// record gives the lock as the store keeps it.
func record(l ports.RateLock) *ports.RateLock {
	for _, t := range [...]*time.Time{&l.MidAt, &l.CreatedAt, &l.ExpiresAt, &l.EndedAt} {
		*t = stamp(*t)
	}
	l.AsOf = time.Time{}
	return &l
}
