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

// Feed is a [ports.PriceFeed] over other feeds. It is safe for concurrent use.
type Feed struct {
	feeds  []ports.PriceFeed
	cfg    Config
	flight singleflight.Group

	offer   atomic.Pointer[offer] // the latest; nil: none yet
	looking atomic.Bool           // a caller is renewing the offer
}

// offer contains the pairs that the feeds offered at a time. It never changes.
type offer struct {
	at    time.Time
	pairs ports.PairSet
}

// New returns a feed that asks feeds in order. An empty list, a nil feed, or an invalid
// value in cfg is [errcodes.Configuration].
func New(feeds []ports.PriceFeed, cfg *Config) (*Feed, error) {
	c, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(feeds) == 0 {
		return nil, errcodes.New(errcodes.Configuration, "Feeds is empty, want at least one")
	}
	if err := wiring.Check(struct{ Feeds []ports.PriceFeed }{feeds}); err != nil {
		return nil, err
	}
	return &Feed{feeds: slices.Clone(feeds), cfg: c}, nil
}

// Mid returns the pair's price from the first feed that has one. It returns
// [errcodes.PairNotOffered] if no feed offers the pair, and [errcodes.PriceUnavailable]
// if a feed may offer it but none has a price, with the shortest RetryAfter of the feeds.
// The price keeps the MaxAge of its feed.
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

// look asks the feeds in order, for all callers that wait.
func (f *Feed) look(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	ctx = context.WithoutCancel(ctx)
	var youngest ports.Price // of the old prices
	var errs []error
	for _, feed := range f.feeds {
		price, err := f.ask(ctx, feed, pair)
		switch {
		case errcodes.Of(err) == errcodes.PairNotOffered:
		case err != nil:
			errs = append(errs, err)
		case f.cfg.Clock.Now().Sub(price.At) <= price.AgeLimit(f.cfg.MaxAge):
			return price, nil
		case youngest.Mid == "" || price.At.After(youngest.At):
			youngest = price
		}
	}
	switch {
	case youngest.Mid != "":
		return youngest, nil
	case len(errs) > 0:
		return ports.Price{}, unavailable(errs)
	default:
		return ports.Price{}, errcodes.New(errcodes.PairNotOffered, "")
	}
}

// unavailable joins the feeds' errors, with the RetryAfter of the feed that asks its
// source first.
func unavailable(errs []error) error {
	var soonest time.Duration
	for _, err := range errs {
		if wait := errcodes.RetryAfterOf(err); wait > 0 && (soonest == 0 || wait < soonest) {
			soonest = wait
		}
	}
	return errcodes.Wrap(errcodes.PriceUnavailable, "", errors.Join(errs...)).WithRetryAfter(soonest)
}

// ask returns one feed's price, or the reason why it has no price.
func (f *Feed) ask(ctx context.Context, feed ports.PriceFeed, pair ports.Pair) (ports.Price, error) {
	price, err := call(ctx, f.share(), func(ctx context.Context) (ports.Price, error) { return feed.Mid(ctx, pair) })
	switch {
	case err != nil:
		return ports.Price{}, err
	case price.Pair != pair:
		return ports.Price{}, errors.New("a feed returned the price of another pair")
	case price.At.After(f.cfg.Clock.Now()):
		return ports.Price{}, errors.New("a feed returned a price from the future")
	default:
		return price, ports.CheckRate(price.Mid)
	}
}

func (f *Feed) share() time.Duration { return f.cfg.Timeout / time.Duration(len(f.feeds)) }

// Pairs returns the pairs that at least one of the answering feeds offers, and
// [errcodes.PriceUnavailable] if no feed answers. Once per [Config.PairsEvery], one
// caller asks the feeds; the others get the pairs in memory.
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

// due reports whether to ask again; true also if the clock was set back.
func (f *Feed) due(last *offer) bool {
	age := f.cfg.Clock.Now().Sub(last.at)
	return age < 0 || age >= f.cfg.PairsEvery
}

// union asks all feeds for their pairs.
func (f *Feed) union(ctx context.Context) (ports.PairSet, error) {
	var all []ports.Pair
	var errs []error
	for _, feed := range f.feeds {
		pairs, err := call(ctx, f.share(), feed.Pairs)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, pairs.All()...)
	}
	if len(errs) == len(f.feeds) {
		return ports.PairSet{}, unavailable(errs)
	}
	now := &offer{at: f.cfg.Clock.Now(), pairs: ports.NewPairSet(all...)}
	f.offer.Store(now)
	return now.pairs, nil
}

// LastRead returns the latest time at which a feed read its source, zero if none has,
// and the errors of the feeds whose last read failed, nil if none did. A feed without a
// LastRead method counts as read now, without an error.
func (f *Feed) LastRead() (time.Time, error) {
	var newest time.Time
	errs := make([]error, 0, len(f.feeds))
	for _, feed := range f.feeds {
		at, err := f.cfg.Clock.Now(), error(nil)
		if r, ok := feed.(interface{ LastRead() (time.Time, error) }); ok {
			at, err = r.LastRead()
		}
		if at.After(newest) {
			newest = at
		}
		errs = append(errs, err)
	}
	return newest, errors.Join(errs...)
}

// call limits the time of a call of a feed, even if the feed ignores its context, and
// returns a panic as an error.
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
		// If the answer has arrived at the same moment, it is used.
		select {
		case a := <-answered:
			return a.value, a.err
		default:
			var zero T
			return zero, ctx.Err()
		}
	}
}
