package ratelock

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

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

// alive gives the book's freshest valid lock, if it can be read and there is one.
func (s *Service) alive(ctx context.Context, key ports.BookKey) (ports.RateLock, bool) {
	rec, err := s.store.Book(ctx, key)
	if err != nil || checkBook(&rec) != nil {
		return ports.RateLock{}, false
	}
	l, n := freshest(&rec, decisionTime(&rec, s.cfg.Clock.Now()))
	if n == 0 || CheckRecord(l) != nil {
		return ports.RateLock{}, false
	}
	return *l, true
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
func (s *Service) Use(ctx context.Context, owner, id string, pair ports.Pair) (LockedRate, error) {
	l, err := s.Get(ctx, owner, id)
	if errcodes.Of(err) == errcodes.NotFound {
		return LockedRate{}, errcodes.New(errcodes.RateLockNotFound, "")
	}
	if err != nil {
		return LockedRate{}, err
	}
	if l.Pair() != pair {
		return LockedRate{}, errcodes.New(errcodes.RateLockCurrencyMismatch, "")
	}
	if _, ok := s.policy.Terms(owner, pair); !ok {
		return LockedRate{}, errcodes.New(errcodes.FXNotEnabled, "")
	}
	if l.Status == ports.LockActive {
		return snapshot(&l), nil
	}
	refusal := errcodes.New(errcodes.RateLockInvalid, "The rate lock is "+string(l.Status))
	if replacement, ok := s.alive(ctx, l.Book()); ok {
		refusal = refusal.WithDetails(errcodes.ReplacementDetails{RateLockID: replacement.ID})
	}
	return LockedRate{}, refusal
}
