package ratelock

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/ticker"
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
	loops  *ticker.Loops
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
	s := &Service{store: store, policy: policy, cfg: cfg, queue: newQueue(), loops: ticker.New(cfg.Clock, cfg.Every)}
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
