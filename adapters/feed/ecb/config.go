package ecb

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/corridor-go/corridor/errcodes"
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
	MaxMaxBody          = 64 << 20
)

// Config tunes a [Feed]. The zero value, and nil, mean the defaults.
type Config struct {
	// Clock paces the looks and tells which day lies in the future; nil:
	// [ports.SystemClock].
	Clock ports.Clock

	// Logger is told when a look fails, once for each trouble, and when the
	// source is good again; nil: none.
	Logger *slog.Logger

	// Client does the requests; nil: one of its own, with the transport of
	// [http.DefaultClient]. Redirects are refused whatever it says.
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

func (c *Config) filled() (Config, error) {
	var f Config
	if c != nil {
		f = *c
	}
	if f.Clock == nil {
		f.Clock = ports.SystemClock()
	}
	if f.Logger == nil {
		f.Logger = slog.New(slog.DiscardHandler)
	}
	f.Client = strict(f.Client)
	return f, cmp.Or(
		within("RefreshEvery", &f.RefreshEvery, DefaultRefreshEvery, MinPause, MaxPause),
		within("RetryEvery", &f.RetryEvery, DefaultRetryEvery, MinPause, MaxPause),
		within("Timeout", &f.Timeout, DefaultTimeout, 1, MaxTimeout),
		within("MaxBody", &f.MaxBody, DefaultMaxBody, 1, MaxMaxBody),
	)
}

// strict copies the client and makes it refuse redirects: prices come from the
// address that was configured, or not at all.
func strict(c *http.Client) *http.Client {
	var own http.Client
	if c != nil {
		own = *c
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// within fills in the default for zero and refuses what is outside.
func within[T int | time.Duration](name string, value *T, fallback, low, high T) error {
	if *value == 0 {
		*value = fallback
	}
	if *value < low || *value > high {
		return errcodes.New(errcodes.Configuration, fmt.Sprintf("%s must be from %v to %v", name, low, high))
	}
	return nil
}
