package chain

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

// Feed is a [ports.PriceFeed] over others. It is safe for concurrent use.
type Feed struct {
	feeds  []ports.PriceFeed
	cfg    Config
	flight singleflight.Group

	offer   atomic.Pointer[offer] // the last; nil: none yet
	looking atomic.Bool           // somebody renews it
}

// offer is what the feeds offered at some time. It never changes.
type offer struct {
	at    time.Time
	pairs ports.PairSet
}

// New returns a feed that asks feeds in order. No feed, a nil feed, or a bad value
// in cfg is [errcodes.Configuration].
func New(feeds []ports.PriceFeed, cfg *Config) (*Feed, error) {
	c, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(feeds) == 0 {
		return nil, errcodes.New(errcodes.Configuration, "Feeds must not be empty")
	}
	if err := wiring.Check(struct{ Feeds []ports.PriceFeed }{feeds}); err != nil {
		return nil, err
	}
	return &Feed{feeds: slices.Clone(feeds), cfg: c}, nil
}

// Mid returns the pair's price from the first feed that has one. If no feed offers
// the pair it is [errcodes.PairNotOffered]; if one may offer it and none has a
// price, [errcodes.PriceUnavailable].
func (f *Feed) Mid(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	if err := ctx.Err(); err != nil {
		return ports.Price{}, err
	}
	looked := f.flight.DoChan(pair.String(), func() (any, error) { return f.look(ctx, pair) })
	select {
	case r := <-looked:
		price, _ := r.Val.(ports.Price)
		return price, r.Err
	case <-ctx.Done():
		return ports.Price{}, ctx.Err()
	}
}

// look asks one feed after the other, for all who wait.
func (f *Feed) look(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	ctx = context.WithoutCancel(ctx)
	var youngest ports.Price // of those kept back
	var troubles []error
	for _, feed := range f.feeds {
		price, err := f.ask(ctx, feed, pair)
		switch {
		case errcodes.Of(err) == errcodes.PairNotOffered:
		case err != nil:
			troubles = append(troubles, err)
		case f.cfg.MaxAge == 0 || f.cfg.Clock.Now().Sub(price.At) <= f.cfg.MaxAge:
			return price, nil
		case youngest.Mid == "" || price.At.After(youngest.At):
			youngest = price
		}
	}
	switch {
	case youngest.Mid != "":
		return youngest, nil
	case len(troubles) > 0:
		return ports.Price{}, errcodes.Wrap(errcodes.PriceUnavailable, "", errors.Join(troubles...))
	default:
		return ports.Price{}, errcodes.New(errcodes.PairNotOffered, "")
	}
}

// ask returns one feed's price, or why it has none.
func (f *Feed) ask(ctx context.Context, feed ports.PriceFeed, pair ports.Pair) (ports.Price, error) {
	price, err := call(ctx, f.share(), func(ctx context.Context) (ports.Price, error) { return feed.Mid(ctx, pair) })
	switch {
	case err != nil:
		return ports.Price{}, err
	case price.Pair != pair:
		return ports.Price{}, errors.New("a feed answered for another pair")
	case price.At.After(f.cfg.Clock.Now()):
		return ports.Price{}, errors.New("a feed's price is from the future")
	default:
		return price, ports.CheckRate(price.Mid)
	}
}

func (f *Feed) share() time.Duration { return f.cfg.Timeout / time.Duration(len(f.feeds)) }

// Pairs returns all pairs that one of the feeds offers, of those that answer. If
// none answers it is [errcodes.PriceUnavailable]. One caller each
// [Config.PairsEvery] asks the feeds; the others answer from memory.
func (f *Feed) Pairs(ctx context.Context) (ports.PairSet, error) {
	if err := ctx.Err(); err != nil {
		return ports.PairSet{}, err
	}
	if last := f.offer.Load(); last != nil {
		if !f.due(last) || !f.looking.CompareAndSwap(false, true) {
			return last.pairs, nil
		}
		defer f.looking.Store(false)
	}
	looked := f.flight.DoChan("", func() (any, error) { return f.union(context.WithoutCancel(ctx)) })
	select {
	case r := <-looked:
		pairs, _ := r.Val.(ports.PairSet)
		return pairs, r.Err
	case <-ctx.Done():
		return ports.PairSet{}, ctx.Err()
	}
}

// due reports whether it is time to ask again. A clock that went back makes it so.
func (f *Feed) due(last *offer) bool {
	age := f.cfg.Clock.Now().Sub(last.at)
	return age < 0 || age >= f.cfg.PairsEvery
}

// union asks all feeds what they offer.
func (f *Feed) union(ctx context.Context) (ports.PairSet, error) {
	var all []ports.Pair
	var troubles []error
	for _, feed := range f.feeds {
		pairs, err := call(ctx, f.share(), feed.Pairs)
		if err != nil {
			troubles = append(troubles, err)
			continue
		}
		all = append(all, pairs.All()...)
	}
	if len(troubles) == len(f.feeds) {
		return ports.PairSet{}, errcodes.Wrap(errcodes.PriceUnavailable, "", errors.Join(troubles...))
	}
	now := &offer{at: f.cfg.Clock.Now(), pairs: ports.NewPairSet(all...)}
	f.offer.Store(now)
	return now.pairs, nil
}

// LastRead returns the newest of the times at which the feeds last read their
// sources, zero if none was read yet, and the troubles of those whose last look
// failed: nil when all is well. A feed without a LastRead method counts as read
// now, and well.
func (f *Feed) LastRead() (time.Time, error) {
	var newest time.Time
	troubles := make([]error, 0, len(f.feeds))
	for _, feed := range f.feeds {
		at, err := f.cfg.Clock.Now(), error(nil)
		if r, ok := feed.(interface{ LastRead() (time.Time, error) }); ok {
			at, err = r.LastRead()
		}
		if at.After(newest) {
			newest = at
		}
		troubles = append(troubles, err)
	}
	return newest, errors.Join(troubles...)
}

// call bounds a call of a feed, whether or not the feed heeds its context, and
// makes an error of its panic.
func call[T any](ctx context.Context, limit time.Duration, feed func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	type answer struct {
		value T
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		defer cancel()
		var a answer
		defer func() {
			if v := recover(); v != nil {
				a.err = errcodes.Panicked(errcodes.PriceUnavailable, v)
			}
			answered <- a
		}()
		a.value, a.err = feed(ctx)
	}()
	select {
	case a := <-answered:
		return a.value, a.err
	case <-ctx.Done():
		// The answer may have come in the same moment.
		select {
		case a := <-answered:
			return a.value, a.err
		default:
			var none T
			return none, ctx.Err()
		}
	}
}
