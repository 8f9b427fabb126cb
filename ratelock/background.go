package ratelock

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/ports"
)

// Run ticks at once and then every Config.Every by the clock, until Stop, when it
// returns nil, or until ctx is done, whose error it returns. Without it there is no
// drift cancellation, and expiry events come only when somebody reads the lock; the
// cap, prices and expiry itself need no ticks. What fails in a tick goes to the
// logger and to Hooks.Background.
func (s *Service) Run(ctx context.Context) error { return s.loops.Run(ctx, s.Tick) }

// Stop ends Run and waits for its tick to end, or for ctx, whose error it then
// returns. All other methods still work after it. Stop may be called more than once.
func (s *Service) Stop(ctx context.Context) error { return s.loops.Stop(ctx) }

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
	return s.loops.Report(ctx, s.sweep(ctx, now))
}

func (s *Service) sweep(ctx context.Context, now time.Time) error {
	q := ports.LockQuery{DueBy: now, Limit: pageSize}
	var failed []error
	for {
		page, err := s.store.List(ctx, q)
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		for _, l := range page {
			failed = append(failed, s.decide(ctx, ports.Book{Key: l.Book(), Version: unread}, func(*Book, time.Time) error { return nil }))
		}
		if len(page) < q.Limit {
			return errors.Join(failed...)
		}
		last := &page[len(page)-1]
		q.After = ports.Pos{At: last.ExpiresAt, ID: last.ID}
	}
}

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
	loops   *background.Loops
}

// NewKeeper makes a keeper of the pairs. A service that New did not make, an empty
// owner, and a lead that is negative, or not less than the validity of the pair's
// terms, are [errcodes.Configuration].
func NewKeeper(s *Service, kept ...Kept) (*Keeper, error) {
	if s == nil || s.loops == nil {
		return nil, misconfigured("a service made by New is required")
	}
	k := &Keeper{service: s, loops: s.cfg.loops("kept rate locks")}
	for _, want := range kept {
		want.Lead = cmp.Or(want.Lead, DefaultLead)
		terms, ok := s.policy.Terms(want.Owner, want.Pair)
		switch {
		case want.Owner == "":
			return nil, misconfigured("Kept.Owner is empty")
		case want.Lead < 0:
			return nil, misconfigured("Kept.Lead is %v, below 0", want.Lead)
		case ok && want.Lead >= terms.Validity:
			return nil, misconfigured("Kept.Lead is %v, not below the validity of %v", want.Lead, terms.Validity)
		}
		k.kept = append(k.kept, want)
	}
	return k, nil
}

// Run ticks at once and then every Config.Every of the service, until Stop, when it
// returns nil, or until ctx is done, whose error it returns.
func (k *Keeper) Run(ctx context.Context) error { return k.loops.Run(ctx, k.Tick) }

// Stop ends Run and waits for its tick to end, or for ctx, whose error it then
// returns. Tick still works after it. Stop may be called more than once.
func (k *Keeper) Stop(ctx context.Context) error { return k.loops.Stop(ctx) }

// Tick looks at every pair once and mints where the current lock is near its
// end; that it cannot, for want of a price, is an error also while the lock is still
// valid. The clock of the service decides; now is when the tick fell due. Errors
// are joined; one pair's failure leaves the others alone, and the next tick
// tries again.
func (k *Keeper) Tick(ctx context.Context, _ time.Time) error {
	failed := make([]error, 0, len(k.kept))
	for _, kept := range k.kept {
		key := ports.BookKey{Owner: kept.Owner, Pair: kept.Pair}
		_, err := k.service.obtain(ctx, &want{key: key, left: kept.Lead, tick: true}, new(ports.RateLock))
		failed = append(failed, err)
	}
	return k.loops.Report(ctx, errors.Join(failed...))
}
