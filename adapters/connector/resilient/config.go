package resilient

import (
	"cmp"
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// Defaults and bounds of [Config].
const (
	DefaultMinCalls       = 5
	MaxMinCalls           = 10_000
	DefaultFailurePercent = 50
	DefaultWindow         = 30 * time.Second
	DefaultOpenFor        = 15 * time.Second
	DefaultRetryDelay     = 100 * time.Millisecond
	DefaultMaxConcurrent  = 100
	MaxMaxConcurrent      = 100_000

	MinDuration = time.Millisecond // of Window, OpenFor and RetryDelay
	MaxDuration = time.Hour
)

// Config tunes a [Connector]. The zero value, and nil, mean the defaults.
type Config struct {
	// MinCalls is the number of counted lookups within Window below which the breaker
	// stays closed, from 1 to [MaxMinCalls]; 0: [DefaultMinCalls].
	MinCalls int
	// FailurePercent is the share of failures that opens the breaker, from 1 to 100; 0:
	// [DefaultFailurePercent].
	FailurePercent int
	// Window is how long a lookup counts; 0: [DefaultWindow].
	Window time.Duration
	// OpenFor is how long the breaker stays open before it lets a probe through; 0:
	// [DefaultOpenFor].
	OpenFor time.Duration

	// RetryDelay is the wait before a lookup is repeated; 0: [DefaultRetryDelay].
	RetryDelay time.Duration
	// NoRetry turns off the retry.
	NoRetry bool

	// MaxConcurrent is the maximum number of concurrent lookups, from 1 to
	// [MaxMaxConcurrent]; 0: [DefaultMaxConcurrent]. Lookups above it are answered
	// try_later.
	MaxConcurrent int

	// OnStateChange is called at each change of the breaker, in order, with the context
	// of the lookup that caused it. Lookups wait for it: it must return quickly, and
	// must not look anything up or panic. It may be nil.
	OnStateChange func(ctx context.Context, change StateChange)
}

func (c *Config) withDefaults() (Config, error) {
	f := *cmp.Or(c, &Config{})
	f.MinCalls = cmp.Or(f.MinCalls, DefaultMinCalls)
	f.FailurePercent = cmp.Or(f.FailurePercent, DefaultFailurePercent)
	f.MaxConcurrent = cmp.Or(f.MaxConcurrent, DefaultMaxConcurrent)
	f.Window = cmp.Or(f.Window, DefaultWindow)
	f.OpenFor = cmp.Or(f.OpenFor, DefaultOpenFor)
	f.RetryDelay = cmp.Or(f.RetryDelay, DefaultRetryDelay)
	if f.OnStateChange == nil {
		f.OnStateChange = func(context.Context, StateChange) {}
	}
	return f, cmp.Or(
		errcodes.Within("MinCalls", f.MinCalls, 1, MaxMinCalls),
		errcodes.Within("FailurePercent", f.FailurePercent, 1, 100),
		errcodes.Within("MaxConcurrent", f.MaxConcurrent, 1, MaxMaxConcurrent),
		errcodes.Within("Window", f.Window, MinDuration, MaxDuration),
		errcodes.Within("OpenFor", f.OpenFor, MinDuration, MaxDuration),
		errcodes.Within("RetryDelay", f.RetryDelay, MinDuration, MaxDuration),
	)
}
