package clientauth

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

// Defaults and bounds of [Config].
const (
	DefaultTokenLifetime = 24 * time.Hour // SPEC 2.2
	MinTokenLifetime     = time.Second
	MaxTokenLifetime     = 24 * time.Hour
	MaxTokens            = 1000 // of one client in the store
	MaxCacheFor          = time.Second
	DefaultCacheEntries  = 65_536
	MaxCacheEntries      = 16_777_216
	DefaultEvery         = 10 * time.Minute
)

// Config tunes an [Authenticator]. The zero value, and nil, mean the defaults.
type Config struct {
	// Clock decides whether secrets and tokens are valid; nil: [ports.SystemClock].
	Clock ports.Clock

	// Random is the source of new tokens. It must be unpredictable and safe for
	// concurrent use. nil: crypto/rand.
	Random io.Reader

	// TokenLifetime is how long a new token is valid, from [MinTokenLifetime]
	// to [MaxTokenLifetime], cut to the millisecond; 0: [DefaultTokenLifetime]. A token
	// ends earlier with the secret that bought it.
	TokenLifetime time.Duration

	// CacheFor is how long an answer of the stores is cached, and so how long a change
	// in them, such as a revocation in another process, may go unnoticed: up to
	// [MaxCacheFor]; 0: [MaxCacheFor]. The age of an answer is measured by the monotonic
	// reading of the clock, which [ports.SystemClock] has. So setting the machine's time
	// does not change it.
	CacheFor time.Duration

	// CacheEntries bounds the cached tokens, from 1 to [MaxCacheEntries], rounded up to
	// a multiple of 64; 0: [DefaultCacheEntries]. Other tokens are read from the stores
	// each time.
	CacheEntries int

	// Every is the pause between two ticks of Run, at least 1 ms; 0: [DefaultEvery].
	Every time.Duration

	Logger *slog.Logger // nil: nothing is logged
	Hooks  Hooks
}

// Hooks are called synchronously and must return quickly. Each may be nil.
type Hooks struct {
	// Background is called with the error of a failed tick; the next tick tries again.
	Background func(ctx context.Context, err error)
}

func (c *Config) withDefaults() (Config, error) {
	f, err := wiring.Defaults(c, Config{
		Clock: ports.SystemClock(), Random: rand.Reader, TokenLifetime: DefaultTokenLifetime, CacheFor: MaxCacheFor,
		CacheEntries: DefaultCacheEntries, Every: DefaultEvery, Logger: slog.New(slog.DiscardHandler),
		Hooks: Hooks{Background: func(context.Context, error) {}},
	})
	return f, cmp.Or(
		err,
		errcodes.Within("TokenLifetime", f.TokenLifetime, MinTokenLifetime, MaxTokenLifetime),
		errcodes.Within("CacheFor", f.CacheFor, 1, MaxCacheFor),
		errcodes.Within("CacheEntries", f.CacheEntries, 1, MaxCacheEntries),
		errcodes.AtLeast("Every", f.Every, time.Millisecond),
	)
}

func badConfig(message string) error { return errcodes.New(errcodes.Configuration, message) }
