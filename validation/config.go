package validation

import (
	"crypto/rand"
	"io"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/names"
)

// CheckDigit says what a check digit that fails means.
type CheckDigit int

// The two. Providers' own test numbers fail their check digits, which is what
// Advise is for.
const (
	Enforce CheckDigit = iota // the account is not_found, and nobody is asked
	Advise                    // the provider decides; without one it is as with Enforce
)

// Policy is what a business decides.
type Policy struct {
	CheckDigit CheckDigit
	// AnswerTTL is how long a provider's answer is good for later requests. 0:
	// no answer is kept. At most 90 days.
	AnswerTTL time.Duration
	// KeepFor is how long a validation stays readable after its answer has
	// become stale. 0: it goes then. At most 10 years.
	KeepFor time.Duration
}

const (
	maxAnswerTTL = 90 * 24 * time.Hour
	maxKeepFor   = 10 * 365 * 24 * time.Hour
)

// Check refuses values out of their bounds, as errcodes.Configuration.
func (p Policy) Check() error {
	switch {
	case p.CheckDigit != Enforce && p.CheckDigit != Advise:
		return misconfigured("CheckDigit is Enforce or Advise")
	case p.AnswerTTL < 0 || p.AnswerTTL > maxAnswerTTL:
		return misconfigured("AnswerTTL is 0 to " + maxAnswerTTL.String())
	case p.KeepFor < 0 || p.KeepFor > maxKeepFor:
		return misconfigured("KeepFor is 0 to " + maxKeepFor.String())
	default:
		return nil
	}
}

func misconfigured(message string) error { return errcodes.New(errcodes.Configuration, message) }

// Defaults of [Config].
const (
	DefaultWindow     = 2 * time.Second // SPEC 8
	DefaultTimeout    = 30 * time.Second
	DefaultGrace      = 2 * time.Second
	DefaultEvery      = time.Second
	DefaultMaxLookups = 1000
	DefaultMaxRecent  = 4096
)

// Config tunes a [Service]. The zero value of each field is its default.
type Config struct {
	// Clock tells the time. Default: ports.SystemClock.
	Clock ports.Clock
	// Random is where ids take their chance from; it must be safe for
	// concurrent use. Default: crypto/rand.
	Random io.Reader
	// Logger hears of what no caller is told. Default: nothing is logged.
	Logger *slog.Logger
	// Hooks are told the same, for metrics.
	Hooks Hooks
	// Names tune the comparison of names.
	Names names.Thresholds
	// Window is how long a call waits for an answer before the validation is
	// pending. Default 2 s (SPEC 4.7). At least 1 ms.
	Window time.Duration
	// Timeout bounds a lookup, all providers and waits included. Default 30 s.
	// At least 1 ms.
	Timeout time.Duration
	// Grace is how much later than Timeout anyone who finds a validation still
	// pending ends it as an error. Default 2 s. At least 1 ms.
	Grace time.Duration
	// Every is the pause between two ticks of Run. Default 1 s. At least 1 ms.
	Every time.Duration
	// MaxLookups is the number of lookups that may run at once; a request that
	// needs one more is errcodes.Unavailable. So that no owner takes the room of
	// all, it gets another only while it has fewer than three for each that is
	// free: alone, three quarters. Default 1,000.
	MaxLookups int
	// MaxRecent is how many results that rest on kept answers stay in this
	// process's memory, numbers and names included, as long as they are good: to
	// be asked the same again then costs no read and no write. Default 4,096; -1
	// for none.
	MaxRecent int
}

// Hooks are called in place; they must be quick and safe for concurrent use, and
// must not panic: that ends the process. Each may be nil. None gets personal
// data.
type Hooks struct {
	// Answered: a call was answered, with an end or with pending.
	Answered func(v ports.ValidationRecord)
	// Settled: a pending validation has come to its end, so long after it was
	// made. Callers who asked the same share one.
	Settled func(v ports.ValidationRecord, took time.Duration)
	// Asked: a connector's call has ended.
	Asked func(connector string, market ports.Market, outcome ports.Outcome, took time.Duration)
	// Late: a connector came with an answer after its time; it is ignored.
	Late func(connector string)
	// Background: a step that no caller hears of failed; it is tried again.
	Background func(err error)
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
	if out.MaxLookups == 0 {
		out.MaxLookups = DefaultMaxLookups
	}
	if out.MaxLookups < 0 {
		return out, misconfigured("MaxLookups is at least 1")
	}
	switch {
	case out.MaxRecent == 0:
		out.MaxRecent = DefaultMaxRecent
	case out.MaxRecent == -1:
		out.MaxRecent = 0
	case out.MaxRecent < -1:
		return out, misconfigured("MaxRecent is at least 1, or -1 for none")
	}
	out.Hooks.fill()
	for _, d := range []struct {
		name  string
		value *time.Duration
		unset time.Duration
	}{
		{"Window", &out.Window, DefaultWindow},
		{"Timeout", &out.Timeout, DefaultTimeout},
		{"Grace", &out.Grace, DefaultGrace},
		{"Every", &out.Every, DefaultEvery},
	} {
		if *d.value == 0 {
			*d.value = d.unset
		}
		if *d.value < time.Millisecond {
			return out, misconfigured(d.name + " is at least 1ms")
		}
	}
	return out, out.Names.Check()
}

func (h *Hooks) fill() {
	if h.Answered == nil {
		h.Answered = func(ports.ValidationRecord) {}
	}
	if h.Settled == nil {
		h.Settled = func(ports.ValidationRecord, time.Duration) {}
	}
	if h.Asked == nil {
		h.Asked = func(string, ports.Market, ports.Outcome, time.Duration) {}
	}
	if h.Late == nil {
		h.Late = func(string) {}
	}
	if h.Background == nil {
		h.Background = func(error) {}
	}
}
