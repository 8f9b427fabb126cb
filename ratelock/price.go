package ratelock

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// prices reads the feed. Callers who want the same pair at the same time share one
// look.
type prices struct {
	feed ports.PriceFeed
	cfg  *Config

	mu    sync.Mutex
	looks map[ports.Pair]*look
}

// look is one call of the feed. The first caller makes it, in its own goroutine,
// because most feeds answer from memory and starting another goroutine would cost
// more than the answer. Later callers wait for the result.
type look struct {
	done   chan struct{} // closed when the fields below are set
	price  ports.Price
	err    error
	gaveUp bool // the first caller's context ended before the feed answered
}

// RetryAfter of PriceUnavailable: what the feed says within these bounds, or the default
// if the feed does not say anything.
const (
	minPriceRetry     = time.Second
	defaultPriceRetry = 30 * time.Second
	maxPriceRetry     = time.Hour
)

// retryLater adds a RetryAfter to PriceUnavailable, and returns other errors unchanged.
func retryLater(err error) error {
	if errcodes.Of(err) != errcodes.PriceUnavailable {
		return err
	}
	wait := cmp.Or(errcodes.RetryAfterOf(err), defaultPriceRetry)
	return errcodes.Wrap(errcodes.PriceUnavailable, errcodes.MessageOf(err), err).
		WithRetryAfter(min(max(wait, minPriceRetry), maxPriceRetry))
}

// live returns a price that is fresh enough for a lock. It returns PairNotOffered,
// PriceUnavailable with a RetryAfter, or the context's error.
func (p *prices) live(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	price, err := p.look(ctx, pair)
	if err == nil {
		err = p.usable(pair, price)
	}
	return price, retryLater(err)
}

// look returns the feed's price and error, of this call or of a concurrent one.
func (p *prices) look(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	for {
		l, first := p.join(pair)
		if first {
			p.ask(ctx, pair, l)
		}
		select {
		case <-l.done:
		case <-ctx.Done():
			return ports.Price{}, ctx.Err()
		}
		switch {
		case l.gaveUp && !first:
			// The first caller's context ended, not this one's: look again.
		default:
			return l.price, l.err
		}
	}
}

// offered returns the pairs on offer, within PriceTimeout. It is for ticks, whose context
// has no deadline.
func (p *prices) offered(ctx context.Context) (pairs ports.PairSet, err error) {
	timed, cancel := context.WithTimeout(ctx, p.cfg.PriceTimeout)
	defer cancel()
	return p.pairs(timed)
}

// pairs returns the pairs on offer. It has no timeout, since feeds answer from memory.
func (p *prices) pairs(ctx context.Context) (pairs ports.PairSet, err error) {
	defer p.recovered(ctx, &err)
	return p.feed.Pairs(ctx)
}

// recovered turns a panic of the feed into an error, so that only one look fails.
func (p *prices) recovered(ctx context.Context, err *error) {
	if v := recover(); v != nil {
		*err = errcodes.Panicked(errcodes.PriceUnavailable, v)
		p.cfg.Logger.ErrorContext(ctx, "price feed panicked", "error", *err, "stack", string(debug.Stack()))
	}
}

// join returns the current look at the pair, or begins one: then first is true, and
// the caller must call ask.
func (p *prices) join(pair ports.Pair) (l *look, first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l, ok := p.looks[pair]; ok {
		return l, false
	}
	l = &look{done: make(chan struct{})}
	p.looks[pair] = l
	return l, true
}

// ask calls the feed and stores the result in the look.
func (p *prices) ask(ctx context.Context, pair ports.Pair, l *look) {
	timed, cancel := context.WithTimeout(ctx, p.cfg.PriceTimeout)
	defer cancel()
	l.price, l.err = p.mid(timed, pair)
	if ctx.Err() != nil {
		l.err, l.gaveUp = ctx.Err(), true
	}
	p.mu.Lock()
	delete(p.looks, pair)
	p.mu.Unlock()
	close(l.done)
}

func (p *prices) mid(ctx context.Context, pair ports.Pair) (price ports.Price, err error) {
	defer p.recovered(ctx, &err)
	price, err = p.feed.Mid(ctx, pair)
	switch errcodes.Of(err) {
	case "", errcodes.PairNotOffered, errcodes.PriceUnavailable:
		return price, err
	default:
		return price, errcodes.Wrap(errcodes.PriceUnavailable, "", err).WithRetryAfter(errcodes.RetryAfterOf(err))
	}
}

// usable rejects the price of another pair, a mid that is not a rate, and a price
// that is too old or too far ahead of the clock.
func (p *prices) usable(pair ports.Pair, price ports.Price) error {
	var why string
	var wait time.Duration
	age, limit := p.cfg.Clock.Now().Sub(price.At), price.AgeLimit(p.cfg.MaxPriceAge)
	switch {
	case price.Pair != pair:
		why = "the feed answered for another pair"
	case ports.CheckRate(price.Mid) != nil:
		why = "the feed's mid is not a rate"
	case age > limit:
		why = fmt.Sprintf("the price is %v old, the limit is %v", age, limit)
	case age < -p.cfg.MaxClockLead:
		why = fmt.Sprintf("the price is %v ahead of the clock, the limit is %v", -age, p.cfg.MaxClockLead)
		wait = -age - p.cfg.MaxClockLead
	default:
		return nil
	}
	return errcodes.Wrap(errcodes.PriceUnavailable, "", errcodes.New(errcodes.PriceUnavailable, why)).WithRetryAfter(wait)
}
