package ecb

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

// DailyURL is where the bank publishes the newest day.
const DailyURL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"

// Defaults and bounds of [Config].
const (
	DefaultRefreshEvery = 15 * time.Minute
	DefaultRetryEvery   = 30 * time.Second
	MinPause            = time.Second // of RefreshEvery and RetryEvery
	MaxPause            = 24 * time.Hour
	DefaultTimeout      = 10 * time.Second
	MaxTimeout          = time.Minute
	DefaultMaxBody      = 1 << 20
	MaxMaxBody          = httpcall.MaxMaxBody
)

// Config tunes a [Feed]. The zero value, and nil, mean the defaults.
type Config struct {
	// Clock paces the looks and decides which day is in the future; nil:
	// [ports.SystemClock].
	Clock ports.Clock

	// Logger gets a line when a look fails, once for each trouble, and when the
	// source is good again; nil: nothing is logged.
	Logger *slog.Logger

	// Client sends the requests; nil: one with the transport of
	// [http.DefaultClient]. It is copied, and never follows a redirect.
	Client *http.Client

	// RefreshEvery is the time from one good look to the next, RetryEvery that
	// from a failed one, both from [MinPause] to [MaxPause]; 0:
	// [DefaultRefreshEvery] and [DefaultRetryEvery].
	RefreshEvery, RetryEvery time.Duration

	// Timeout bounds one look, up to [MaxTimeout]; 0: [DefaultTimeout].
	Timeout time.Duration

	// MaxBody bounds the answer in bytes, unpacked, up to [MaxMaxBody]; 0:
	// [DefaultMaxBody]. The bank's 90-day history fits, its full one does not.
	MaxBody int
}

func (c *Config) withDefaults() (Config, error) {
	f, err := wiring.Defaults(c, Config{
		Clock: ports.SystemClock(), Logger: slog.New(slog.DiscardHandler), RefreshEvery: DefaultRefreshEvery, RetryEvery: DefaultRetryEvery,
		Timeout: DefaultTimeout, MaxBody: DefaultMaxBody,
	})
	return f, cmp.Or(
		err,
		errcodes.Within("RefreshEvery", f.RefreshEvery, MinPause, MaxPause),
		errcodes.Within("RetryEvery", f.RetryEvery, MinPause, MaxPause),
		errcodes.Within("Timeout", f.Timeout, 1, MaxTimeout),
		errcodes.Within("MaxBody", f.MaxBody, 1, MaxMaxBody),
	)
}
