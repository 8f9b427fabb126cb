package ratelock

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wiring"
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
	// Clock is read for every decision. Default: ports.SystemClock.
	Clock ports.Clock
	// Random is where ids take their chance from; it must be safe for
	// concurrent use. Default: crypto/rand.
	Random io.Reader
	// Logger gets background failures (WARN), clocks that are behind (ERROR), and
	// each mint and each refusal of one (DEBUG). Default: nothing is logged.
	Logger *slog.Logger
	// Hooks are called for what is counted in metrics.
	Hooks Hooks
	// MaxPriceAge is the age at which a price is too old to mint. Default 96 h,
	// which spans a weekend and a holiday of a daily feed. At least 1 s.
	MaxPriceAge time.Duration
	// MaxClockLead is how far a book's high water, or a price's time, may lead
	// the clock before minting is refused: for the book's sake with
	// [errcodes.ClockBehind], for the price's with [errcodes.PriceUnavailable].
	// Default 10 min. At least 1 ms.
	MaxClockLead time.Duration
	// PriceTimeout bounds one look at the feed, and what a tick of the service or
	// of a Keeper asks it for the pairs on offer, by the deadline of its context,
	// which feeds heed. Default 5 s. At least 1 ms.
	PriceTimeout time.Duration
	// Every is the pause between two ticks of Run. Default 2 s. At least 1 ms.
	Every time.Duration
}

// Hooks are called in place, with the context of the call or tick; they must be
// quick and safe for concurrent use, and must not panic, which ends the process.
// Each may be nil.
type Hooks struct {
	ClockBehind func(ctx context.Context, key ports.BookKey, lead time.Duration) // a mint was refused
	Conflict    func(ctx context.Context, key ports.BookKey)                     // another writer was first; the decision is taken again
	Observed    func(ctx context.Context, pair ports.Pair, err error)            // a drift tick looked at the pair
	Background  func(ctx context.Context, err error)                             // a tick failed in part; the next one tries again
}

func (c *Config) withDefaults() (Config, error) {
	out, err := wiring.Defaults(c, Config{
		Clock: ports.SystemClock(), Random: rand.Reader, Logger: slog.New(slog.DiscardHandler),
		MaxPriceAge: DefaultMaxPriceAge, MaxClockLead: DefaultMaxClockLead, PriceTimeout: DefaultPriceTimeout, Every: DefaultEvery,
		Hooks: Hooks{
			ClockBehind: func(context.Context, ports.BookKey, time.Duration) {},
			Conflict:    func(context.Context, ports.BookKey) {},
			Observed:    func(context.Context, ports.Pair, error) {},
			Background:  func(context.Context, error) {},
		},
	})
	return out, cmp.Or(
		err,
		errcodes.AtLeast("MaxPriceAge", out.MaxPriceAge, time.Second),
		errcodes.AtLeast("MaxClockLead", out.MaxClockLead, time.Millisecond),
		errcodes.AtLeast("PriceTimeout", out.PriceTimeout, time.Millisecond),
		errcodes.AtLeast("Every", out.Every, time.Millisecond),
	)
}

func misconfigured(format string, args ...any) error {
	return errcodes.New(errcodes.Configuration, fmt.Sprintf(format, args...))
}
