package relay

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

// Defaults of [Policy] and [Config].
const (
	DefaultAttempts     = 50
	DefaultFirstPause   = time.Second
	DefaultLongestPause = 15 * time.Minute
	DefaultEvery        = time.Second
	DefaultBatch        = 100
	DefaultLease        = time.Minute
)

// shortestLease is 2 ms because a relay uses half of the lease, and stores keep times to
// the millisecond.
const shortestLease = 2 * time.Millisecond

// Ports are the relay's dependencies. Both are required.
type Ports struct {
	Outbox ports.Outbox
	Sink   ports.EventSink
}

// Policy contains business decisions. A zero field means its default.
type Policy struct {
	Attempts     int           // deliveries of an event that may fail before it is buried; default 50
	FirstPause   time.Duration // before the second attempt, doubled with each; default 1 s
	LongestPause time.Duration // at least FirstPause; default 15 min
}

// Config tunes a [Relay]. A zero field means its default.
type Config struct {
	Clock  ports.Clock   // default: ports.SystemClock
	Logger *slog.Logger  // default: nothing is logged
	Every  time.Duration // pause of Run after a tick that delivered nothing or failed; default 1 s
	Batch  int           // events claimed at once, 1 to 1,000; default 100
	Lease  time.Duration // how long a claimed event is reserved; at least 2 ms, and twice what one delivery may take; default 1 min
	Hooks  Hooks
}

// Hooks are called synchronously; they must return quickly and be safe for concurrent
// use. A panic in one ends the process. Each may be nil.
type Hooks struct {
	// Buried is called with each event that became a dead letter, and the code of the
	// failure. Someone should look into it.
	Buried func(ctx context.Context, e ports.Event, code errcodes.Code)
	// Background is called with errors of the outbox; the next tick tries again.
	Background func(ctx context.Context, err error)
}

func (p Policy) withDefaults() (Policy, error) {
	p, err := wiring.Defaults(&p, Policy{DefaultAttempts, DefaultFirstPause, DefaultLongestPause})
	return p, cmp.Or(
		err,
		errcodes.AtLeast("Attempts", p.Attempts, 1),
		errcodes.AtLeast("FirstPause", p.FirstPause, 1),
		errcodes.AtLeast("LongestPause", p.LongestPause, p.FirstPause),
	)
}

func (c *Config) withDefaults() (Config, error) {
	d, err := wiring.Defaults(c, Config{
		Clock: ports.SystemClock(), Logger: slog.New(slog.DiscardHandler), Every: DefaultEvery, Batch: DefaultBatch, Lease: DefaultLease,
		Hooks: Hooks{
			Buried:     func(context.Context, ports.Event, errcodes.Code) {},
			Background: func(context.Context, error) {},
		},
	})
	return d, cmp.Or(
		err,
		errcodes.AtLeast("Every", d.Every, 1),
		errcodes.Within("Batch", d.Batch, 1, 1000),
		errcodes.AtLeast("Lease", d.Lease, shortestLease),
	)
}

// Relay drains one outbox into one sink. It is safe for concurrent use.
type Relay struct {
	outbox ports.Outbox
	sink   ports.EventSink
	policy Policy
	cfg    Config
	loops  *background.Loops
	fits   atomic.Int64 // how many events to claim so that all are tried within half of a lease
}

// New returns a relay. A nil config means the defaults. A missing port or a value out
// of bounds is [errcodes.Configuration].
func New(p Ports, policy Policy, config *Config) (*Relay, error) {
	policy, errPolicy := policy.withDefaults()
	cfg, err := config.withDefaults()
	if err = cmp.Or(wiring.Check(p), errPolicy, err); err != nil {
		return nil, err
	}
	r := &Relay{outbox: p.Outbox, sink: p.Sink, policy: policy, cfg: cfg, loops: background.New(background.Config{
		Clock: cfg.Clock, Every: cfg.Every, Logger: cfg.Logger, Work: "events", Failed: cfg.Hooks.Background,
	})}
	r.fits.Store(int64(cfg.Batch))
	return r, nil
}
