package chain

import (
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Defaults and bounds of [Config].
const (
	DefaultTimeout    = 5 * time.Second
	MinTimeout        = time.Millisecond
	MaxTimeout        = time.Minute
	DefaultPairsEvery = time.Second
	MaxPairsEvery     = time.Hour
)

// Config tunes a [Feed]. The zero value, and nil, mean the defaults.
type Config struct {
	// Clock tells the age of prices; nil: [ports.SystemClock].
	Clock ports.Clock

	// MaxAge is the age at which a price gives way to a younger one of a later
	// feed; 0: at no age.
	MaxAge time.Duration

	// Timeout bounds one look at all the feeds, from [MinTimeout] to
	// [MaxTimeout]; 0: [DefaultTimeout]. Each feed has an equal share of it, so
	// that one that hangs leaves time for the next.
	Timeout time.Duration

	// PairsEvery is the least time between two looks at what the feeds offer,
	// up to [MaxPairsEvery]; 0: [DefaultPairsEvery].
	PairsEvery time.Duration
}

func (c *Config) filled() (Config, error) {
	var f Config
	if c != nil {
		f = *c
	}
	if f.Clock == nil {
		f.Clock = ports.SystemClock()
	}
	if f.Timeout == 0 {
		f.Timeout = DefaultTimeout
	}
	if f.PairsEvery == 0 {
		f.PairsEvery = DefaultPairsEvery
	}
	switch {
	case f.MaxAge < 0:
		return f, bad("MaxAge must not be negative")
	case f.Timeout < MinTimeout || f.Timeout > MaxTimeout:
		return f, bad(fmt.Sprintf("Timeout must be from %s to %s", MinTimeout, MaxTimeout))
	case f.PairsEvery < 0 || f.PairsEvery > MaxPairsEvery:
		return f, bad(fmt.Sprintf("PairsEvery must be from 1ns to %s", MaxPairsEvery))
	default:
		return f, nil
	}
}

func bad(message string) error { return errcodes.New(errcodes.Configuration, message) }
