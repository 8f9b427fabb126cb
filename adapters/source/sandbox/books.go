package sandbox

import (
	"cmp"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

// Bounds of [Config.PerDay].
const (
	DefaultPerDay = 60
	MinPerDay     = 30
	MaxPerDay     = 1_000_000
)

// Config tunes [Books]. The zero value, and nil, mean the defaults.
type Config struct {
	// Clock decides what has happened so far; nil: [ports.SystemClock].
	Clock ports.Clock

	// PerDay is about how many transactions an owner has a day, from
	// [MinPerDay] to [MaxPerDay]; 0: [DefaultPerDay]. Another number makes other
	// data.
	PerDay int
}

// Books returns both sides of the data. It holds nothing that changes, and is safe
// for concurrent use.
type Books struct {
	clock  ports.Clock
	perDay int
	codes  map[end][]errcodes.TransactionCode
}

// New returns books. A PerDay out of bounds is [errcodes.Configuration].
func New(cfg *Config) (*Books, error) {
	c, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Books{clock: c.Clock, perDay: c.PerDay, codes: codesByEnd()}, nil
}

func (c *Config) withDefaults() (Config, error) {
	f := *cmp.Or(c, &Config{})
	f.Clock = cmp.Or(f.Clock, ports.SystemClock())
	f.PerDay = cmp.Or(f.PerDay, DefaultPerDay)
	return f, wiring.Within("PerDay", f.PerDay, MinPerDay, MaxPerDay)
}

// Transactions returns the source of what was paid.
func (b *Books) Transactions() *Transactions { return &Transactions{b} }

// Settlements returns the source of what was settled of it.
func (b *Books) Settlements() *Settlements { return &Settlements{b} }

// asOf is how far the books go: to the clock, or to now where that is earlier.
func (b *Books) asOf(now time.Time) time.Time {
	if clock := b.clock.Now(); clock.Before(now) {
		return clock.UTC()
	}
	return now.UTC()
}
