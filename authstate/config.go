package authstate

import (
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// DefaultEvery is the pause between two ticks of [Service.Run].
const DefaultEvery = time.Second

// Config tunes a [Service]. The zero value of each field is its default.
type Config struct {
	// Clock tells the time. Default: ports.SystemClock.
	Clock ports.Clock
	// Logger hears of what no caller is told. Default: nothing is logged.
	Logger *slog.Logger
	// Hooks are told the same, for metrics.
	Hooks Hooks
	// Every is the pause between two ticks of Run. Default 1 s. At least 1 ms.
	Every time.Duration
}

// Hooks are called in place; they must be quick and safe for concurrent use, and
// must not panic: that ends the process. Each may be nil. What a provider said
// may hold personal data: it belongs into no metric label.
type Hooks struct {
	// Applied: an outcome was applied, with the effect that it had.
	Applied func(t ports.Transaction, e Effect)
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
	if out.Logger == nil {
		out.Logger = slog.New(slog.DiscardHandler)
	}
	if out.Hooks.Applied == nil {
		out.Hooks.Applied = func(ports.Transaction, Effect) {}
	}
	if out.Hooks.Background == nil {
		out.Hooks.Background = func(error) {}
	}
	if out.Every == 0 {
		out.Every = DefaultEvery
	}
	if out.Every < time.Millisecond {
		return out, errcodes.New(errcodes.Configuration, "Every is at least 1ms")
	}
	return out, nil
}
