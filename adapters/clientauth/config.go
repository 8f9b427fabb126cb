package clientauth

import (
	"crypto/rand"
	"fmt"
	"io"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Bounds of [Config].
const (
	DefaultTokenLifetime = 24 * time.Hour // SPEC 2.2
	MinTokenLifetime     = time.Second
	MaxTokenLifetime     = 90 * 24 * time.Hour
	MaxCacheFor          = 5 * time.Second
	DefaultCacheEntries  = 65_536
	MaxCacheEntries      = 16_777_216
)

// Config tunes an [Authenticator]. The zero value, and nil, mean the defaults.
type Config struct {
	// Clock is the time that windows and lifetimes are judged by; nil:
	// [ports.SystemClock].
	Clock ports.Clock

	// Random gives the bits of new tokens. It must be safe for use by many
	// goroutines and unpredictable. nil: crypto/rand.
	Random io.Reader

	// TokenLifetime is how long a new token is valid, from [MinTokenLifetime]
	// to [MaxTokenLifetime], cut to the millisecond; 0: [DefaultTokenLifetime].
	TokenLifetime time.Duration

	// CacheFor is how long an answer of the stores is believed, and so how long
	// a revocation by another process, or a client's end, may go unseen: up to
	// [MaxCacheFor]; 0: [MaxCacheFor]. A clock that is set back meanwhile, by
	// less than that, adds as much.
	CacheFor time.Duration

	// CacheEntries bounds the tokens remembered, from 1 to [MaxCacheEntries]
	// (rounded up to a multiple of 64); 0: [DefaultCacheEntries]. Beyond it,
	// tokens are forgotten, not refused.
	CacheEntries int
}

// filled checks c and fills in the defaults.
func (c *Config) filled() (Config, error) {
	var f Config
	if c != nil {
		f = *c
	}
	if f.Clock == nil {
		f.Clock = ports.SystemClock()
	}
	if f.Random == nil {
		f.Random = rand.Reader
	}
	var err error
	f.TokenLifetime, err = within("TokenLifetime", f.TokenLifetime, DefaultTokenLifetime, MinTokenLifetime, MaxTokenLifetime)
	if err != nil {
		return f, err
	}
	f.CacheFor, err = within("CacheFor", f.CacheFor, MaxCacheFor, 1, MaxCacheFor)
	if err != nil {
		return f, err
	}
	f.CacheEntries, err = within("CacheEntries", f.CacheEntries, DefaultCacheEntries, 1, MaxCacheEntries)
	return f, err
}

// within gives value, or fallback for zero, or refuses what is outside.
func within[T int | time.Duration](name string, value, fallback, low, high T) (T, error) {
	if value == 0 {
		return fallback, nil
	}
	if value < low || value > high {
		return 0, badConfig(fmt.Sprintf("%s must be from %v to %v", name, low, high))
	}
	return value, nil
}

func badConfig(message string) error { return errcodes.New(errcodes.Configuration, message) }
