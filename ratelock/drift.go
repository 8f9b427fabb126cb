package ratelock

import (
	"context"
	"errors"
	"math"
	"math/big"
	"sync"
	"time"

	"github.com/cockroachdb/apd/v3"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/ports"
)

// The confirmation rule of drift: one wrong price cancels no lock.
const (
	confirmations     = 2               // observations in a row beyond the tolerance
	jumpBps           = 1_000           // a deviation beyond this is a jump
	jumpConfirmations = 3               // observations in a row that confirm a jump
	jumpPause         = 2 * time.Second // at least, between the last two of them
)

const (
	pageSize    = 500
	looksAtOnce = 16 // concurrent calls of the feed

	// While the mid does not change, a tick lists only new locks. If the clock of another
	// process lags, the CreatedAt of its new locks is before the last tick. Therefore each
	// tick lists the locks of the last newOverlap too and, once in newOverlap, those of the
	// last farOverlap, which costs more and covers every clock that may mint.
	newOverlap = 1 * time.Minute
	farOverlap = DefaultMaxClockLead + 2*newOverlap
)

// watch is the state of drift between ticks. It is in memory only: a restart begins
// counting observations from zero.
type watch struct {
	mu    sync.Mutex // one drift tick at a time
	pairs map[ports.Pair]*watched
}

type watched struct {
	mid      string
	at       time.Time // of the last tick that observed the pair
	far      time.Time // of the last tick that listed farOverlap, or all locks
	suspects map[string]suspect
}

// suspect is a lock that was beyond its tolerance in the last count observations.
type suspect struct {
	lock  ports.RateLock
	count int
	last  time.Time
}

// Drift reads the live mid of every pair on offer once and cancels, with market_drift,
// the locks that have left their tolerance: |live − mid| > tolerance in two
// observations in a row and, for a deviation above 10 %, in a third at least 2 s later.
// A missing or stale price is not an observation, so a dead feed cancels nothing (I11).
//
// Drift reads the locks of the pairs whose mid has changed. Of the other pairs it reads
// the locks of the last minute and, once a minute, those of the last twelve minutes,
// since clocks of other processes may lag. If one pair fails, the others are handled
// all the same; errors are joined.
func (s *Service) Drift(ctx context.Context, now time.Time) error {
	return s.loops.Report(ctx, s.drift(ctx, now))
}

func (s *Service) drift(ctx context.Context, now time.Time) error {
	s.watch.mu.Lock()
	defer s.watch.mu.Unlock()
	offered, err := s.prices.offered(ctx)
	if err != nil {
		return err
	}
	list := offered.All()
	observed := make([]*ports.Price, len(list))
	var looks errgroup.Group
	looks.SetLimit(looksAtOnce)
	for i, pair := range list {
		looks.Go(func() error {
			price, err := s.prices.live(ctx, pair)
			s.cfg.Hooks.Observed(ctx, pair, err)
			if err == nil {
				observed[i] = &price
			}
			return nil
		})
	}
	if err := looks.Wait(); err != nil {
		return err
	}
	var failed []error
	for i, pair := range list {
		if observed[i] != nil {
			failed = append(failed, s.observe(ctx, pair, observed[i].Mid, now))
		}
	}
	return errors.Join(failed...)
}

// observe counts one observation of a pair.
func (s *Service) observe(ctx context.Context, pair ports.Pair, mid string, now time.Time) error {
	var live apd.Decimal
	if err := ports.SetRate(&live, mid); err != nil {
		return err
	}
	w, known := s.watch.pairs[pair]
	if !known {
		w = &watched{suspects: map[string]suspect{}}
		s.watch.pairs[pair] = w
	}
	query := ports.LockQuery{Pair: pair, Limit: pageSize}
	before, beyond := w.suspects, map[string]suspect{}
	far := now
	if mid == w.mid {
		// The other locks were judged at this mid before: only suspects and new
		// locks can be beyond their tolerance.
		overlap := farOverlap
		if since := now.Sub(w.far); since >= 0 && since < newOverlap {
			far, overlap = w.far, newOverlap
		}
		query.Since = earlier(w.at, now).Add(-overlap)
		for id, sus := range before {
			beyond[id] = sus.again(now, deviation(&live, sus.lock.MidRate))
		}
	}
	err := s.eachLive(ctx, query, func(l ports.RateLock) {
		if _, counted := beyond[l.ID]; counted {
			return
		}
		if d := deviation(&live, l.MidRate); d.beyond(l.ToleranceBps) {
			sus := before[l.ID]
			sus.lock = l
			beyond[l.ID] = sus.again(now, d)
		}
	})
	if err != nil {
		return err
	}
	w.mid, w.at, w.far, w.suspects = mid, now, far, beyond
	return s.cancelDrifted(ctx, w, &live, mid)
}

// again counts one more observation beyond the tolerance. The third observation of a
// jump counts only after jumpPause.
func (s suspect) again(now time.Time, d bps) suspect {
	s.last = earlier(s.last, now) // so that a clock that jumps back does not prolong the pause
	if d.beyond(jumpBps) && s.count == confirmations && now.Sub(s.last) < jumpPause {
		return s
	}
	s.count++
	s.last = now
	return s
}

// confirmed reports whether there are enough observations to cancel the lock.
func (s suspect) confirmed(d bps) bool {
	if d.beyond(jumpBps) {
		return s.count >= jumpConfirmations
	}
	return s.count >= confirmations
}

func (s *Service) cancelDrifted(ctx context.Context, w *watched, live *apd.Decimal, mid string) error {
	var failed []error
	for id, sus := range w.suspects {
		d := deviation(live, sus.lock.MidRate)
		if !sus.confirmed(d) {
			continue
		}
		err := s.decide(ctx, ports.Book{Key: sus.lock.Book(), Version: unread}, func(b *Book, now time.Time) error {
			if l, _ := b.Find(id); l.Status != ports.LockActive {
				return nil
			}
			return b.Drift(now, id, mid, d.nearest())
		})
		if err != nil {
			failed = append(failed, err)
			continue
		}
		delete(w.suspects, id)
	}
	return errors.Join(failed...)
}

// eachLive calls visit with each live lock that q selects. A corrupt record is reported
// and left out, so that it does not block the others.
func (s *Service) eachLive(ctx context.Context, q ports.LockQuery, visit func(ports.RateLock)) error {
	for {
		page, err := s.store.List(ctx, q)
		if err != nil {
			return err
		}
		for _, l := range page {
			if err := l.Check(); err != nil {
				_ = s.loops.Report(ctx, err)
				continue
			}
			visit(l)
		}
		if len(page) < q.Limit {
			return nil
		}
		last := &page[len(page)-1]
		q.After = ports.Pos{At: last.CreatedAt, ID: last.ID}
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// bps is an exact deviation in basis points: num / den, den > 0.
type bps struct{ num, den *big.Int }

// deviation returns (live − mid) / mid. mid is from a checked record.
func deviation(live *apd.Decimal, mid string) bps {
	var m apd.Decimal
	if err := ports.SetRate(&m, mid); err != nil {
		return bps{new(big.Int), big.NewInt(1)}
	}
	a, b := live.Coeff.MathBigInt(), m.Coeff.MathBigInt()
	switch shift := int64(live.Exponent) - int64(m.Exponent); {
	case shift > 0:
		a.Mul(a, pow10(shift))
	case shift < 0:
		b.Mul(b, pow10(-shift))
	}
	a.Sub(a, b)
	return bps{a.Mul(a, big.NewInt(10_000)), b}
}

// beyond reports whether the deviation, either way, is greater than n.
func (d bps) beyond(n int) bool {
	limit := new(big.Int).Mul(d.den, big.NewInt(int64(n)))
	return d.num.CmpAbs(limit) > 0
}

// nearest returns the deviation rounded to a basis point, halves away from zero, or
// math.MaxInt64 if it does not fit.
func (d bps) nearest() int64 {
	// (2·num ± den) / 2·den, truncated.
	n := new(big.Int).Lsh(d.num, 1)
	if d.num.Sign() < 0 {
		n.Sub(n, d.den)
	} else {
		n.Add(n, d.den)
	}
	if n.Quo(n, new(big.Int).Lsh(d.den, 1)); !n.IsInt64() {
		return math.MaxInt64 // only a rise can be so large: a fall is at most 100 %
	}
	return n.Int64()
}

func pow10(n int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil) }
