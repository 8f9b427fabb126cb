package relay

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Defaults of [Config].
const (
	DefaultEvery        = time.Second
	DefaultBatch        = 100
	DefaultLease        = time.Minute
	DefaultFirstPause   = time.Second
	DefaultLongestPause = 15 * time.Minute
	DefaultAttempts     = 50
)

// shortestLease leaves a half that a store which keeps milliseconds can tell.
const shortestLease = 2 * time.Millisecond

// Config tunes a [Relay]. The zero value of each field is its default.
type Config struct {
	Clock        ports.Clock   // default: ports.SystemClock
	Logger       *slog.Logger  // default: nothing is logged
	Every        time.Duration // pause of Run after a tick that delivered nothing, or failed; default 1 s
	Batch        int           // events claimed at once, 1 to 1,000; default 100
	Lease        time.Duration // after which a claim that was not settled is free again; at least 2 ms, and twice what one delivery may take; default 1 min
	FirstPause   time.Duration // before the second attempt, doubled with each; default 1 s
	LongestPause time.Duration // default 15 min
	Attempts     int           // after which an event is buried; default 50

	// Buried is told, in place, of each event that was set aside, with the code of
	// the failure: somebody should look. It must not panic. Default: nobody.
	Buried func(e ports.Event, code errcodes.Code)
}

// Relay drains one outbox into one sink. It is safe for concurrent use.
type Relay struct {
	outbox ports.Outbox
	sink   ports.EventSink
	cfg    Config
	fits   atomic.Int64 // how many events to claim, so that they are tried within half a lease
}

// New makes a relay. A value out of its bounds is errcodes.Configuration.
func New(outbox ports.Outbox, sink ports.EventSink, config *Config) (*Relay, error) {
	if outbox == nil || sink == nil {
		return nil, errcodes.New(errcodes.Configuration, "an outbox and a sink are required")
	}
	var cfg Config
	if config != nil {
		cfg = *config
	}
	if cfg.Clock == nil {
		cfg.Clock = ports.SystemClock()
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Buried == nil {
		cfg.Buried = func(ports.Event, errcodes.Code) {}
	}
	set(&cfg.Every, DefaultEvery)
	set(&cfg.Batch, DefaultBatch)
	set(&cfg.Lease, DefaultLease)
	set(&cfg.FirstPause, DefaultFirstPause)
	set(&cfg.LongestPause, DefaultLongestPause)
	set(&cfg.Attempts, DefaultAttempts)
	switch {
	case cfg.Every < 0 || cfg.FirstPause < 0 || cfg.LongestPause < cfg.FirstPause:
		return nil, errcodes.New(errcodes.Configuration, "pauses are above 0, and LongestPause is no less than FirstPause")
	case cfg.Lease < shortestLease:
		return nil, errcodes.New(errcodes.Configuration, "Lease is at least "+shortestLease.String())
	case cfg.Batch < 1 || cfg.Batch > 1000:
		return nil, errcodes.New(errcodes.Configuration, "Batch is 1 to 1000")
	case cfg.Attempts < 1:
		return nil, errcodes.New(errcodes.Configuration, "Attempts is at least 1")
	}
	r := &Relay{outbox: outbox, sink: sink, cfg: cfg}
	r.fits.Store(int64(cfg.Batch))
	return r, nil
}

func set[T comparable](field *T, unset T) {
	var zero T
	if *field == zero {
		*field = unset
	}
}

// Run ticks until ctx is done, and gives its error. It pauses for Config.Every
// when a tick delivered nothing. An error of the outbox is logged, and the tick
// after the pause tries again.
func (r *Relay) Run(ctx context.Context) error {
	for {
		delivered, err := r.Tick(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			r.cfg.Logger.WarnContext(ctx, "outbox not drained; the next tick tries again", "error", err)
		case delivered > 0:
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.cfg.Clock.After(r.cfg.Every):
		}
	}
}
