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

// The confirmation rule of drift: one bad tick kills no lock.
const (
	confirmations     = 2               // observations in a row beyond the tolerance
	jumpBps           = 1_000           // a deviation beyond this needs one more,
	jumpConfirmations = 3               //   …
	jumpPause         = 2 * time.Second // at least this long after the one before
)

const (
	pageSize    = 500
	looksAtOnce = 16 // pairs looked at side by side

	// A lock of a process whose clock lags is new and looks old. It is seen at
	// once when that lags by up to newOverlap, and newOverlap later when it lags by
	// as much as clocks may: to read so far back at every tick would cost too much.
	newOverlap = 1 * time.Minute
	farOverlap = DefaultMaxClockLead + 2*newOverlap
)

// watch is what drift remembers between ticks. It is lost with the process:
// then locks live until the market was seen beyond their tolerance anew.
type watch struct {
	mu    sync.Mutex // one drift tick at a time
	pairs map[ports.Pair]*watched
}

type watched struct {
	mid      string
	at       time.Time // of the last tick that observed the pair
	far      time.Time // of the last one that looked farOverlap back, or at all locks
	suspects map[string]suspect
}

// suspect is a lock seen beyond its tolerance, and how often in a row.
type suspect struct {
	lock  ports.RateLock
	count int
	last  time.Time
}

// Drift looks once at the live mid of every pair on offer and cancels, with
// market_drift, the locks that it confirms to be further from it than their
// tolerance: |live − mid| > tolerance in two observations in a row, and beyond
// 10 % in a third at least 2 s later. A price that is stale or cannot be had
// is no observation, so a dead feed cancels nothing (I11).
//
// The work grows with the locks of the pairs whose mid moved, and with the
// locks minted within the last minute; once a minute, within the last twelve,
// for processes whose clocks lag. Errors are joined; one pair's failure leaves
// the others alone.
func (s *Service) Drift(ctx context.Context, now time.Time) error {
	return s.report(ctx, s.drift(ctx, now))
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
		// The locks seen at this mid stand as they stood; only suspects and
		// newcomers are looked at.
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

// again counts one more observation beyond the tolerance. The third of a jump
// does not count before its pause is over.
func (s suspect) again(now time.Time, d bps) suspect {
	s.last = earlier(s.last, now) // a clock that jumped back must not hold the pause open
	if d.beyond(jumpBps) && s.count == confirmations && now.Sub(s.last) < jumpPause {
		return s
	}
	s.count++
	s.last = now
	return s
}

// confirmed reports whether the lock's observations suffice to cancel it.
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
			if l, ok := b.Find(id); !ok || l.Status != ports.LockActive {
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

// eachLive pages through the live locks of a pair. A corrupt record is passed
// over: its neighbours are not to wait for it.
func (s *Service) eachLive(ctx context.Context, q ports.LockQuery, visit func(ports.RateLock)) error {
	for {
		page, err := s.store.List(ctx, q)
		if err != nil {
			return err
		}
		for _, l := range page {
			if err := l.Check(); err != nil {
				_ = s.report(ctx, err)
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

// deviation gives (live − mid) / mid. mid is a checked record's.
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

// nearest gives the deviation to the nearest basis point, halves away from
// zero, or the most that fits.
func (d bps) nearest() int64 {
	// (2·num ± den) / 2·den, cut towards zero.
	n := new(big.Int).Lsh(d.num, 1)
	if d.num.Sign() < 0 {
		n.Sub(n, d.den)
	} else {
		n.Add(n, d.den)
	}
	if n.Quo(n, new(big.Int).Lsh(d.den, 1)); !n.IsInt64() {
		return math.MaxInt64 // a fall is at most the whole: only a rise has no bound
	}
	return n.Int64()
}

func pow10(n int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil) }
