package ratelock

import (
	"context"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

// Ports are the store and the feed of a [Service]. Both are required.
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

// New returns a service. A nil config means the defaults. New returns
// [errcodes.Configuration] if a port or the policy is missing or a value of config is out
// of its bounds. If policy has a method Check() error, as Terms and PolicyTable do, New
// calls it and returns its error.
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

// Create mints a lock for the owner's pair and returns it with minted true. If two locks
// are valid already, it returns the freshest of them with minted false, and changes
// nothing (SPEC 4.2; I1 to I3).
//
// Errors: [errcodes.InvalidRequest] for an empty owner or a currency that is not in
// ISO 4217, [errcodes.PairNotOffered], [errcodes.FXNotEnabled] without terms for the
// owner's pair, [errcodes.PriceUnavailable] with a RetryAfter of 1 s to 1 h (what the
// feed says, else 30 s), [errcodes.ClockBehind],
// [errcodes.StorageUnavailable], [errcodes.Closed] if the store is closed,
// [errcodes.OutcomeUnknown], [errcodes.CorruptRecord], [errcodes.Canceled],
// [errcodes.DeadlineExceeded], [errcodes.Configuration] if the policy returns terms out
// of their bounds, and [errcodes.Internal] if Config.Random fails.
func (s *Service) Create(ctx context.Context, owner string, pair ports.Pair) (lock ports.RateLock, minted bool, err error) {
	minted, err = s.obtain(ctx, &want{key: ports.BookKey{Owner: owner, Pair: pair}, left: alwaysMint}, &lock)
	return lock, minted, err
}

// Current returns the owner's freshest lock for the pair. If that lock expires in less
// than minLeft, Current first mints a replacement. That is the overlap of SPEC 4.2:
// sessions with the old lock keep it until it expires, and new sessions use the new one.
// Concurrent calls mint only one replacement.
//
// If no replacement can be minted, because two locks are live or there is no live price,
// Current returns the freshest lock with short true: it is valid for less than minLeft.
// Current returns [errcodes.InvalidRequest] unless minLeft is at least 0 and below the
// validity of the terms, and the errors of Create.
func (s *Service) Current(ctx context.Context, owner string, pair ports.Pair, minLeft time.Duration) (lock ports.RateLock, short bool, err error) {
	if minLeft < 0 {
		return ports.RateLock{}, false, invalid("minLeft", fmt.Sprintf("is %s, want at least 0", minLeft))
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

// Use returns the rate of the owner's lock for a transaction. The lock must be valid now
// and for the pair. The rate stays valid after the lock has ended, for refunds too:
// convert those with its method Refund.
//
// Errors, all with status 422 and checked in this order: [errcodes.RateLockNotFound] (the
// id is unknown or another owner's), [errcodes.RateLockCurrencyMismatch] (the lock is for
// another pair), [errcodes.FXNotEnabled] (the policy no longer has terms for the owner's
// pair), [errcodes.RateLockInvalid] (expired or cancelled; [errcodes.ReplacementDetails]
// contain the owner's live lock for the pair, if there is one). Use also returns the
// errors of Get.
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
	ended := errcodes.New(errcodes.RateLockInvalid, "The rate lock is "+string(l.Status))
	if replacement, ok := s.alive(ctx, l.Book()); ok {
		ended = ended.WithDetails(errcodes.ReplacementDetails{RateLockID: replacement.ID})
	}
	return ports.LockedRate{}, ended
}

// Get returns the owner's lock as of now. It returns [errcodes.NotFound], which also
// matches [errcodes.RateLockNotFound] by errors.Is, if the id is unknown or another
// owner's, and [errcodes.InvalidRequest] if owner is empty.
//
// The first read that finds an expired lock stores the expiry before it returns, so that
// no later read returns another status (I9). If it cannot store it, Get returns the
// store's error, even if only the other lock in the book has expired: both locks are read
// at the same instant.
func (s *Service) Get(ctx context.Context, owner, id string) (ports.RateLock, error) {
	return s.judge(ctx, owner, id, nil)
}

// Cancel ends the owner's lock and returns it. It returns an ended lock unchanged (I8).
// Transactions that carry the rate keep it. Cancel returns the errors of Get.
func (s *Service) Cancel(ctx context.Context, owner, id string) (ports.RateLock, error) {
	return s.judge(ctx, owner, id, func(b *Book, now time.Time) error { return b.Cancel(now, id) })
}
