package ratelock

import (
	"context"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/apd/v3"

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

// live gives a price that may price a lock now. Every other outcome than a
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
			// Its end was not this caller's: ask anew.
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

// join gives the look at the pair that is under way, or starts one.
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

// bpsExp is the exponent of one basis point: 1 bp = 10^-4.
const bpsExp = -4

// Price gives the all-in rate for a mid: mid × (10000 + markupBps) / 10000,
// exactly, as plain decimal text without trailing zeros behind the point
// (I6, SPEC 2.3). mid is plain decimal text as ports.SetRate reads it;
// markupBps lies in 0 to MaxMarkupBps. Anything else is errcodes.InvalidRequest.
func Price(mid string, markupBps int) (string, error) {
	if markupBps < 0 || markupBps > MaxMarkupBps {
		return "", invalid("markupBps", "outside 0 to "+strconv.Itoa(MaxMarkupBps))
	}
	var buf [64]byte
	if coeff, scale, ok := ports.SmallRate(mid); ok {
		return string(appendPoint(strconv.AppendUint(buf[:0], coeff*uint64(10_000+markupBps), 10), scale-bpsExp)), nil
	}
	var d apd.Decimal
	if err := ports.SetRate(&d, mid); err != nil {
		return "", err
	}
	addMarkup(&d, markupBps)
	return string(appendPoint(d.Coeff.Append(buf[:0], 10), int(-d.Exponent))), nil
}

// addMarkup multiplies by an integer and shifts the point: nothing is divided,
// so nothing can be rounded.
func addMarkup(d *apd.Decimal, bps int) {
	var factor apd.BigInt
	factor.SetInt64(int64(10_000 + bps))
	d.Coeff.Mul(&d.Coeff, &factor)
	d.Exponent += bpsExp
}

// appendPoint turns the digits of a coefficient into a plain decimal with scale
// digits behind the point, and drops its trailing zeros.
func appendPoint(digits []byte, scale int) []byte {
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = slices.Insert(digits, 0, zeros[:missing]...)
	}
	for scale > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		scale--
	}
	if scale == 0 {
		return digits
	}
	return slices.Insert(digits, len(digits)-scale, '.')
}

// zeros suffices for the widest fraction: that of a rate and a markup's.
var zeros = []byte(strings.Repeat("0", ports.MaxRateDigits-bpsExp+1))
