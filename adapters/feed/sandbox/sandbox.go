package sandbox

import (
	"cmp"
	"context"
	"sync"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Source is the Source of the prices.
const Source = "sandbox"

// Config tunes a [Feed]. The zero value, and nil, mean the defaults.
type Config struct {
	Clock ports.Clock // the time of prices; nil: [ports.SystemClock]
}

// Feed is a [ports.PriceFeed] with fixed prices. It is safe for concurrent use.
type Feed struct {
	clock ports.Clock
	pairs ports.PairSet

	mu   sync.RWMutex
	mids map[ports.Pair]string
}

// New returns a feed with the published mids. The error is always nil today.
func New(cfg *Config) (*Feed, error) {
	f := &Feed{clock: cmp.Or(cmp.Or(cfg, &Config{}).Clock, ports.SystemClock()), mids: make(map[ports.Pair]string, len(published))}
	pairs := make([]ports.Pair, 0, len(published))
	for _, row := range published {
		f.mids[row.pair] = row.mid
		pairs = append(pairs, row.pair)
	}
	f.pairs = ports.NewPairSet(pairs...)
	return f, nil
}

// Pairs returns the pairs on offer; they never change.
func (f *Feed) Pairs(ctx context.Context) (ports.PairSet, error) {
	return f.pairs, ctx.Err()
}

// Mid returns the pair's price as of now, or [errcodes.PairNotOffered].
func (f *Feed) Mid(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	if err := ctx.Err(); err != nil {
		return ports.Price{}, err
	}
	f.mu.RLock()
	mid, ok := f.mids[pair]
	f.mu.RUnlock()
	if !ok {
		return ports.Price{}, errcodes.New(errcodes.PairNotOffered, "")
	}
	return ports.Price{Pair: pair, Mid: mid, Source: Source, At: ports.Millis(f.clock.Now())}, nil
}

// Set changes the price of one pair; the inverse pair keeps its price. It returns
// [errcodes.InvalidRequest] for a mid that ports.SetRate rejects, and
// [errcodes.PairNotOffered] for an unknown pair.
func (f *Feed) Set(pair ports.Pair, mid string) error {
	if err := ports.CheckRate(mid); err != nil {
		return err
	}
	if !f.pairs.Has(pair) {
		return errcodes.New(errcodes.PairNotOffered, "")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mids[pair] = mid
	return nil
}
