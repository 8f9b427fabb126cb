package ratelock

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/ports"
)

// Run calls Tick at once and then every Config.Every by the clock. It returns nil after
// Stop, and the error of ctx once ctx is done. Without Run there is no drift cancellation,
// and expiry events are raised only when a lock is read; the cap, prices and expiry itself
// need no ticks. Failures of a tick are logged and passed to Hooks.Background.
func (s *Service) Run(ctx context.Context) error { return s.loops.Run(ctx, s.Tick) }

// Stop ends Run and waits until its tick has ended. If ctx is done first, Stop returns its
// error. All other methods still work after Stop, which may be called more than once.
func (s *Service) Stop(ctx context.Context) error { return s.loops.Stop(ctx) }

// Tick does one round of background work at now: Sweep, then Drift. It returns the errors
// of both, joined.
func (s *Service) Tick(ctx context.Context, now time.Time) error {
	return errors.Join(s.Sweep(ctx, now), s.Drift(ctx, now))
}

// Sweep stores the expiry of the locks whose ExpiresAt is at or before now; each book
// still decides by the clock. A read does the same for its own book. Without Sweep an
// expired lock that is never read raises no event, and Drift goes on checking it. If one
// book fails, the others are handled all the same; errors are joined.
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

// DefaultLead is how long before its expiry a [Keeper] replaces a lock (SPEC 4.2).
const DefaultLead = time.Hour

// Kept is a pair for which a [Keeper] always keeps a lock.
type Kept struct {
	Owner string
	Pair  ports.Pair
	Lead  time.Duration // before the lock's expiry; less than the validity of the terms; 0 means DefaultLead
}

// Keeper mints replacements in advance, so that [Service.Current] never waits for the
// feed. If several keepers have the same pair, only one replacement is minted.
type Keeper struct {
	service *Service
	kept    []Kept
	loops   *background.Loops
}

// NewKeeper returns a keeper of the pairs. It returns [errcodes.Configuration] if s was
// not made by New, an owner is empty, or a lead is negative or not less than the validity
// of the pair's terms.
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
			return nil, misconfigured("Kept.Lead is %v, want at least 0", want.Lead)
		case ok && want.Lead >= terms.Validity:
			return nil, misconfigured("Kept.Lead is %v, want less than the validity of %v", want.Lead, terms.Validity)
		}
		k.kept = append(k.kept, want)
	}
	return k, nil
}

// Run calls Tick at once and then every Config.Every of the service. It returns nil after
// Stop, and the error of ctx once ctx is done.
func (k *Keeper) Run(ctx context.Context) error { return k.loops.Run(ctx, k.Tick) }

// Stop ends Run and waits until its tick has ended. If ctx is done first, Stop returns its
// error. Tick still works after Stop, which may be called more than once.
func (k *Keeper) Stop(ctx context.Context) error { return k.loops.Stop(ctx) }

// Tick mints a replacement for each pair whose lock expires in less than Lead, by the
// service's clock. If it cannot, for example because there is no live price, it returns an
// error even while the lock is still valid. If one pair fails, the others are handled all
// the same; errors are joined, and the next tick tries again.
func (k *Keeper) Tick(ctx context.Context, _ time.Time) error {
	failed := make([]error, 0, len(k.kept))
	for _, kept := range k.kept {
		key := ports.BookKey{Owner: kept.Owner, Pair: kept.Pair}
		_, err := k.service.obtain(ctx, &want{key: key, left: kept.Lead, tick: true}, new(ports.RateLock))
		failed = append(failed, err)
	}
	return k.loops.Report(ctx, errors.Join(failed...))
}
