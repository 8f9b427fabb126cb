package ratelock

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/ids"
	"github.com/corridor-go/corridor/ports"
)

// want describes the lock that a caller asks for.
type want struct {
	key     ports.BookKey
	offered func(context.Context) (ports.PairSet, error) // asks the feed what is on offer
	terms   Terms                                        // set by obtain
	// left is the life that an existing lock must have left to be good enough
	// in a book with room for another; noneLeft: only a full book's is.
	left time.Duration
}

const noneLeft time.Duration = -1

// enough reports whether the freshest of n valid locks satisfies w.
func (w *want) enough(l *ports.RateLock, n int, at time.Time) bool {
	return n == ports.MaxLiveLocks || n > 0 && w.left > noneLeft && l.ExpiresAt.Sub(at) >= w.left
}

// obtain returns a lock that satisfies w, and whether it was minted for that.
func (s *Service) obtain(ctx context.Context, w want) (ports.RateLock, bool, error) {
	l, minted, err := s.obtained(ctx, &w)
	switch {
	case err != nil:
		s.cfg.Logger.DebugContext(ctx, "no rate lock", "owner", w.key.Owner, "pair", w.key.Pair.String(), "error", err)
		return ports.RateLock{}, false, errcodes.Coded(err)
	case minted:
		s.cfg.Logger.DebugContext(ctx, "rate lock minted", "owner", w.key.Owner, "pair", w.key.Pair.String(), "lock", l.ID)
	}
	return l, minted, nil
}

// obtained answers a full book from one read, without a price and without queueing.
func (s *Service) obtained(ctx context.Context, w *want) (ports.RateLock, bool, error) {
	if err := s.admit(ctx, w); err != nil {
		return ports.RateLock{}, false, err
	}
	var rec ports.Book
	l, err := s.ready(ctx, w, &rec)
	if err != nil {
		return ports.RateLock{}, false, err
	}
	if l == nil {
		return s.mint(ctx, w, rec)
	}
	return *l, false, nil
}

// ready reads the book into rec and returns its lock that satisfies w, nil without
// one.
func (s *Service) ready(ctx context.Context, w *want, rec *ports.Book) (*ports.RateLock, error) {
	var err error
	if *rec, err = s.store.Book(ctx, w.key); err != nil {
		return nil, err
	}
	if err := rec.Check(); err != nil {
		return nil, err
	}
	at := decisionTime(rec, s.cfg.Clock.Now())
	l, n := freshest(rec, at)
	if !w.enough(l, n, at) {
		return nil, nil //nolint:nilnil // nothing is ready, which is no error
	}
	if n < ports.MaxLiveLocks {
		if err := s.writeDown(ctx, rec, at); err != nil {
			return nil, err
		}
	}
	return l, l.Check()
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
	// What others mint while this caller waits for the price is to be known
	// when its turn comes.
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

// place mints the lock under id, unless the book turns out to have one that
// satisfies w.
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
	if err != nil {
		return ports.RateLock{}, false, err
	}
	return lock, minted, nil
}

// readBackTimeout bounds the read that finds out about an unknown commit. It is
// a patience of its own: a caller who gave up would never learn what was stored.
const readBackTimeout = 5 * time.Second

// stored looks for a lock whose mint has an unknown outcome. The id is this
// call's alone: if it is there, it was minted, whatever became of it since.
func (s *Service) stored(ctx context.Context, owner, id string, unsure error) (ports.RateLock, bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readBackTimeout)
	defer cancel()
	l, _, err := s.read(ctx, owner, id)
	if err != nil {
		return ports.RateLock{}, false, unsure
	}
	return l, true, nil
}

// writeDown saves what has expired by the instant of an answer that rests on
// it, before the answer goes out (I9).
func (s *Service) writeDown(ctx context.Context, rec *ports.Book, at time.Time) error {
	if !overdue(rec, at) {
		return nil
	}
	return s.decide(ctx, *rec, func(b *Book, _ time.Time) error {
		_, err := b.Expire(at) // the clock may have gone back since
		return err
	})
}

// clockNear refuses to mint when the book's high water is far ahead of the
// clock: one process with a wrong clock must not carry every later lock into
// its future.
func (s *Service) clockNear(ctx context.Context, b *Book, now time.Time) error {
	lead := b.rec.HighWater.Sub(now)
	if lead <= s.cfg.MaxClockLead {
		return nil
	}
	s.cfg.Logger.ErrorContext(ctx, "clock behind: minting refused", "pair", b.rec.Key.Pair.String(), "lead", lead)
	s.cfg.Hooks.ClockBehind(ctx, b.rec.Key, lead)
	return errcodes.New(errcodes.ClockBehind, "")
}
