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
	DefaultMaxPriceAge  = ports.DefaultMaxPriceAge
	DefaultMaxClockLead = 10 * time.Minute
	DefaultPriceTimeout = 5 * time.Second
	DefaultEvery        = 2 * time.Second
)

// Config tunes a [Service]. The zero value of each field means its default.
type Config struct {
	// Clock is read for every decision. Default: ports.SystemClock.
	Clock ports.Clock
	// Random is the source of random bytes for ids. It must be safe for concurrent
	// use. Default: crypto/rand.
	Random io.Reader
	// Logger logs background failures (WARN), clocks that are behind (ERROR), and each
	// mint and each failure to mint (DEBUG). Default: nothing is logged.
	Logger *slog.Logger
	// Hooks are for metrics.
	Hooks Hooks
	// MaxPriceAge is the age above which a price is too old to mint and to cancel for
	// drift, whatever its feed declares. Default: what the feed declares, see
	// [ports.Price.AgeLimit]. At least 1 s.
	MaxPriceAge time.Duration
	// MaxClockLead is how far a book's high water or a price's time may be ahead of
	// the clock. Beyond it minting fails with [errcodes.ClockBehind] because of the
	// book, and with [errcodes.PriceUnavailable] because of the price. Default 10 min.
	// At least 1 ms.
	MaxClockLead time.Duration
	// PriceTimeout limits one call of the feed's Mid, and of its Pairs in a tick of the
	// service or of a Keeper, by the deadline of the context. Default 5 s. At least 1 ms.
	PriceTimeout time.Duration
	// Every is the pause between two ticks of Run. Default 2 s. At least 1 ms.
	Every time.Duration
}

// Hooks are called synchronously, with the context of the call or tick. They must be
// quick and safe for concurrent use. A panic in a hook ends the process. Each may be nil.
type Hooks struct {
	ClockBehind func(ctx context.Context, key ports.BookKey, lead time.Duration) // minting was rejected because the clock is behind
	Conflict    func(ctx context.Context, key ports.BookKey)                     // another writer saved first; the decision is repeated
	Observed    func(ctx context.Context, pair ports.Pair, err error)            // a drift tick asked the feed for the pair's price
	Background  func(ctx context.Context, err error)                             // a tick failed, perhaps in part; the next one tries again
}

func (c *Config) withDefaults() (Config, error) {
	out, err := wiring.Defaults(c, Config{
		Clock: ports.SystemClock(), Random: rand.Reader, Logger: slog.New(slog.DiscardHandler),
		MaxClockLead: DefaultMaxClockLead, PriceTimeout: DefaultPriceTimeout, Every: DefaultEvery,
		Hooks: Hooks{
			ClockBehind: func(context.Context, ports.BookKey, time.Duration) {},
			Conflict:    func(context.Context, ports.BookKey) {},
			Observed:    func(context.Context, ports.Pair, error) {},
			Background:  func(context.Context, error) {},
		},
	})
	return out, cmp.Or(
		err,
		errcodes.AtLeast("MaxPriceAge", cmp.Or(out.MaxPriceAge, time.Second), time.Second),
		errcodes.AtLeast("MaxClockLead", out.MaxClockLead, time.Millisecond),
		errcodes.AtLeast("PriceTimeout", out.PriceTimeout, time.Millisecond),
		errcodes.AtLeast("Every", out.Every, time.Millisecond),
	)
}

func misconfigured(format string, args ...any) error {
	return errcodes.New(errcodes.Configuration, fmt.Sprintf(format, args...))
}
