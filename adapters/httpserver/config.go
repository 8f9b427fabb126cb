package httpserver

import (
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Bounds and defaults of [Config].
const (
	MaxBody             = 1 << 20 // bytes of a request's body; above it 413
	MaxRateLimit        = 1e6
	DefaultCheckTimeout = 2 * time.Second
	MaxCheckTimeout     = time.Minute

	DefaultRequestTimeout = 20 * time.Second
	MaxRequestTimeout     = time.Hour
)

// Config tunes the handler. The zero value, and nil, mean the defaults.
type Config struct {
	// Clock measures durations and paces the rate limit; nil:
	// [ports.SystemClock].
	Clock ports.Clock

	// Random gives the bits of trace ids. It must be safe for use by many
	// goroutines; nil, or one that fails: crypto/rand.
	Random io.Reader

	// Logger gets a line for each request: Error for a 5xx, else Info. nil:
	// none.
	Logger *slog.Logger

	// Metrics keeps the handler's metrics and is served at /metrics, with all
	// else that is registered there; nil: a registry of its own.
	Metrics *prometheus.Registry

	// RateLimit is how many requests a second one client may make, and one
	// address on the token route (of IPv6 one /64, which is one subscriber's), up to
	// [MaxRateLimit]; above it they get 429 with Retry-After. 0: no limit.
	RateLimit float64

	// RateBurst is how many requests may come at once after a pause; 0: one
	// second's worth, at least 1.
	RateBurst int

	// RemoteAddr names who asks, for the limit on the token route. nil: the
	// connection's address without its port, which behind a proxy is the proxy's:
	// then one stranger can use up the rate of all clients. [ForwardedAddr] reads
	// the header that the proxy sets.
	RemoteAddr func(*http.Request) string

	// RequestTimeout bounds the work on one request; what takes longer is 504.
	// It must be well below the server's WriteTimeout, or the answer finds no
	// connection. Up to [MaxRequestTimeout]; 0: [DefaultRequestTimeout].
	RequestTimeout time.Duration

	// PublicURL is the base of links, such as https://pay.example: http or https,
	// with a host, without a user, a query, a fragment or a slash at its end. Default:
	// links begin with the path.
	PublicURL string

	// Checks are what /readyz asks.
	Checks []Check

	// CheckTimeout bounds one answer of /readyz, up to [MaxCheckTimeout]; 0:
	// [DefaultCheckTimeout].
	CheckTimeout time.Duration
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
	if f.Logger == nil {
		f.Logger = slog.New(slog.DiscardHandler)
	}
	if f.Metrics == nil {
		f.Metrics = prometheus.NewRegistry()
	}
	if f.RemoteAddr == nil {
		f.RemoteAddr = connectionAddr
	}
	if f.RequestTimeout == 0 {
		f.RequestTimeout = DefaultRequestTimeout
	}
	if f.CheckTimeout == 0 {
		f.CheckTimeout = DefaultCheckTimeout
	}
	if f.RateBurst == 0 {
		f.RateBurst = max(1, int(math.Ceil(min(f.RateLimit, MaxRateLimit))))
	}
	return f, f.check()
}

func (c *Config) check() error {
	switch {
	case !(c.RateLimit >= 0 && c.RateLimit <= MaxRateLimit): // NaN is neither
		return badConfig("RateLimit must be from 0 to %v", MaxRateLimit)
	case c.RateBurst < 1 || c.RateBurst > MaxRateLimit:
		return badConfig("RateBurst must be from 0 to %v", MaxRateLimit)
	case c.CheckTimeout < 0 || c.CheckTimeout > MaxCheckTimeout:
		return badConfig("CheckTimeout must be from 0 to %v", MaxCheckTimeout)
	case c.RequestTimeout < 0 || c.RequestTimeout > MaxRequestTimeout:
		return badConfig("RequestTimeout must be from 0 to %v", MaxRequestTimeout)
	case c.PublicURL != "" && !IsPublicURL(c.PublicURL):
		return badConfig("PublicURL must be the base of links, such as https://pay.example, without a slash at its end")
	}
	names := map[string]bool{}
	for _, check := range c.Checks {
		if check.Name == "" || check.Run == nil || names[check.Name] {
			return badConfig("each of Checks must have a name of its own and Run")
		}
		names[check.Name] = true
	}
	return nil
}

// IsPublicURL reports whether [Config].PublicURL takes text: a path behind it makes
// a link, which shows nobody's password.
func IsPublicURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil &&
		!strings.ContainsAny(text, "?#") && !strings.HasSuffix(text, "/")
}

func badConfig(format string, args ...any) error {
	return errcodes.New(errcodes.Configuration, fmt.Sprintf(format, args...))
}
