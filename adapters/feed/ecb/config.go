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

// DailyURL is the address of the latest day's rates.
const DailyURL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"

// MaxAge is the MaxAge of the feed's prices. The longest pauses between two publications
// are those of Easter and of some Christmases, four days without rates: the price of
// 12:00 UTC on the day before is the latest one until about 16:00 in Frankfurt on the day
// after, when it is 123 hours old, or 122 in summer time. Five more hours are for a late
// publication and for the next read.
const MaxAge = 128 * time.Hour

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
	// Clock paces the reads and decides which day is in the future; nil:
	// [ports.SystemClock].
	Clock ports.Clock

	// Logger logs failed reads, once per cause, the next successful one, and changes of
	// the skipped currencies; nil: nothing is logged.
	Logger *slog.Logger

	// Client sends the requests; nil: a client with the transport of
	// [http.DefaultClient]. It is copied, and never follows redirects.
	Client *http.Client

	// RefreshEvery is the pause after a successful read, RetryEvery the pause after a
	// failed one, both from [MinPause] to [MaxPause]; 0: [DefaultRefreshEvery] and
	// [DefaultRetryEvery].
	RefreshEvery, RetryEvery time.Duration

	// Timeout bounds one read, up to [MaxTimeout]; 0: [DefaultTimeout].
	Timeout time.Duration

	// MaxBody bounds the answer in bytes after decompression, up to [MaxMaxBody]; 0:
	// [DefaultMaxBody]. The bank's 90-day history fits, its full history does not.
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
