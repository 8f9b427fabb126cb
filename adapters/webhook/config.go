package webhook

import (
	"cmp"
	"context"
	"crypto/tls"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Defaults of [Config] and [ReceiverConfig].
const (
	DefaultTimeout   = 15 * time.Second
	DefaultGoneFor   = time.Hour
	DefaultTolerance = 5 * time.Minute
	DefaultMaxBody   = 1 << 20
)

// Limits.
const (
	MaxRetryAfter = 24 * time.Hour // the longest wait that a receiver may ask for
	MaxMaxBody    = 16 << 20       // of ReceiverConfig.MaxBody
)

// Config tunes a [Sink]. The zero value, and nil, mean the defaults.
type Config struct {
	// Clock is the time of attempts; default: [ports.SystemClock].
	Clock ports.Clock

	// Timeout bounds an attempt from the look-up of the name to the end of the answer,
	// by the machine's clock; default [DefaultTimeout]. A relay's Lease must be at
	// least twice as long.
	Timeout time.Duration

	// GoneFor is the length of the pause that begins when the receiver answers 410
	// Gone; default [DefaultGoneFor]. Meanwhile only events that were replayed are
	// sent; for others Deliver returns [errcodes.Unavailable], so that a relay keeps
	// them as if the receiver were down. Then the next event is sent as a probe. An
	// answer of 2xx to any event ends the pause, and a 410 begins it again. After any
	// other answer to a probe the next one follows after GoneFor. A sink forgets its
	// pause with the process, and does not share it.
	GoneFor time.Duration

	// AllowPrivate allows an http URL, and a receiver in a private network or on this
	// machine: for development, and for trusted networks.
	AllowPrivate bool

	// TLS configures connections, for example private certificate authorities or a
	// client certificate. It is copied, and the version is at least TLS 1.2. Default:
	// the system's authorities.
	TLS *tls.Config

	// Hooks report attempts.
	Hooks Hooks
}

// Hooks are called synchronously with the context of Deliver, and must not panic: a
// relay treats that as a failed delivery. Each may be nil.
type Hooks struct {
	// Attempted is called after each request with the event's kind, the status of the
	// answer (0 if there was none), the duration by Config.Clock, and the error that
	// Deliver returns. It is not called for an event that is rejected without a
	// request.
	Attempted func(ctx context.Context, kind string, status int, took time.Duration, err error)

	// Paused is called when a pause after a 410 begins (true) and when it ends
	// (false), in this order, while other deliveries wait. A 410 to a probe does not
	// begin another pause.
	Paused func(ctx context.Context, on bool)
}

func (c *Config) withDefaults() (Config, error) {
	f := *cmp.Or(c, &Config{})
	f.Clock = cmp.Or(f.Clock, ports.SystemClock())
	f.Timeout = cmp.Or(f.Timeout, DefaultTimeout)
	f.GoneFor = cmp.Or(f.GoneFor, DefaultGoneFor)
	if f.Hooks.Attempted == nil {
		f.Hooks.Attempted = func(context.Context, string, int, time.Duration, error) {}
	}
	if f.Hooks.Paused == nil {
		f.Hooks.Paused = func(context.Context, bool) {}
	}
	return f, cmp.Or(errcodes.NotNil("Clock", f.Clock), errcodes.AtLeast("Timeout", f.Timeout, 1), errcodes.AtLeast("GoneFor", f.GoneFor, 1))
}

// tls returns the configuration of connections.
func (c *Config) tls() *tls.Config {
	settings := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.TLS != nil {
		settings = c.TLS.Clone()
		settings.MinVersion = max(settings.MinVersion, tls.VersionTLS12)
	}
	return settings
}

// ReceiverConfig tunes a [Receiver]. The zero value, and nil, mean the defaults.
type ReceiverConfig struct {
	Clock     ports.Clock   // default: ports.SystemClock
	Tolerance time.Duration // how far a message's timestamp may be from the clock, before or after it; default [DefaultTolerance]
	MaxBody   int64         // the longest body in bytes, up to [MaxMaxBody]; default [DefaultMaxBody]
}

func (c *ReceiverConfig) withDefaults() (ReceiverConfig, error) {
	f := *cmp.Or(c, &ReceiverConfig{})
	f.Clock = cmp.Or(f.Clock, ports.SystemClock())
	f.Tolerance = cmp.Or(f.Tolerance, DefaultTolerance)
	f.MaxBody = cmp.Or(f.MaxBody, DefaultMaxBody)
	return f, cmp.Or(
		errcodes.NotNil("Clock", f.Clock),
		errcodes.Within("MaxBody", f.MaxBody, 1, MaxMaxBody),
		errcodes.AtLeast("Tolerance", f.Tolerance, 1),
	)
}
