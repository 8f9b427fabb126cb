package file

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

// Bounds of [Config].
const (
	DefaultCheckEvery = time.Second
	MaxCheckEvery     = time.Hour
	MaxBody           = 8 << 20 // bytes; a larger file is rejected
)

// Config tunes a [Feed]. The zero value, and nil, mean the defaults.
type Config struct {
	// Clock paces the reads and decides which prices are from the future; nil:
	// [ports.SystemClock].
	Clock ports.Clock

	// Logger logs when a new version is in use, when one is rejected, and when the file
	// is valid again; nil: nothing is logged.
	Logger *slog.Logger

	// CheckEvery is the shortest time between two checks of the file, up to
	// [MaxCheckEvery]; 0: [DefaultCheckEvery].
	CheckEvery time.Duration
}

func (c *Config) withDefaults() (Config, error) {
	f, err := wiring.Defaults(c, Config{Clock: ports.SystemClock(), Logger: slog.New(slog.DiscardHandler), CheckEvery: DefaultCheckEvery})
	return f, cmp.Or(err, errcodes.Within("CheckEvery", f.CheckEvery, 1, MaxCheckEvery))
}
