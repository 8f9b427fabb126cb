package portstest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

// internal/docs/adapters/feed.md shows this feed.

// Feed asks an upstream desk that quotes rand for a dollar.
type Feed struct {
	desk  Desk
	clock ports.Clock
}

// Desk returns the last quote as decimal text and its time at the desk.
type Desk interface {
	Rand(ctx context.Context) (mid string, at time.Time, err error)
}

var usdzar = ports.Pair{Base: "USD", Quote: "ZAR"} // 1 USD = mid ZAR

func New(desk Desk, clock ports.Clock) *Feed { return &Feed{desk, clock} }

func (f *Feed) Pairs(ctx context.Context) (ports.PairSet, error) {
	return ports.NewPairSet(usdzar), ctx.Err()
}

func (f *Feed) Mid(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	if err := ctx.Err(); err != nil {
		return ports.Price{}, err
	}
	if pair != usdzar {
		return ports.Price{}, errcodes.New(errcodes.PairNotOffered, "")
	}
	mid, at, err := f.desk.Rand(ctx)
	if err == nil {
		err = ports.CheckRate(mid) // rejects zero, negatives, NaN, exponents and rates out of range
	}
	if err == nil && at.After(f.clock.Now()) {
		err = errors.New("the price is from the future")
	}
	if err != nil {
		return ports.Price{}, errcodes.Wrap(errcodes.PriceUnavailable, "", err)
	}
	return ports.Price{Pair: pair, Mid: mid, Source: "bank", At: at.UTC().Truncate(time.Millisecond)}, nil
}

// TestTheGuidesFeedConforms runs the suite on the page's feed, also when its source
// fails or returns wrong prices.
func TestTheGuidesFeedConforms(t *testing.T) {
	now := time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)
	clock := portstest.NewClock(now)
	with := func(d quoted) func(testing.TB) ports.PriceFeed {
		return func(testing.TB) ports.PriceFeed { return New(&d, clock) }
	}
	portstest.PriceFeed(t, portstest.FeedHarness{
		Now:       clock.Now,
		Open:      with(quoted{"16.1563", now, nil}),
		NeverRead: with(quoted{err: errors.New("no answer yet")}),
		Down: func(testing.TB) (ports.PriceFeed, func()) {
			d := &quoted{"16.1563", now, nil}
			return New(d, clock), func() { d.err = errors.New("no answer") }
		},
		Broken: map[string]func(testing.TB) ports.PriceFeed{
			"an error page": with(quoted{err: errors.New("<html>")}),
			"zero":          with(quoted{"0", now, nil}),
			"tomorrow":      with(quoted{"16.1563", now.AddDate(0, 0, 1), nil}),
		},
	})
}

// quoted is a desk with one quote.
type quoted struct {
	mid string
	at  time.Time
	err error
}

func (q *quoted) Rand(context.Context) (string, time.Time, error) { return q.mid, q.at, q.err }
