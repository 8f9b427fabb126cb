package ratelock

import (
	"context"
	"errors"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Run ticks every Config.Every by the clock, until ctx is done or Close. An
// embedder that runs no ticker loses drift cancellation, and expiry events
// come only when somebody reads the lock; the cap, prices and expiry itself
// need no ticker. It returns nil after Close, else ctx's error; what fails in a
// tick goes to the logger and to Hooks.Background.
func (s *Service) Run(ctx context.Context) error {
	return s.loops.Run(ctx, s.Tick)
}

// Tick does one round of background work at now: Sweep, then Drift. Errors are
// those of both, joined.
func (s *Service) Tick(ctx context.Context, now time.Time) error {
	return errors.Join(s.Sweep(ctx, now), s.Drift(ctx, now))
}

// Sweep writes down the end of the locks that are over at now; each book still
// decides by the clock. Reads do that too, each for its own book; without
// Sweep, and without Run, a lock that nobody reads raises no expiry event and
// stays among the live ones that drift looks at. Errors are joined; one book's
// failure leaves the others alone.
func (s *Service) Sweep(ctx context.Context, now time.Time) error {
	q := ports.LockQuery{DueBy: now, Limit: pageSize}
	var failed []error
	for {
		page, err := s.store.List(ctx, q)
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

// background reports the failure of a tick, and gives it back. A tick that was
// cut short is none.
func (s *Service) background(err error) error {
	if err != nil && errcodes.Of(err) != errcodes.Canceled {
		s.cfg.Logger.Warn("background step failed; the next tick tries again", "error", err)
		s.cfg.Hooks.Background(err)
	}
	return err
}

// Close stops Run and waits for its tick to end, or for ctx, whose error it then
// gives. Calls in flight end by themselves. Close may be called more than once.
func (s *Service) Close(ctx context.Context) error { return s.loops.Stop(ctx) }

// DefaultLead is how long before its end a [Keeper] replaces a lock (SPEC 4.2).
const DefaultLead = time.Hour

// Kept is a pair that a [Keeper] always has a lock for.
type Kept struct {
	Owner string
	Pair  ports.Pair
	Lead  time.Duration // before the lock's end; 0: DefaultLead. Less than the validity of the terms.
}

// Keeper mints replacements ahead of time, so that [Service.Current] answers
// from the store and never waits for a feed. Any number of keepers may keep the
// same pairs: one replacement is minted.
type Keeper struct {
	service *Service
	kept    []Kept
}

// NewKeeper makes a keeper of the pairs. A lead that is negative, or not less
// than the validity of the pair's terms, is errcodes.Configuration.
func NewKeeper(s *Service, kept ...Kept) (*Keeper, error) {
	if s == nil {
		return nil, errcodes.New(errcodes.Configuration, "a service is required")
	}
	k := &Keeper{service: s}
	for _, want := range kept {
		if want.Lead == 0 {
			want.Lead = DefaultLead
		}
		terms, ok := s.policy.Terms(want.Owner, want.Pair)
		switch {
		case want.Lead < 0:
			return nil, badTerms("lead of %v is negative", want.Lead)
		case ok && want.Lead >= terms.Validity:
			return nil, badTerms("lead of %v is not between 0 and the validity of %v", want.Lead, terms.Validity)
		}
		k.kept = append(k.kept, want)
	}
	return k, nil
}

// Tick looks at every pair once and mints where the current lock is near its
// end. The clock of the service decides; now is when the tick fell due. Errors
// are joined; one pair's failure leaves the others alone, and the next tick
// tries again.
func (k *Keeper) Tick(ctx context.Context, _ time.Time) error {
	var failed []error
	for _, want := range k.kept {
		if err := k.keep(ctx, &want); err != nil {
			failed = append(failed, err)
		}
	}
	return k.service.background(errors.Join(failed...))
}

// keep is Current within the patience of a tick.
func (k *Keeper) keep(ctx context.Context, want *Kept) error {
	s := k.service
	terms, err := s.admitOffered(ctx, want.Owner, want.Pair, s.prices.offered)
	if err != nil {
		return err
	}
	_, err = s.current(ctx, want.Owner, want.Pair, want.Lead, terms)
	return err
}

// Run ticks at once and then every Config.Every of the service, until ctx is
// done, whose error it then gives, or the service is closed.
func (k *Keeper) Run(ctx context.Context) error {
	return k.service.loops.Run(ctx, k.Tick)
}
