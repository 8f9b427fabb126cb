package ratelock

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

// Ports are what a [Service] works with. Both are required.
type Ports struct {
	Locks ports.RateLockStore
	Feed  ports.PriceFeed
}

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

// New makes a service. A nil *Config means the defaults. A missing port or policy
// and a value of config out of its bounds are [errcodes.Configuration]; so is what
// the policy returns if it has a method Check() error, as Terms and PolicyTable do.
func New(p Ports, policy Policy, config *Config) (*Service, error) {
	if err := wiring.Check(p); err != nil {
		return nil, err
	}
	if err := wiring.Check(struct{ Policy Policy }{policy}); err != nil {
		return nil, err
	}
	if c, ok := policy.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return nil, err
		}
	}
	cfg, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Service{
		store: p.Locks, policy: policy, cfg: cfg, queue: newQueue(),
		watch: watch{pairs: map[ports.Pair]*watched{}}, loops: cfg.loops("rate locks"),
	}
	s.prices.feed, s.prices.cfg, s.prices.looks = p.Feed, &s.cfg, map[ports.Pair]*look{}
	return s, nil
}

func (c *Config) loops(work string) *background.Loops {
	return background.New(background.Config{
		Clock: c.Clock, Every: c.Every, Logger: c.Logger, Work: work, Failed: c.Hooks.Background,
	})
}

// Create mints a lock for the owner's pair and returns it with minted true. When
// two locks are valid already it returns the freshest of them with minted false,
// and changes nothing (SPEC 4.2; I1 to I3).
//
// Errors: [errcodes.InvalidRequest] for an empty owner or a currency that is not in
// ISO 4217, [errcodes.PairNotOffered], [errcodes.FXNotEnabled] without terms for the
// owner's pair, [errcodes.PriceUnavailable], [errcodes.ClockBehind],
// [errcodes.StorageUnavailable], [errcodes.Closed] when the store is,
// [errcodes.OutcomeUnknown], [errcodes.CorruptRecord], [errcodes.Canceled] and
// [errcodes.DeadlineExceeded]; [errcodes.Configuration] for terms of the policy that
// are out of their bounds, and [errcodes.Internal] when Config.Random fails.
func (s *Service) Create(ctx context.Context, owner string, pair ports.Pair) (lock ports.RateLock, minted bool, err error) {
	minted, err = s.obtain(ctx, &want{key: ports.BookKey{Owner: owner, Pair: pair}, left: noneLeft}, &lock)
	return lock, minted, err
}

// Current returns the owner's freshest lock for the pair, minting a replacement
// when that one has less than minLeft of life. That is the overlap of SPEC 4.2:
// sessions that carry the old lock keep it until it expires, new ones get the
// new one. However many callers ask at once, one replacement is minted.
//
// When no replacement can be had, because two locks live already or because
// there is no live price, Current returns the freshest lock as it is and short true:
// it is valid, with less life left than minLeft. minLeft is at least 0 and below the
// validity of the terms, else Current returns [errcodes.InvalidRequest]. Other errors
// are those of Create.
func (s *Service) Current(ctx context.Context, owner string, pair ports.Pair, minLeft time.Duration) (lock ports.RateLock, short bool, err error) {
	if minLeft < 0 {
		return ports.RateLock{}, false, invalid("minLeft", "is below 0")
	}
	w := want{key: ports.BookKey{Owner: owner, Pair: pair}, left: minLeft}
	_, err = s.obtain(ctx, &w, &lock)
	if code := errcodes.Of(err); code == errcodes.PriceUnavailable || code == errcodes.ClockBehind {
		var ok bool
		if lock, ok = s.alive(ctx, w.key); ok {
			err = nil
		}
	}
	return lock, err == nil && lock.ExpiresAt.Sub(lock.AsOf) < minLeft, err
}

// Use returns the rate of the owner's lock, which must be valid now and for the
// pair, for a transaction to carry. The rate stays valid afterwards, for a refund
// too, whatever becomes of the lock.
//
// Errors, all 422 and in this order: [errcodes.RateLockNotFound] (unknown, or
// another owner's), [errcodes.RateLockCurrencyMismatch] (the lock is for another
// pair), [errcodes.FXNotEnabled] (the policy has no terms for the owner's pair any
// more), [errcodes.RateLockInvalid] (expired or cancelled;
// errcodes.ReplacementDetails name the owner's live lock for the pair, if there is
// one). Beside them those of Get.
func (s *Service) Use(ctx context.Context, owner, id string, pair ports.Pair) (ports.LockedRate, error) {
	l, err := s.Get(ctx, owner, id)
	if errcodes.Of(err) == errcodes.NotFound {
		return ports.LockedRate{}, errcodes.Wrap(errcodes.RateLockNotFound, "", err)
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

// Get returns the owner's lock as of now. An unknown id, or another owner's, is
// [errcodes.NotFound], which matches [errcodes.RateLockNotFound] by errors.Is too;
// an empty owner is [errcodes.InvalidRequest]. The first read that finds a lock
// expired writes that down before it answers, so that no later read can say
// otherwise (I9); if it cannot, it fails with the store's error, also for a valid
// lock whose sibling in the book has expired: the two are judged at the same instant.
func (s *Service) Get(ctx context.Context, owner, id string) (ports.RateLock, error) {
	return s.judge(ctx, owner, id, nil)
}

// Cancel ends the owner's lock and returns it. A lock that has ended before is
// returned unchanged (I8). Transactions that carry the rate keep it. Errors are
// those of Get.
func (s *Service) Cancel(ctx context.Context, owner, id string) (ports.RateLock, error) {
	return s.judge(ctx, owner, id, func(b *Book, now time.Time) error { return b.Cancel(now, id) })
}
