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

// CheckDigit says what a wrong check digit means.
type CheckDigit int

// The values of [CheckDigit]. Providers' own test numbers have wrong check digits:
// Advise lets them pass.
const (
	Enforce CheckDigit = iota // the account is not_found, and nobody is asked
	Advise                    // the provider decides; without one it is as with Enforce
)

// Policy is what a business decides.
type Policy struct {
	CheckDigit CheckDigit
	// AnswerTTL is how long a provider's answer serves later requests: 0 (no answer
	// is kept) to 90 days.
	AnswerTTL time.Duration
	// KeepFor is how long a validation stays readable after its answer has become
	// stale: 0 to 10 years.
	KeepFor time.Duration
}

const (
	maxAnswerTTL = 90 * 24 * time.Hour
	maxKeepFor   = 10 * 365 * 24 * time.Hour
)

// Check returns [errcodes.Configuration] if a value is out of its bounds.
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

// Config tunes a [Service]. The zero value of each field means its default.
type Config struct {
	// Clock is the source of the time. Default: ports.SystemClock.
	Clock ports.Clock
	// Random is the source of randomness of ids; it must be safe for concurrent
	// use. Default: crypto/rand.
	Random io.Reader
	// Logger gets what no caller sees. Default: nothing is logged.
	Logger *slog.Logger
	// Hooks are for metrics.
	Hooks Hooks
	// Names tunes the comparison of names.
	Names names.Thresholds
	// Window is how long a call waits for an answer before the validation is
	// pending: at least 1 ms. Default 2 s (SPEC 4.7).
	Window time.Duration
	// Timeout bounds a lookup, all providers and waits included: at least 1 ms.
	// Default 30 s.
	Timeout time.Duration
	// Grace is how long after Timeout a validation that is still pending ends as an
	// error: at least 1 ms. Default 2 s.
	Grace time.Duration
	// Every is the pause between two ticks of Run: at least 1 ms. Default 1 s.
	Every time.Duration
	// MaxLookups is how many lookups may run at once: at least 1. A request that
	// needs one more is [errcodes.Unavailable]. An owner gets another lookup only
	// while it has fewer than three for each one that is free: alone it may have
	// three quarters of all. Default 1,000.
	MaxLookups int
	// MaxRecent is how many results that rest on kept answers stay in this
	// process's memory, numbers and names included, until they are stale: an equal
	// request then costs no read and no write. At least 1, or -1 for none. Default
	// 4,096.
	MaxRecent int
}

// Hooks are called in place: they must be quick, safe for concurrent use, and must
// not panic, which would end the process. Each may be nil. No hook gets personal
// data. The context is the call's, or the tick's or lookup's in the background.
type Hooks struct {
	// Answered is called when Validate returns a validation, ended or pending.
	Answered func(ctx context.Context, v ports.ValidationRecord)
	// Ended is called when a pending validation has ended; took is the time since
	// it was created. Callers who made the same request share one.
	Ended func(ctx context.Context, v ports.ValidationRecord, took time.Duration)
	// Asked is called when a connector's call has ended.
	Asked func(ctx context.Context, connector string, market ports.Market, outcome ports.Outcome, took time.Duration)
	// Late is called when a connector answers after its time; the answer is ignored.
	Late func(ctx context.Context, connector string)
	// Background is called when a step failed that no caller sees. What was pending
	// is tried again.
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
