package service

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/ratelock"
)

// Settings are the settings of the service. The tags are for kong with the variables of
// [Parts.Vars]. A program without a command line should start with [Defaults].
type Settings struct {
	Listen    string     `default:"127.0.0.1:8080" env:"CORRIDOR_LISTEN" group:"Service:" help:"Address to listen on."`
	PublicURL string     `env:"CORRIDOR_PUBLIC_URL" group:"Service:" help:"Address that links begin with; default http:// and --listen." name:"public-url" placeholder:"URL"`
	Sandbox   bool       `env:"CORRIDOR_SANDBOX" group:"Service:" help:"Use test rates, test accounts and a test client where nothing else is set."`
	Store     string     `default:"sqlite:corridor.db" env:"CORRIDOR_STORE" group:"Service:" help:"Where the service keeps its data: ${stores}."`
	LogLevel  slog.Level `complete:"levels" default:"INFO" env:"CORRIDOR_LOG_LEVEL" group:"Service:" help:"DEBUG, INFO, WARN or ERROR."`

	Feed              []string      `env:"CORRIDOR_FEED" group:"Rates:" help:"Where rates come from: ${feeds}. Several are tried in order." placeholder:"FEED" sep:","`
	MarkupBps         int           `default:"150" env:"CORRIDOR_MARKUP_BPS" group:"Rates:" help:"Markup over the market's rate, in basis points (1 is 0.01 %)."`
	LockValidity      time.Duration `default:"24h" env:"CORRIDOR_LOCK_VALIDITY" group:"Rates:" help:"Lifetime of a lock, 1s to 168h."`
	DriftToleranceBps int           `default:"200" env:"CORRIDOR_DRIFT_TOLERANCE_BPS" group:"Rates:" help:"How far the market may move, in basis points, before a lock is cancelled."`
	DriftEvery        time.Duration `default:"2s" env:"CORRIDOR_DRIFT_EVERY" group:"Rates:" help:"How often locks are compared with the market; on PostgreSQL 1s to 24h."`

	// MaxPriceAge is nil if each feed declares the age of its prices.
	MaxPriceAge *time.Duration `env:"CORRIDOR_MAX_PRICE_AGE" group:"Rates:" help:"Age beyond which a price is not used; default what the feed declares: 96h, or 128h for ecb." placeholder:"DURATION"`

	Accounts AccountSettings `embed:"" group:"Accounts:"`
	Events   EventSettings   `embed:"" group:"Events:"`
	Reports  ReportSettings  `embed:"" group:"Reports:"`

	ClientsFile   string        `env:"CORRIDOR_CLIENTS_FILE" group:"Clients:" help:"The clients, a JSON file. It is read again when it changes; an invalid version is not used." placeholder:"FILE"`
	TokenLifetime time.Duration `default:"24h" env:"CORRIDOR_TOKEN_LIFETIME" group:"Clients:" help:"Lifetime of an access token, 1s to 24h. It ends earlier with the secret that bought it."`
	AddrHeader    string        `env:"CORRIDOR_CLIENT_ADDR_HEADER" group:"Clients:" help:"Header in which a proxy passes the client's address, such as X-Forwarded-For. The last address in it is used." name:"client-addr-header" placeholder:"HEADER"`

	Limits LimitSettings `embed:"" group:"Limits:"`
}

// Defaults returns the defaults in the tags.
func Defaults() Settings {
	return Settings{
		Listen: "127.0.0.1:8080", Store: "sqlite:corridor.db",
		MarkupBps: 150, LockValidity: 24 * time.Hour, DriftToleranceBps: 200, DriftEvery: 2 * time.Second,
		TokenLifetime: clientauth.DefaultTokenLifetime,
		Accounts:      AccountSettings{ValidationTimeout: 30 * time.Second, ValidationTTL: 24 * time.Hour, CheckDigit: "enforce"},
		Reports:       ReportSettings{ReportFiles: "dir:corridor-reports"},
		Limits:        defaultLimits(),
	}
}

// Help describes the settings that are only read from the environment, because command
// lines are visible to every user of the machine.
func (c *Settings) Help() string {
	return `Secrets are read from the environment only, because every user of the machine can see command lines. If the URL of the
store contains a password, use CORRIDOR_STORE too.

    CORRIDOR_DATA_KEYS        keys that seal personal data: ID:BASE64,… of 32 bytes each. The first
                              seals, all open. To replace a by b, set a,b on all processes,
                              then b,a, then b.
                              An ID that the store knows cannot get another key.
                              Default: a key in the store.
    CORRIDOR_URL_KEY          key that signs download links, at least 32 bytes, the same for all
                              processes. Default: a key in the store.
    CORRIDOR_WEBHOOK_SECRETS  secrets that sign webhooks: whsec_BASE64,… of 24 to 64 bytes each. All
                              sign. To replace a by b, set a,b, send b to the receivers, then set b.
                              The sandbox creates one.
    CORRIDOR_CLIENTS          clients for trials: ID:SECRET:MERCHANTS,… Secrets have at least 22 bytes.
                              Merchants are joined by +, and * means any. With --sandbox,
                              ID:SECRET is enough.
    CORRIDOR_PAYSTACK_SECRET_KEY, CORRIDOR_FLUTTERWAVE_SECRET_KEY,
    CORRIDOR_MTNMOMO_SUBSCRIPTION_KEY, CORRIDOR_MTNMOMO_API_USER, CORRIDOR_MTNMOMO_API_KEY,
    CORRIDOR_MTNMOMO_TARGET_ENVIRONMENT
                              credentials of the connectors

SIGINT or SIGTERM stops the service within 10 s; the last line is then "stopped". A second signal ends it at once.`
}

// Validate rejects values out of bounds before anything is opened. It rejects zero
// durations: internally zero means the default, but a user who types 0 means something
// else.
func (c *Settings) Validate() error {
	switch {
	case c.DriftEvery <= 0:
		return fmt.Errorf("--drift-every must be above 0, not %s", c.DriftEvery)
	case c.MaxPriceAge != nil && *c.MaxPriceAge <= 0:
		return fmt.Errorf("--max-price-age must be above 0, not %s", *c.MaxPriceAge)
	case c.TokenLifetime < clientauth.MinTokenLifetime || c.TokenLifetime > clientauth.MaxTokenLifetime:
		return fmt.Errorf("--token-lifetime must be %s to %s, not %s", clientauth.MinTokenLifetime, clientauth.MaxTokenLifetime, c.TokenLifetime)
	case strings.Trim(c.AddrHeader, "-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") != "":
		return fmt.Errorf("--client-addr-header must be the name of a header, not %q", c.AddrHeader)
	case c.AddrHeader != "" && c.Limits.MaxAddressConnections != httpserver.DefaultMaxAddressConnections:
		return errors.New("--max-address-connections has no effect with --client-addr-header, because all connections come from the proxy")
	case c.PublicURL != "" && !httpserver.IsPublicURL(base(c.PublicURL)):
		return errors.New("--public-url must be an http or https address, without user, query and fragment")
	default:
		return cmp.Or(c.Accounts.Validate(), c.Limits.Validate())
	}
}

// base returns --public-url as the base of links.
func base(publicURL string) string { return strings.TrimRight(publicURL, "/") }

func (c *Settings) terms() ratelock.Terms {
	return ratelock.Terms{MarkupBps: c.MarkupBps, Validity: c.LockValidity, ToleranceBps: c.DriftToleranceBps}
}

// maxPriceAge returns the age limit of all prices, or 0 if their feeds declare it.
func (c *Settings) maxPriceAge() time.Duration {
	if c.MaxPriceAge == nil {
		return 0
	}
	return *c.MaxPriceAge
}

// remoteAddr returns a function for the client's address: from the header, or else of the
// connection.
func (c *Settings) remoteAddr() func(*http.Request) string {
	if c.AddrHeader == "" {
		return nil
	}
	return httpserver.ForwardedAddr(c.AddrHeader)
}

// publicURL returns the base of links.
func (c *Settings) publicURL(bound net.Addr) string {
	if c.PublicURL != "" {
		return base(c.PublicURL)
	}
	return "http://" + bound.String()
}

// unsafe returns what is unsafe about the settings, one line each.
func (b *builder) unsafe(bound net.Addr) (lines []string) {
	tcp, _ := bound.(*net.TCPAddr)
	outside := tcp != nil && !tcp.IP.IsLoopback()
	header, live := b.settings.AddrHeader, !b.settings.Sandbox
	for _, c := range []struct {
		unsafe bool
		line   string
	}{
		{!live && outside, "other machines can reach the sandbox, whose client and rates are for experiments"},
		{live && outside && header == "", "other machines can reach plain HTTP: listen on 127.0.0.1, behind a proxy with TLS"},
		{live && outside && header != "", "everybody who can reach the listener can forge " + header + ": let only the proxy reach it"},
		{live && os.Getenv(dataKeysEnv) == "", "personal data is sealed with a key that is in the store itself: set " + dataKeysEnv},
		{live && os.Getenv(clientsEnv) != "", clientsEnv + " has the secrets of clients in plain text: use --clients-file, which has their hashes"},
		{live && b.store.Unverified, "the certificate of the database is not checked: set sslmode=verify-full in --store"},
		{!fits(b.settings.Limits.MaxConnections), "the process may open fewer files than --max-connections and 300 others need: raise ulimit -n, or lower it"},
		{live && b.settings.Limits.RateLimit == 0, "clients may send any number of requests: --rate-limit is 0"},
		{live && b.settings.Limits.AddressLimit == 0, "anybody may send any number of requests without a token: --address-limit is 0"},
	} {
		if c.unsafe {
			lines = append(lines, c.line)
		}
	}
	return lines
}

// LimitSettings bound what requests and connections may use.
type LimitSettings struct {
	RateLimit             float64 `default:"200" env:"CORRIDOR_RATE_LIMIT" help:"Requests per second of one client with a valid token; twice as many at once. 0 means no limit."`
	AddressLimit          float64 `default:"20" env:"CORRIDOR_ADDRESS_LIMIT" help:"Requests per second without a valid token from one address; five times as many at once. 0 means no limit. Health probes are always answered."`
	MaxConnections        int     `default:"4096" env:"CORRIDOR_MAX_CONNECTIONS" help:"Open connections. Beyond it, the oldest one without a valid token is closed."`
	MaxAddressConnections int     `default:"256" env:"CORRIDOR_MAX_ADDRESS_CONNECTIONS" help:"Open connections of one address; not used with --client-addr-header."`
	MaxBodyMemory         Size    `default:"64MiB" env:"CORRIDOR_MAX_BODY_MEMORY" help:"Memory for the bodies of unfinished requests, from 2MiB. Beyond it, the oldest request without a valid token ends."`
}

func defaultLimits() LimitSettings {
	return LimitSettings{
		RateLimit: httpserver.DefaultRateLimit, AddressLimit: httpserver.DefaultAddressLimit,
		MaxConnections: httpserver.DefaultMaxConnections, MaxAddressConnections: httpserver.DefaultMaxAddressConnections,
		MaxBodyMemory: httpserver.DefaultMaxBodyMemory,
	}
}

// Validate rejects values out of bounds.
func (l *LimitSettings) Validate() error {
	return cmp.Or(
		checkRate("--rate-limit", l.RateLimit),
		checkRate("--address-limit", l.AddressLimit),
		checkSetting("--max-connections", l.MaxConnections, 1, httpserver.MaxMaxConnections),
		checkSetting("--max-address-connections", l.MaxAddressConnections, 1, httpserver.MaxMaxConnections),
		checkSetting("--max-body-memory", l.MaxBodyMemory, httpserver.MinMaxBodyMemory, httpserver.MaxMaxBodyMemory),
	)
}

// checkRate accepts 0, which is no limit, and the rates that the server accepts.
func checkRate(flag string, rate float64) error {
	if rate == 0 || rate >= httpserver.MinRateLimit && rate <= httpserver.MaxRateLimit { // false for NaN
		return nil
	}
	return fmt.Errorf("%s must be 0, or %v to %.0f, not %s", flag, httpserver.MinRateLimit, httpserver.MaxRateLimit,
		strconv.FormatFloat(rate, 'f', -1, 64))
}

func checkSetting[T int | Size](flag string, value, low, high T) error {
	if value < low || value > high {
		return fmt.Errorf("%s must be %v to %v, not %v", flag, low, high, value)
	}
	return nil
}

// handler sets the limits in the configuration of a handler.
func (l *LimitSettings) handler(c *httpserver.Config) {
	c.RateLimit, c.AddressLimit = cmp.Or(l.RateLimit, httpserver.NoLimit), cmp.Or(l.AddressLimit, httpserver.NoLimit)
	c.MaxBodyMemory = int64(l.MaxBodyMemory)
}

// server returns the bounds of a server. Behind a proxy all connections have its address.
func (l *LimitSettings) server(proxied bool) *httpserver.ServerConfig {
	c := &httpserver.ServerConfig{MaxConnections: l.MaxConnections, MaxAddressConnections: l.MaxAddressConnections}
	if proxied {
		c.MaxAddressConnections = c.MaxConnections
	}
	return c
}

// Size is a number of bytes. Its text may have a unit: KiB, MiB, GiB or TiB.
type Size int64

var units = []string{"KiB", "MiB", "GiB", "TiB"}

// String returns the size in the largest unit of which it is a multiple.
func (s Size) String() string {
	text := strconv.FormatInt(int64(s), 10)
	for i, name := range units {
		if unit := Size(1) << (10 * (i + 1)); s != 0 && s%unit == 0 {
			text = strconv.FormatInt(int64(s/unit), 10) + name
		}
	}
	return text
}

// UnmarshalText reads a size such as 64MiB or 67108864.
func (s *Size) UnmarshalText(text []byte) error {
	number, unit := string(text), int64(1)
	for i, name := range units {
		if digits, found := strings.CutSuffix(number, name); found {
			number, unit = digits, 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return fmt.Errorf("want a number of bytes, such as 64MiB or 67108864, not %q", text)
	}
	*s = Size(n * unit)
	return nil
}
