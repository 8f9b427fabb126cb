package file

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Bounds of [Config].
const (
	DefaultCheckEvery = time.Second
	MaxCheckEvery     = time.Hour
	MaxBody           = 8 << 20 // bytes; a larger file is broken
)

// Config tunes a [Feed]. The zero value, and nil, mean the defaults.
type Config struct {
	// Clock paces the looks and tells which prices lie in the future; nil:
	// [ports.SystemClock].
	Clock ports.Clock

	// Logger is told when a version is refused, and when the file is good
	// again; nil: none.
	Logger *slog.Logger

	// CheckEvery is the least time between two looks at the file, up to
	// [MaxCheckEvery]; 0: [DefaultCheckEvery].
	CheckEvery time.Duration
}

func (c *Config) filled() (Config, error) {
	var f Config
	if c != nil {
		f = *c
	}
	if f.Clock == nil {
		f.Clock = ports.SystemClock()
	}
	if f.Logger == nil {
		f.Logger = slog.New(slog.DiscardHandler)
	}
	if f.CheckEvery == 0 {
		f.CheckEvery = DefaultCheckEvery
	}
	if f.CheckEvery < 0 || f.CheckEvery > MaxCheckEvery {
		return f, errcodes.New(errcodes.Configuration, fmt.Sprintf("CheckEvery must be from 1ns to %s", MaxCheckEvery))
	}
	return f, nil
}
