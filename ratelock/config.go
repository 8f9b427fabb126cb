package ratelock

import (
	"crypto/rand"
	"io"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Defaults of [Config].
const (
	DefaultMaxPriceAge  = 96 * time.Hour
	DefaultMaxClockLead = 10 * time.Minute
	DefaultPriceTimeout = 5 * time.Second
	DefaultEvery        = 2 * time.Second
)

// Config tunes a [Service]. The zero value of each field is its default.
type Config struct {
	// Clock tells the time. Default: ports.SystemClock.
	Clock ports.Clock
	// Random is where ids take their chance from; it must be safe for
	// concurrent use. Default: crypto/rand.
	Random io.Reader
	// Logger hears of what no caller is told: a background failure, a clock
	// that is behind. Default: nothing is logged.
	Logger *slog.Logger
	// Hooks are told the same, for metrics.
	Hooks Hooks
	// MaxPriceAge: an older price is no live price. Default 96 h, which spans
	// a weekend and a holiday of a daily feed. At least 1 s.
	MaxPriceAge time.Duration
	// MaxClockLead is how far a book's high water, or a price's time, may lead
	// the clock before minting is refused: for the book's sake with
	// errcodes.ClockBehind, for the price's with errcodes.PriceUnavailable.
	// Default 10 min. At least 1 ms.
	MaxClockLead time.Duration
	// PriceTimeout bounds one look at the feed, and what a tick of Drift or of a
	// Keeper asks it for the pairs on offer, by the deadline of its context, which
	// feeds heed. Default 5 s. At least 1 ms.
	PriceTimeout time.Duration
	// Every is the pause between two ticks of Run. Default 2 s. At least 1 ms.
	Every time.Duration
}

// Hooks are called in place; they must be quick and safe for concurrent use, and
// must not panic: that ends the process. Each may be nil.
type Hooks struct {
	ClockBehind func(key ports.BookKey, lead time.Duration) // a mint was refused
	Conflict    func(key ports.BookKey)                     // another writer was first; the decision is taken again
	Observed    func(pair ports.Pair, err error)            // a drift tick looked at the pair
	Background  func(err error)                             // a sweep or drift step failed; the next tick tries again
}

func (c *Config) withDefaults() (Config, error) {
	var out Config
	if c != nil {
		out = *c
	}
	if out.Clock == nil {
		out.Clock = ports.SystemClock()
	}
	if out.Random == nil {
		out.Random = rand.Reader
	}
	if out.Logger == nil {
		out.Logger = slog.New(slog.DiscardHandler)
	}
	out.Hooks.fill()
	for _, d := range []struct {
		name       string
		value      *time.Duration
		unset, min time.Duration
	}{
		{"MaxPriceAge", &out.MaxPriceAge, DefaultMaxPriceAge, time.Second},
		{"MaxClockLead", &out.MaxClockLead, DefaultMaxClockLead, time.Millisecond},
		{"PriceTimeout", &out.PriceTimeout, DefaultPriceTimeout, time.Millisecond},
		{"Every", &out.Every, DefaultEvery, time.Millisecond},
	} {
		if *d.value == 0 {
			*d.value = d.unset
		}
		if *d.value < d.min {
			return out, errcodes.New(errcodes.Configuration, d.name+" is at least "+d.min.String())
		}
	}
	return out, nil
}

func (h *Hooks) fill() {
	if h.ClockBehind == nil {
		h.ClockBehind = func(ports.BookKey, time.Duration) {}
	}
	if h.Conflict == nil {
		h.Conflict = func(ports.BookKey) {}
	}
	if h.Observed == nil {
		h.Observed = func(ports.Pair, error) {}
	}
	if h.Background == nil {
		h.Background = func(error) {}
	}
}
