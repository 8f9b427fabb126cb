package ratelock

import (
	"context"
	"errors"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

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
	return k.service.loops.Run(ctx, true, func(ctx context.Context, now time.Time) {
		_ = k.Tick(ctx, now) // reported where it failed
	})
}
