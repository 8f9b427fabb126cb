package resilient

import (
	"fmt"
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
	// MinCalls is the number of counted lookups within Window below which the
	// breaker stays closed, from 1 to [MaxMinCalls]; 0: [DefaultMinCalls].
	MinCalls int
	// FailurePercent is the share of failures that opens it, from 1 to 100; 0:
	// [DefaultFailurePercent].
	FailurePercent int
	// Window is how long a lookup counts; 0: [DefaultWindow].
	Window time.Duration
	// OpenFor is how long the breaker stays open before it lets a probe
	// through; 0: [DefaultOpenFor].
	OpenFor time.Duration

	// RetryDelay is the wait before a lookup is repeated; 0: [DefaultRetryDelay].
	RetryDelay time.Duration
	// NoRetry leaves out the retry.
	NoRetry bool

	// MaxConcurrent is the number of lookups at a time beyond which one is
	// answered try_later, from 1 to [MaxMaxConcurrent]; 0: [DefaultMaxConcurrent].
	MaxConcurrent int

	// OnStateChange hears of each change of the breaker, in order; nil: nobody
	// does. Lookups wait for it: it must return soon, not look up anything and
	// not panic.
	OnStateChange func(StateChange)
}

func (c *Config) filled() (Config, error) {
	var f Config
	if c != nil {
		f = *c
	}
	for _, n := range []struct {
		name       string
		value      *int
		zero, most int
	}{
		{"MinCalls", &f.MinCalls, DefaultMinCalls, MaxMinCalls},
		{"FailurePercent", &f.FailurePercent, DefaultFailurePercent, 100},
		{"MaxConcurrent", &f.MaxConcurrent, DefaultMaxConcurrent, MaxMaxConcurrent},
	} {
		if *n.value == 0 {
			*n.value = n.zero
		}
		if *n.value < 1 || *n.value > n.most {
			return f, bad(fmt.Sprintf("%s must be from 1 to %d", n.name, n.most))
		}
	}
	for _, d := range []struct {
		name  string
		value *time.Duration
		zero  time.Duration
	}{
		{"Window", &f.Window, DefaultWindow},
		{"OpenFor", &f.OpenFor, DefaultOpenFor},
		{"RetryDelay", &f.RetryDelay, DefaultRetryDelay},
	} {
		if *d.value == 0 {
			*d.value = d.zero
		}
		if *d.value < MinDuration || *d.value > MaxDuration {
			return f, bad(fmt.Sprintf("%s must be from %s to %s", d.name, MinDuration, MaxDuration))
		}
	}
	return f, nil
}

func bad(message string) error { return errcodes.New(errcodes.Configuration, message) }
