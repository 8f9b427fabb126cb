package webhook

import (
	"crypto/tls"
	"fmt"
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

// Bounds.
const (
	MaxRetryAfter = 24 * time.Hour // the longest wait that a receiver may ask for
	MaxMaxBody    = 16 << 20       // of ReceiverConfig.MaxBody
)

// Config tunes a [Sink]. The zero value of each field, and nil, mean the
// default.
type Config struct {
	// Clock dates the attempts; default: [ports.SystemClock].
	Clock ports.Clock

	// Timeout bounds an attempt from looking the name up to the end of the
	// answer; default 15 s. It runs on the machine's clock. A relay's Lease is at
	// least twice as long.
	Timeout time.Duration

	// GoneFor is for how long no event is sent after the receiver answered 410
	// Gone; default 1 h. Events of that time are refused with the code of the
	// 410, so that a relay buries them; they can be replayed when it is back,
	// which the first event after that time finds out.
	GoneFor time.Duration

	// AllowPrivate lets the URL be http and the receiver be in a private
	// network or on this machine: for development, and for networks that one
	// trusts.
	AllowPrivate bool

	// TLS adds private certificate authorities, or a certificate to present. It
	// is copied; below TLS 1.2 nothing is spoken. Default: the system's
	// authorities.
	TLS *tls.Config

	// Hooks are told what happens.
	Hooks Hooks
}

// Hooks are called by the goroutine that delivers, and must not panic: a relay
// takes that for a failed delivery. A nil one is left out.
type Hooks struct {
	// Attempted is called after each request: with the event's kind, the status
	// of the answer (0 when there was none), how long it took by Config.Clock,
	// and what Deliver returns. An event that is refused without a request is no
	// attempt.
	Attempted func(kind string, status int, took time.Duration, err error)
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
	if f.GoneFor == 0 {
		f.GoneFor = DefaultGoneFor
	}
	if f.Hooks.Attempted == nil {
		f.Hooks.Attempted = func(string, int, time.Duration, error) {}
	}
	if f.Timeout < 0 || f.GoneFor < 0 {
		return f, errcodes.New(errcodes.Configuration, "Timeout and GoneFor are above 0")
	}
	return f, nil
}

// tls gives the settings of connections.
func (c *Config) tls() *tls.Config {
	settings := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.TLS != nil {
		settings = c.TLS.Clone()
		settings.MinVersion = max(settings.MinVersion, tls.VersionTLS12)
	}
	return settings
}

// ReceiverConfig tunes a [Receiver]. The zero value of each field, and nil, mean
// the default.
type ReceiverConfig struct {
	Clock     ports.Clock   // default: ports.SystemClock
	Tolerance time.Duration // how far a message's timestamp may be from the clock, both ways; default 5 min
	MaxBody   int64         // the longest body, in bytes, up to MaxMaxBody; default 1 MiB
}

func (c *ReceiverConfig) filled() (ReceiverConfig, error) {
	var f ReceiverConfig
	if c != nil {
		f = *c
	}
	if f.Clock == nil {
		f.Clock = ports.SystemClock()
	}
	if f.Tolerance == 0 {
		f.Tolerance = DefaultTolerance
	}
	if f.MaxBody == 0 {
		f.MaxBody = DefaultMaxBody
	}
	if f.Tolerance < 0 || f.MaxBody < 0 || f.MaxBody > MaxMaxBody {
		return f, errcodes.New(errcodes.Configuration, fmt.Sprintf("Tolerance is above 0, MaxBody from 1 to %d", MaxMaxBody))
	}
	return f, nil
}
