package ratelock

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/ids"
	"github.com/corridor-go/corridor/ports"
)

// want describes the lock that a caller wants.
type want struct {
	key   ports.BookKey
	tick  bool  // a tick wants it, so that the call of Pairs needs a timeout
	terms Terms // set by admit
	// left is how long an existing lock must still be valid to be returned from a book
	// that is not full, or alwaysMint. A full book returns its freshest lock anyway.
	left time.Duration
}

const alwaysMint time.Duration = -1

// enough reports whether the freshest of n valid locks satisfies w.
func (w *want) enough(l *ports.RateLock, n int, at time.Time) bool {
	return n == ports.MaxLiveLocks || n > 0 && w.left > alwaysMint && l.ExpiresAt.Sub(at) >= w.left
}

// obtain sets *l to a lock that satisfies w, and reports whether it was minted by this
// call. After an error *l is zero.
func (s *Service) obtain(ctx context.Context, w *want, l *ports.RateLock) (minted bool, err error) {
	minted, err = s.obtained(ctx, w, l)
	switch {
	case err != nil:
		s.cfg.Logger.DebugContext(ctx, "rate lock request failed", "owner", w.key.Owner, "pair", w.key.Pair.String(), "error", err)
		*l = ports.RateLock{}
		return false, errcodes.Coded(err)
	case minted:
		s.cfg.Logger.DebugContext(ctx, "rate lock minted", "owner", w.key.Owner, "pair", w.key.Pair.String(), "lock", l.ID)
	}
	return minted, nil
}

// obtained reads a full book only once, and needs neither a price nor the queue for it.
func (s *Service) obtained(ctx context.Context, w *want, l *ports.RateLock) (minted bool, err error) {
	if err := s.admit(ctx, w); err != nil {
		return false, err
	}
	rec, err := s.store.Book(ctx, w.key)
	if err != nil {
		return false, err
	}
	if err := rec.Check(); err != nil {
		return false, err
	}
	at := decisionTime(&rec, s.cfg.Clock.Now())
	best, n := freshest(&rec, at)
	if !w.enough(best, n, at) {
		*l, minted, err = s.mint(ctx, w, rec)
		return minted, err
	}
	if n < ports.MaxLiveLocks {
		if err := s.writeDown(ctx, &rec, at); err != nil {
			return false, err
		}
	}
	*l = *best
	return false, l.Check()
}

// alive returns the book's freshest valid lock, if it can be read and there is one.
func (s *Service) alive(ctx context.Context, key ports.BookKey) (ports.RateLock, bool) {
	rec, err := s.store.Book(ctx, key)
	if err != nil || rec.Check() != nil {
		return ports.RateLock{}, false
	}
	l, n := freshest(&rec, decisionTime(&rec, s.cfg.Clock.Now()))
	if n == 0 || l.Check() != nil {
		return ports.RateLock{}, false
	}
	return *l, true
}

func (s *Service) mint(ctx context.Context, w *want, rec ports.Book) (ports.RateLock, bool, error) {
	// Join the queue before waiting for the price, so that the turn knows the locks that
	// others mint meanwhile.
	turn := s.queue.join(w.key)
	defer s.queue.quit(turn)
	price, err := s.prices.live(ctx, w.key.Pair)
	if err != nil {
		if late := s.writeDown(ctx, &rec, decisionTime(&rec, s.cfg.Clock.Now())); late != nil {
			err = late
		}
		return ports.RateLock{}, false, err
	}
	if err := w.terms.Check(); err != nil {
		return ports.RateLock{}, false, err
	}
	id, err := ids.New(IDPrefix, s.cfg.Clock.Now(), s.cfg.Random)
	if err != nil {
		return ports.RateLock{}, false, err
	}
	lock, minted, err := s.place(ctx, w, rec, id, price)
	if errcodes.Of(err) == errcodes.OutcomeUnknown {
		return s.stored(ctx, w.key.Owner, id, err)
	}
	return lock, minted, err
}

// place mints the lock under id, unless the book by now has a lock that satisfies w.
func (s *Service) place(ctx context.Context, w *want, rec ports.Book, id string, price ports.Price) (ports.RateLock, bool, error) {
	var lock ports.RateLock
	var minted bool
	err := s.decide(ctx, rec, func(b *Book, now time.Time) error {
		// An attempt whose outcome was unknown may have stored the lock after all.
		if lock, minted = b.Find(id); minted {
			return nil
		}
		at := b.DecisionTime(now)
		if l, n := freshest(&b.rec, at); w.enough(l, n, at) {
			lock = *l
			return nil
		}
		err := s.clockNear(ctx, b, now)
		if err == nil {
			lock, err = b.Mint(now, id, w.terms, price)
		}
		minted = err == nil
		return err
	})
	return lock, minted, err
}

// readBackTimeout limits the read that resolves an unknown outcome. This read ignores
// the end of the caller's context.
const readBackTimeout = 5 * time.Second

// stored reads back a lock whose mint has an unknown outcome. Only this call uses the id:
// if a lock has it, it was minted, even if it has ended since.
func (s *Service) stored(ctx context.Context, owner, id string, unsure error) (ports.RateLock, bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readBackTimeout)
	defer cancel()
	l, _, err := s.read(ctx, owner, id)
	if err != nil {
		return ports.RateLock{}, false, unsure
	}
	return l, true, nil
}

// writeDown stores the expiry of the locks that have expired at the given time, before a
// result that depends on it is returned (I9).
func (s *Service) writeDown(ctx context.Context, rec *ports.Book, at time.Time) error {
	if !overdue(rec, at) {
		return nil
	}
	return s.decide(ctx, *rec, func(b *Book, _ time.Time) error {
		_, err := b.Expire(at) // at, because the clock may have gone back since
		return err
	})
}

// clockNear returns ClockBehind if the book's high water is more than MaxClockLead ahead
// of the clock, as after a mint by a process with a wrong clock. Otherwise that process
// would shift the times of all later locks.
func (s *Service) clockNear(ctx context.Context, b *Book, now time.Time) error {
	lead := b.rec.HighWater.Sub(now)
	if lead <= s.cfg.MaxClockLead {
		return nil
	}
	s.cfg.Logger.ErrorContext(ctx, "rate lock not minted: the clock is behind", "pair", b.rec.Key.Pair.String(), "lead", lead)
	s.cfg.Hooks.ClockBehind(ctx, b.rec.Key, lead)
	return errcodes.New(errcodes.ClockBehind, "")
}
