package chain

import (
	"cmp"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wiring"
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
	// Clock measures the age of prices; nil: [ports.SystemClock].
	Clock ports.Clock

	// MaxAge is the age above which a price is only used if no later feed has a younger
	// one; 0: what the price's own feed declares, see [ports.Price.AgeLimit]. Set it to
	// ratelock.Config.MaxPriceAge, or leave both 0.
	MaxAge time.Duration

	// Timeout bounds one look-up in all the feeds, from [MinTimeout] to [MaxTimeout];
	// 0: [DefaultTimeout]. Each feed has an equal share, so that a feed that hangs
	// leaves time for the next.
	Timeout time.Duration

	// PairsEvery is the shortest time between two requests for the feeds' pairs, up to
	// [MaxPairsEvery]; 0: [DefaultPairsEvery].
	PairsEvery time.Duration
}

func (c *Config) withDefaults() (Config, error) {
	f, err := wiring.Defaults(c, Config{Clock: ports.SystemClock(), Timeout: DefaultTimeout, PairsEvery: DefaultPairsEvery})
	return f, cmp.Or(
		err,
		errcodes.AtLeast("MaxAge", f.MaxAge, 0),
		errcodes.Within("Timeout", f.Timeout, MinTimeout, MaxTimeout),
		errcodes.Within("PairsEvery", f.PairsEvery, 1, MaxPairsEvery),
	)
}
