package validation

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/names"
)

// CheckDigit is the policy for account numbers with a wrong check digit.
type CheckDigit int

// The values of [CheckDigit]. Use Advise with providers' test numbers, which often have
// wrong check digits.
const (
	Enforce CheckDigit = iota // the account is not_found, and no connector is called
	Advise                    // the connectors decide; if none serves the market, as Enforce
)

// Policy contains the decisions of the business.
type Policy struct {
	CheckDigit CheckDigit
	// AnswerTTL is how long a provider's answer serves later requests: 0 (answers are not
	// cached) to 90 days.
	AnswerTTL time.Duration
	// KeepFor is how long a validation can still be read after its answer has become
	// stale: 0 to 10 years.
	KeepFor time.Duration
}

const (
	maxAnswerTTL = 90 * 24 * time.Hour
	maxKeepFor   = 10 * 365 * 24 * time.Hour
)

// Check returns [errcodes.Configuration] if a value is out of bounds.
func (p Policy) Check() error {
	return cmp.Or(
		errcodes.Within("CheckDigit", p.CheckDigit, Enforce, Advise),
		errcodes.Within("AnswerTTL", p.AnswerTTL, 0, maxAnswerTTL),
		errcodes.Within("KeepFor", p.KeepFor, 0, maxKeepFor),
	)
}

// Defaults of [Config].
const (
	DefaultWindow     = 2 * time.Second // SPEC 8
	DefaultTimeout    = 30 * time.Second
	DefaultGrace      = 2 * time.Second
	DefaultEvery      = time.Second
	DefaultMaxLookups = 1000
	DefaultMaxRecent  = 4096
)

// Config tunes a [Service]. The zero value of a field means its default.
type Config struct {
	// Clock is the source of time. Default: ports.SystemClock.
	Clock ports.Clock
	// Random is the source of random ids; it must be safe for concurrent use. Default:
	// crypto/rand.
	Random io.Reader
	// Logger receives the errors that no caller sees. Default: nothing is logged.
	Logger *slog.Logger
	// Hooks are called for metrics.
	Hooks Hooks
	// Names configures the comparison of names.
	Names names.Thresholds
	// Window is how long Validate waits for an answer before it returns a pending
	// validation: at least 1 ms. Default 2 s (SPEC 4.7).
	Window time.Duration
	// Timeout bounds a lookup, including all connectors and waits: at least 1 ms. Default
	// 30 s.
	Timeout time.Duration
	// Grace is how long after Timeout a validation may stay pending before it ends as an
	// error: at least 1 ms. Default 2 s.
	Grace time.Duration
	// Every is the pause between the ticks of Run: at least 1 ms. Default 1 s.
	Every time.Duration
	// MaxLookups bounds the lookups that run at once: at least 1. Validate returns
	// [errcodes.Unavailable] for a request that needs one more. One owner may run at most
	// three lookups for each free one, so at most three quarters of all. Default 1,000.
	MaxLookups int
	// MaxRecent bounds the results of cached answers that stay in this process's memory,
	// including numbers and names, until they are stale. An equal request is then
	// answered without a read or a write. At least 1, or -1 to keep none. Default 4,096.
	MaxRecent int
}

// Hooks are called synchronously. They must be quick and safe for concurrent use, and
// must not panic, which would end the process. Each may be nil. Hooks never receive
// personal data. The context is that of the call, the tick or the lookup.
type Hooks struct {
	// Answered is called when Validate returns a validation, terminal or pending.
	Answered func(ctx context.Context, v ports.ValidationRecord)
	// Ended is called when a pending validation has ended; took is the time since its
	// creation. Callers that made equal requests share one validation.
	Ended func(ctx context.Context, v ports.ValidationRecord, took time.Duration)
	// Asked is called when a call of a connector has ended.
	Asked func(ctx context.Context, connector string, market ports.Market, outcome ports.Outcome, took time.Duration)
	// Late is called when a connector answers after its time. The answer is ignored.
	Late func(ctx context.Context, connector string)
	// Background is called when an operation fails whose error no caller sees. Pending
	// work is retried.
	Background func(ctx context.Context, err error)
}

func (c *Config) withDefaults() (Config, error) {
	d, err := wiring.Defaults(c, Config{
		Clock: ports.SystemClock(), Random: rand.Reader, Logger: slog.New(slog.DiscardHandler),
		Window: DefaultWindow, Timeout: DefaultTimeout, Grace: DefaultGrace, Every: DefaultEvery,
		MaxLookups: DefaultMaxLookups, MaxRecent: DefaultMaxRecent,
		Hooks: Hooks{
			Answered:   func(context.Context, ports.ValidationRecord) {},
			Ended:      func(context.Context, ports.ValidationRecord, time.Duration) {},
			Asked:      func(context.Context, string, ports.Market, ports.Outcome, time.Duration) {},
			Late:       func(context.Context, string) {},
			Background: func(context.Context, error) {},
		},
	})
	return d, cmp.Or(
		err,
		errcodes.AtLeast("Window", d.Window, time.Millisecond),
		errcodes.AtLeast("Timeout", d.Timeout, time.Millisecond),
		errcodes.AtLeast("Grace", d.Grace, time.Millisecond),
		errcodes.AtLeast("Every", d.Every, time.Millisecond),
		errcodes.AtLeast("MaxLookups", d.MaxLookups, 1),
		errcodes.AtLeast("MaxRecent", d.MaxRecent, -1),
		d.Names.Check(),
	)
}
