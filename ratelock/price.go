package ratelock

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// prices asks the feed, once for all who want the same pair at the same time.
type prices struct {
	feed ports.PriceFeed
	cfg  *Config

	mu    sync.Mutex
	looks map[ports.Pair]*look
}

// look is a question to the feed that is under way. Who asks first asks for
// all, in its own goroutine: most feeds answer from memory, and handing the
// question to another would cost more than the answer.
type look struct {
	done   chan struct{} // closed when what follows is set
	price  ports.Price
	err    error
	gaveUp bool // the one who asked ended before the feed answered
}

// live returns a price that may price a lock now. Every other outcome than a
// pair that is not offered is errcodes.PriceUnavailable, or ctx's own error.
func (p *prices) live(ctx context.Context, pair ports.Pair) (ports.Price, error) {
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
			// Its end was not this caller's: ask again.
		case l.err != nil:
			return ports.Price{}, l.err
		default:
			return l.price, p.usable(pair, l.price)
		}
	}
}

// offered asks what is on offer, within the patience of one look: a tick has no
// other end, and the next one waits for it.
func (p *prices) offered(ctx context.Context) (pairs ports.PairSet, err error) {
	timed, cancel := context.WithTimeout(ctx, p.cfg.PriceTimeout)
	defer cancel()
	return p.pairs(timed)
}

// pairs asks what is on offer. Feeds answer from memory, so that a caller's own
// patience is enough.
func (p *prices) pairs(ctx context.Context) (pairs ports.PairSet, err error) {
	defer p.recovered(ctx, &err)
	return p.feed.Pairs(ctx)
}

// recovered makes an error of the feed's panic: one look fails, and no process.
func (p *prices) recovered(ctx context.Context, err *error) {
	if v := recover(); v != nil {
		*err = errcodes.Panicked(errcodes.PriceUnavailable, v)
		p.cfg.Logger.ErrorContext(ctx, "the feed panicked", "error", *err, "stack", string(debug.Stack()))
	}
}

// join returns the look at the pair that is under way, or starts one.
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

// ask carries the look out.
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
		return price, errcodes.Wrap(errcodes.PriceUnavailable, "", err)
	}
}

// usable refuses what a feed should not have given: another pair's price, text
// that is no rate, a price too old, or one from the future.
func (p *prices) usable(pair ports.Pair, price ports.Price) error {
	now := p.cfg.Clock.Now()
	var why string
	switch age := now.Sub(price.At); {
	case price.Pair != pair:
		why = "the feed answered for another pair"
	case ports.CheckRate(price.Mid) != nil:
		why = "the feed's mid is no rate"
	case age > p.cfg.MaxPriceAge:
		why = "the price is too old: " + age.Round(time.Second).String()
	case age < -p.cfg.MaxClockLead:
		why = "the price is from the future: " + (-age).Round(time.Second).String()
	default:
		return nil
	}
	return errcodes.Wrap(errcodes.PriceUnavailable, "", errcodes.New(errcodes.PriceUnavailable, why))
}
