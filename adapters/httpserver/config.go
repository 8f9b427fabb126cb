package httpserver

import (
	"cmp"
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

// Defaults and bounds of [Config].
const (
	MaxBody      = 1 << 20 // bytes of a request's body; a longer one is 413
	MaxTokenBody = 4 << 10 // bytes of a body on the routes of tokens

	DefaultMaxBodyMemory = 64 << 20
	MinMaxBodyMemory     = 2 * MaxBody
	MaxMaxBodyMemory     = 1 << 40

	DefaultRateLimit    = 200.0
	DefaultAddressLimit = 20.0
	MinRateLimit        = 0.001
	MaxRateLimit        = 1e6
	NoLimit             = -1 // as a RateLimit or AddressLimit

	DefaultCheckTimeout = 2 * time.Second
	MaxCheckTimeout     = time.Minute

	DefaultRequestTimeout = 20 * time.Second
	MaxRequestTimeout     = time.Hour
)

// Config tunes the handler. The zero value, and nil, mean the defaults.
type Config struct {
	// Clock measures durations and paces the rate limit; nil: [ports.SystemClock].
	Clock ports.Clock

	// Random is the source of trace ids. It must be safe for concurrent use; if it is
	// nil or fails, crypto/rand is used.
	Random io.Reader

	// Logger logs each request: Error for a 5xx, else Info. nil: nothing is logged.
	Logger *slog.Logger

	// Metrics contains the handler's metrics and is served at /metrics, with everything
	// else registered in it; nil: a new registry.
	Metrics *prometheus.Registry

	// RateLimit is the number of requests per second of one client with a valid token,
	// [MinRateLimit] to [MaxRateLimit]; above it they get 429 with Retry-After. 0:
	// [DefaultRateLimit]; [NoLimit]: no limit.
	RateLimit float64

	// RateBurst is the number of requests at once after a pause, up to [MaxRateLimit]; 0:
	// those of two seconds, at least 1.
	RateBurst int

	// AddressLimit and AddressBurst are the same for all requests without a valid token
	// from one address (for IPv6 one /64, which is one subscriber's), except to /livez
	// and /readyz. 0: [DefaultAddressLimit], and the requests of five seconds at once.
	AddressLimit float64
	AddressBurst int

	// MaxBodyMemory bounds the bytes of bodies that all unfinished requests hold, from
	// [MinMaxBodyMemory] to [MaxMaxBodyMemory]; 0: [DefaultMaxBodyMemory]. When it is
	// full, the oldest requests without a valid token are ended with 503, and if there
	// are none, the request that needs more.
	MaxBodyMemory int64

	// RemoteAddr returns the client's address, for AddressLimit and for the audit trail.
	// nil: the connection's address without its port. Behind a proxy that is the
	// proxy's, so one stranger can use up the rate of all: use [ForwardedAddr].
	RemoteAddr func(*http.Request) string

	// RequestTimeout bounds the work on one request. A request that takes longer is
	// answered with 504. It must be well below the server's WriteTimeout, which closes
	// the connection without an answer. Up to [MaxRequestTimeout]; 0:
	// [DefaultRequestTimeout].
	RequestTimeout time.Duration

	// PublicURL is the base of links, such as https://pay.example: http or https, with
	// a host, and without a user, a query, a fragment or a trailing slash. Default:
	// links start with the path.
	PublicURL string

	// Checks are run for /readyz.
	Checks []Check

	// CheckTimeout bounds one answer of /readyz, up to [MaxCheckTimeout]; 0:
	// [DefaultCheckTimeout].
	CheckTimeout time.Duration
}

func (c *Config) withDefaults() (Config, error) {
	f := *cmp.Or(c, &Config{})
	f.Clock = cmp.Or(f.Clock, ports.SystemClock())
	f.Random = cmp.Or(f.Random, rand.Reader)
	f.Logger = cmp.Or(f.Logger, slog.New(slog.DiscardHandler))
	f.Metrics = cmp.Or(f.Metrics, prometheus.NewRegistry())
	if f.RemoteAddr == nil {
		f.RemoteAddr = connectionAddr
	}
	f.RequestTimeout = cmp.Or(f.RequestTimeout, DefaultRequestTimeout)
	f.CheckTimeout = cmp.Or(f.CheckTimeout, DefaultCheckTimeout)
	f.RateLimit, f.AddressLimit = cmp.Or(f.RateLimit, DefaultRateLimit), cmp.Or(f.AddressLimit, DefaultAddressLimit)
	f.RateBurst = cmp.Or(f.RateBurst, burst(f.RateLimit, 2))
	f.AddressBurst = cmp.Or(f.AddressBurst, burst(f.AddressLimit, 5))
	f.MaxBodyMemory = cmp.Or(f.MaxBodyMemory, DefaultMaxBodyMemory)
	if f.PublicURL != "" && !IsPublicURL(f.PublicURL) {
		return f, badConfig("PublicURL must be the base of links, such as https://pay.example, without a trailing slash")
	}
	names := map[string]bool{}
	for _, check := range f.Checks {
		if check.Name == "" || check.Run == nil || names[check.Name] {
			return f, badConfig("each of Checks must have a unique Name, and Run")
		}
		names[check.Name] = true
	}
	return f, cmp.Or(
		errcodes.NotNil("Clock", f.Clock),
		errcodes.NotNil("Random", f.Random),
		checkLimit("RateLimit", f.RateLimit),
		errcodes.Within("RateBurst", f.RateBurst, 1, MaxRateLimit),
		checkLimit("AddressLimit", f.AddressLimit),
		errcodes.Within("AddressBurst", f.AddressBurst, 1, MaxRateLimit),
		errcodes.Within("MaxBodyMemory", f.MaxBodyMemory, MinMaxBodyMemory, MaxMaxBodyMemory),
		errcodes.Within("CheckTimeout", f.CheckTimeout, 1, MaxCheckTimeout),
		errcodes.Within("RequestTimeout", f.RequestTimeout, 1, MaxRequestTimeout),
	)
}

// burst returns the requests of some seconds, at least 1 and at most [MaxRateLimit].
func burst(limit, seconds float64) int {
	return int(math.Ceil(min(max(limit*seconds, 1), MaxRateLimit)))
}

func checkLimit(name string, limit float64) error {
	if limit == NoLimit {
		return nil
	}
	return errcodes.Within(name, limit, MinRateLimit, MaxRateLimit)
}

// IsPublicURL reports whether text can be a [Config].PublicURL: a path appended to it is
// a link without a password.
func IsPublicURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil &&
		!strings.ContainsAny(text, "?#") && !strings.HasSuffix(text, "/")
}

func badConfig(format string, args ...any) error {
	return errcodes.New(errcodes.Configuration, fmt.Sprintf(format, args...))
}
