package fake

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Feed is a ports.PriceFeed that a test controls:
//
//	drift     Set(pair, mid) again, with another mid
//	bad tick  Set(pair, mid), and Set(pair, old) after one call; or an invalid mid
//	stale     SetAt(pair, mid, at) with an at long ago
//	dead      Fail(err), until Recover
//	no price  Drop(pair), until Set
//	slow      Hold, until the release
//
// It does not validate mids. Until the first pair is offered, Pairs and Mid return
// [errcodes.PriceUnavailable], as a feed that was never read does. It is safe for
// concurrent use.
type Feed struct {
	// MaxAge is that of the prices that are set from now on. Set it before the feed is used.
	MaxAge time.Duration

	now func() time.Time

	mu      sync.Mutex
	counted sync.Cond // on mu; asked was increased
	prices  map[ports.Pair]ports.Price
	read    bool // something was offered
	err     error
	hold    gate // for calls of Mid
	asked   int
}

// Source is the value of Price.Source in a Feed's prices.
const Source = "scripted"

// NewFeed returns a feed that takes the time of its prices from now.
func NewFeed(now func() time.Time) *Feed {
	f := &Feed{now: now, prices: map[ports.Pair]ports.Price{}}
	f.counted.L = &f.mu
	return f
}

// Offer puts a pair on offer at mid, with the time of this call. It is the same
// as Set.
func (f *Feed) Offer(pair ports.Pair, mid string) { f.Set(pair, mid) }

// Set sets the price of the pair, with the time of this call.
func (f *Feed) Set(pair ports.Pair, mid string) { f.SetAt(pair, mid, f.now()) }

// SetAt sets the price of the pair, with the time at truncated to the millisecond.
func (f *Feed) SetAt(pair ports.Pair, mid string, at time.Time) {
	f.put(ports.Price{Pair: pair, Mid: mid, Source: Source, At: at.UTC().Truncate(time.Millisecond), MaxAge: f.MaxAge})
}

// Drop removes the pair's price and leaves the pair on offer.
func (f *Feed) Drop(pair ports.Pair) { f.put(ports.Price{Pair: pair}) }

// Withdraw removes the pair from the offer.
func (f *Feed) Withdraw(pair ports.Pair) { f.set(func() { delete(f.prices, pair) }) }

func (f *Feed) put(p ports.Price) { f.set(func() { f.prices[p.Pair], f.read = p, true }) }

func (f *Feed) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// Fail makes Mid return err for every pair; a nil err means
// [errcodes.PriceUnavailable]. Pairs still succeeds.
func (f *Feed) Fail(err error) {
	if err == nil {
		err = errcodes.New(errcodes.PriceUnavailable, "")
	}
	f.set(func() { f.err = err })
}

// Recover ends Fail.
func (f *Feed) Recover() { f.set(func() { f.err = nil }) }

// Hold makes calls of Mid wait until release is called or their context is done,
// and then answer as configured at that time. Release may be called more than once.
// A second Hold before the release joins the first.
func (f *Feed) Hold() (release func()) { return f.hold.shut(&f.mu) }

// gate makes calls wait while it is shut.
type gate struct{ wait chan struct{} }

// shut shuts the gate and returns a function that opens it. mu guards the gate.
func (g *gate) shut(mu *sync.Mutex) (open func()) {
	mu.Lock()
	defer mu.Unlock()
	if g.wait == nil {
		g.wait = make(chan struct{})
	}
	wait := g.wait
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if g.wait == wait {
			g.wait = nil
			close(wait)
		}
	}
}

// Asked returns how many times Mid was called, including calls that wait.
func (f *Feed) Asked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}

// WaitAsked waits until Mid has been called n times in total.
func (f *Feed) WaitAsked(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.asked < n {
		f.counted.Wait()
	}
}

// Pairs returns the pairs on offer.
func (f *Feed) Pairs(ctx context.Context) (ports.PairSet, error) {
	if err := ctx.Err(); err != nil {
		return ports.PairSet{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.read {
		return ports.PairSet{}, errcodes.New(errcodes.PriceUnavailable, "")
	}
	return ports.NewPairSet(slices.Collect(maps.Keys(f.prices))...), nil
}

// Mid returns the configured price or error.
func (f *Feed) Mid(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	if err := f.arrive(ctx); err != nil {
		return ports.Price{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p, ok := f.prices[pair]
	switch {
	case f.err != nil:
		return ports.Price{}, f.err
	case !f.read, ok && p.Source == "":
		return ports.Price{}, errcodes.New(errcodes.PriceUnavailable, "")
	case !ok:
		return ports.Price{}, errcodes.New(errcodes.PairNotOffered, "")
	default:
		return p, nil
	}
}

// arrive counts the call and waits while calls are held.
func (f *Feed) arrive(ctx context.Context) error {
	f.mu.Lock()
	f.asked++
	f.counted.Broadcast()
	hold := f.hold.wait
	f.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}
