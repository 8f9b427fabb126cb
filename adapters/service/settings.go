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
	Listen            string        `default:"127.0.0.1:8080"     env:"CORRIDOR_LISTEN"                                                              help:"Address to listen on."`
	PublicURL         string        `env:"CORRIDOR_PUBLIC_URL"    help:"Base URL of links; default http://LISTEN."                                   name:"public-url"`
	Sandbox           bool          `env:"CORRIDOR_SANDBOX"       help:"Use sandbox rates, accounts and a sandbox client where nothing else is set."`
	Store             string        `default:"sqlite:corridor.db" env:"CORRIDOR_STORE"                                                               help:"${stores}"`
	Feed              []string      `env:"CORRIDOR_FEED"          help:"${feeds}; several are tried in order."                                       sep:","`
	MarkupBps         int           `default:"150"                env:"CORRIDOR_MARKUP_BPS"                                                          help:"Markup over the mid, in basis points."`
	LockValidity      time.Duration `default:"24h"                env:"CORRIDOR_LOCK_VALIDITY"                                                       help:"Lifetime of a lock, 1s to 168h."`
	DriftToleranceBps int           `default:"200"                env:"CORRIDOR_DRIFT_TOLERANCE_BPS"                                                 help:"Largest drift of the mid, in basis points, before a lock is cancelled."`
	DriftEvery        time.Duration `default:"2s"                 env:"CORRIDOR_DRIFT_EVERY"                                                         help:"Interval of drift checks; on PostgreSQL 1s to 24h."`

	// MaxPriceAge is nil if each feed declares the age of its prices.
	MaxPriceAge *time.Duration `env:"CORRIDOR_MAX_PRICE_AGE" help:"Maximum age of a price; default: as each feed declares, 96h or for ecb 128h."`

	Accounts AccountSettings `embed:""`
	Events   EventSettings   `embed:""`
	Reports  ReportSettings  `embed:""`
	Limits   LimitSettings   `embed:""`

	ClientsFile   string        `env:"CORRIDOR_CLIENTS_FILE"       help:"JSON file of clients, read again when it changes; invalid versions are ignored."`
	TokenLifetime time.Duration `default:"24h"                     env:"CORRIDOR_TOKEN_LIFETIME"                                                                               help:"Lifetime of an access token, 1s to 24h; it ends earlier with its client's secret."`
	AddrHeader    string        `env:"CORRIDOR_CLIENT_ADDR_HEADER" help:"Header with the client's address, set by a proxy, such as X-Forwarded-For; the last address is used." name:"client-addr-header"`
	LogLevel      slog.Level    `default:"INFO"                    env:"CORRIDOR_LOG_LEVEL"                                                                                    help:"DEBUG, INFO, WARN or ERROR."`
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
	return `Only in the environment, because command lines are visible to every user of the machine (use it also for CORRIDOR_STORE if
its URL contains a password):
  CORRIDOR_CLIENTS      clients for trials: id:secret:merchants,… with secrets of at least 22 bytes, and merchants
                        joined by + or * for any. With --sandbox id:secret is enough.
  CORRIDOR_DATA_KEYS    keys that seal personal data: keyid:base64,… of 32 bytes each; the first seals,
                        all open. To replace a by b: a, then a,b everywhere, then b,a, then b.
                        A start with another key under an id that the store knows is rejected.
                        By default a key is created in the store.
  CORRIDOR_WEBHOOK_SECRETS
                        secrets that sign webhooks: whsec_base64,… of 24 to 64 bytes each; all sign. To
                        replace a by b: a, then a,b, send b to the receivers, then b. The sandbox creates one.
  CORRIDOR_URL_KEY      key that signs download links, at least 32 bytes; shared by all processes.
                        By default a key is created in the store.
  CORRIDOR_PAYSTACK_SECRET_KEY, CORRIDOR_FLUTTERWAVE_SECRET_KEY, CORRIDOR_MTNMOMO_SUBSCRIPTION_KEY,
  CORRIDOR_MTNMOMO_API_USER, CORRIDOR_MTNMOMO_API_KEY, CORRIDOR_MTNMOMO_TARGET_ENVIRONMENT
                        credentials of the connectors`
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
	RateLimit             float64 `default:"200"   env:"CORRIDOR_RATE_LIMIT"              help:"Requests per second of one client with a valid token, twice as many at once; 0 means no limit."`
	AddressLimit          float64 `default:"20"    env:"CORRIDOR_ADDRESS_LIMIT"           help:"Requests per second without a valid token from one address, five times as many at once; 0 means no limit. Health probes are always answered."`
	MaxConnections        int     `default:"4096"  env:"CORRIDOR_MAX_CONNECTIONS"         help:"Open connections; beyond it, the oldest one without a valid token is closed."`
	MaxAddressConnections int     `default:"256"   env:"CORRIDOR_MAX_ADDRESS_CONNECTIONS" help:"The same for one address; not used with --client-addr-header."`
	MaxBodyMemory         Size    `default:"64MiB" env:"CORRIDOR_MAX_BODY_MEMORY"         help:"Memory for the bodies of unfinished requests, from 2MiB; beyond it, the oldest request without a valid token ends."`
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
