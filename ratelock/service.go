package ratelock

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/ports"
)

// Service mints, reads and ends rate locks. It is safe for concurrent use, and
// any number of services, in any number of processes, may share one store.
type Service struct {
	store  ports.RateLockStore
	prices prices
	policy Policy
	cfg    Config
	queue  *queue
	watch  watch
	loops  *background.Loops
}

// New makes a service. The policy may say how to check itself (Check() error,
// as Terms and PolicyTable do); a value out of its bounds is
// errcodes.Configuration. A nil *Config means the defaults.
func New(store ports.RateLockStore, feed ports.PriceFeed, policy Policy, config *Config) (*Service, error) {
	if store == nil || feed == nil || policy == nil {
		return nil, errcodes.New(errcodes.Configuration, "a store, a feed and a policy are required")
	}
	if p, ok := policy.(interface{ Check() error }); ok {
		if err := p.Check(); err != nil {
			return nil, err
		}
	}
	cfg, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Service{store: store, policy: policy, cfg: cfg, queue: newQueue(), loops: background.New(background.Config{
		Clock: cfg.Clock, Every: cfg.Every, Logger: cfg.Logger, Work: "rate locks",
		Failed: func(_ context.Context, err error) { cfg.Hooks.Background(err) },
	})}
	s.prices.feed, s.prices.cfg, s.prices.looks = feed, &s.cfg, map[ports.Pair]*look{}
	s.watch.init()
	return s, nil
}

// Create mints a lock for the owner's pair and reports minted true; when two
// locks are valid already it gives the freshest instead, with minted false, and
// changes nothing (SPEC 4.2; I1 to I3).
//
// Errors: InvalidRequest for a currency that is not ISO 4217, PairNotOffered,
// FXNotEnabled, PriceUnavailable, ClockBehind, StorageUnavailable, Closed when
// the store is, OutcomeUnknown, CorruptRecord, and the context's own; Configuration
// for terms of the policy that are out of their bounds, and Internal when
// Config.Random fails.
func (s *Service) Create(ctx context.Context, owner string, pair ports.Pair) (lock ports.RateLock, minted bool, err error) {
	terms, err := s.admit(ctx, owner, pair)
	if err != nil {
		return ports.RateLock{}, false, err
	}
	return s.obtain(ctx, want{key: ports.BookKey{Owner: owner, Pair: pair}, terms: terms, left: noneLeft})
}

// Current gives the owner's freshest lock for the pair, minting a replacement
// when that one has less than minLeft of life. That is the overlap of SPEC 4.2:
// sessions that carry the old lock keep it until it expires, new ones get the
// new one. However many callers ask at once, one replacement is minted, never
// two twins.
//
// When no replacement can be had, because two locks live already or because
// there is no live price, the freshest is given as it is, with less life than
// asked for: see ExpiresAt. minLeft lies between 0 and the validity
// of the terms, else it is errcodes.InvalidRequest. Other errors are those of
// Create.
func (s *Service) Current(ctx context.Context, owner string, pair ports.Pair, minLeft time.Duration) (ports.RateLock, error) {
	terms, err := s.admit(ctx, owner, pair)
	if err != nil {
		return ports.RateLock{}, err
	}
	return s.current(ctx, owner, pair, minLeft, terms)
}

func (s *Service) current(ctx context.Context, owner string, pair ports.Pair, minLeft time.Duration, terms Terms) (ports.RateLock, error) {
	if minLeft < 0 || minLeft >= terms.Validity {
		return ports.RateLock{}, invalid("minLeft", "not between 0 and the validity of "+terms.Validity.String())
	}
	key := ports.BookKey{Owner: owner, Pair: pair}
	lock, _, err := s.obtain(ctx, want{key: key, terms: terms, left: minLeft})
	if errcodes.Of(err) != errcodes.PriceUnavailable && errcodes.Of(err) != errcodes.ClockBehind {
		return lock, err
	}
	if l, ok := s.alive(ctx, key); ok {
		return l, nil
	}
	return ports.RateLock{}, err
}

// Use gives a transaction the rate of the owner's lock, to carry for good. The
// lock must be valid now and for the pair; the snapshot stays good afterwards,
// for a refund too, whatever becomes of the lock.
//
// Errors, all 422 and in this order: RateLockNotFound (unknown, or another
// owner's), RateLockCurrencyMismatch (the lock is for another pair),
// FXNotEnabled (the policy has no terms for the owner's pair any more),
// RateLockInvalid (expired or cancelled; errcodes.ReplacementDetails name the
// owner's live lock for the pair, if there is one). Beside them those of Get.
func (s *Service) Use(ctx context.Context, owner, id string, pair ports.Pair) (ports.LockedRate, error) {
	l, err := s.Get(ctx, owner, id)
	if errcodes.Of(err) == errcodes.NotFound {
		return ports.LockedRate{}, errcodes.New(errcodes.RateLockNotFound, "")
	}
	if err != nil {
		return ports.LockedRate{}, err
	}
	if l.Pair() != pair {
		return ports.LockedRate{}, errcodes.New(errcodes.RateLockCurrencyMismatch, "")
	}
	if _, ok := s.policy.Terms(owner, pair); !ok {
		return ports.LockedRate{}, errcodes.New(errcodes.FXNotEnabled, "")
	}
	if l.Status == ports.LockActive {
		return ports.NewLockedRate(&l)
	}
	refusal := errcodes.New(errcodes.RateLockInvalid, "The rate lock is "+string(l.Status))
	if replacement, ok := s.alive(ctx, l.Book()); ok {
		refusal = refusal.WithDetails(errcodes.ReplacementDetails{RateLockID: replacement.ID})
	}
	return ports.LockedRate{}, refusal
}

// Get gives the owner's lock as of now. An unknown id, or another owner's, is
// errcodes.NotFound. The first read that finds a lock expired writes that down
// before it answers, so that no later read can tell otherwise (I9); if it
// cannot, it fails with the store's error, also for a valid lock whose sibling
// in the book has expired: the two are judged at the same instant.
func (s *Service) Get(ctx context.Context, owner, id string) (ports.RateLock, error) {
	return s.settle(ctx, owner, id, nil)
}

// Cancel ends the owner's lock for good and gives it. A lock that has ended is
// given unchanged (I8). Transactions that carry the rate keep it. Errors are
// those of Get.
func (s *Service) Cancel(ctx context.Context, owner, id string) (ports.RateLock, error) {
	return s.settle(ctx, owner, id, func(b *Book, now time.Time) error { return b.Cancel(now, id) })
}
