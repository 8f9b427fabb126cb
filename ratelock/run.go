package ratelock

import (
	"context"
	"errors"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// Sweep writes down the end of the locks that are over at now; each book still
// decides by the clock. Reads do that too, each for its own book; without
// Sweep, and without Run, a lock that nobody reads raises no expiry event and
// stays among the live ones that drift looks at. Errors are joined; one book's
// failure leaves the others alone.
func (s *Service) Sweep(ctx context.Context, now time.Time) error {
	q := ports.DueQuery{By: now, Limit: pageSize}
	var failed []error
	for {
		page, err := s.store.Due(ctx, q)
		if err != nil {
			return s.background(errors.Join(append(failed, err)...))
		}
		for _, l := range page {
			if err := s.expire(ctx, l.Book()); err != nil {
				failed = append(failed, err)
			}
		}
		if len(page) < q.Limit {
			return s.background(errors.Join(failed...))
		}
		last := &page[len(page)-1]
		q.After = ports.LockPos{At: last.ExpiresAt, ID: last.ID}
	}
}

func (s *Service) expire(ctx context.Context, key ports.BookKey) error {
	_, err := s.decide(ctx, ports.Book{Key: key, Version: unread}, func(*Book, time.Time) error { return nil })
	return err
}

// Tick does one round of background work at now: Sweep, then Drift. Errors are
// those of both, joined.
func (s *Service) Tick(ctx context.Context, now time.Time) error {
	return errors.Join(s.Sweep(ctx, now), s.Drift(ctx, now))
}

// Run ticks every Config.Every by the clock, until ctx is done or Close. An
// embedder that runs no ticker loses drift cancellation, and expiry events
// come only when somebody reads the lock; the cap, prices and expiry itself
// need no ticker. It returns nil after Close, else ctx's error; what fails in a
// tick goes to the logger and to Hooks.Background.
func (s *Service) Run(ctx context.Context) error {
	return s.loops.Run(ctx, false, func(ctx context.Context, now time.Time) {
		_ = s.Tick(ctx, now) // reported where it failed
	})
}

// Close stops Run and waits for its tick to end, or for ctx, whose error it then
// gives. Calls in flight end by themselves. Close may be called more than once.
func (s *Service) Close(ctx context.Context) error { return s.loops.Close(ctx) }
