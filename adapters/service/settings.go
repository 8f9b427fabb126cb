package service

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
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

	ClientsFile   string        `env:"CORRIDOR_CLIENTS_FILE"       help:"JSON file of clients, read again when it changes; invalid versions are ignored."                      type:"path"`
	TokenLifetime time.Duration `default:"24h"                     env:"CORRIDOR_TOKEN_LIFETIME"                                                                               help:"Lifetime of an access token, 1s to 24h; it ends earlier with its client's secret."`
	RateLimit     float64       `env:"CORRIDOR_RATE_LIMIT"         help:"Requests per second and client; 0 means no limit."`
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
	}
}

// Help describes the settings that are only read from the environment, because command
// lines are visible to every user of the machine.
func (c *Settings) Help() string {
	return `Only in the environment, because command lines are visible to every user of the machine (use it also for CORRIDOR_STORE if
its URL contains a password):
  CORRIDOR_CLIENTS      clients for trials: id:secret,id:secret
  CORRIDOR_DATA_KEYS    keys that seal personal data: keyid:base64,… of 32 bytes each; the first seals,
                        all open. To replace a by b: a, then a,b everywhere, then b,a, then b.
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
	case !(c.RateLimit >= 0 && c.RateLimit <= httpserver.MaxRateLimit): // NaN is rejected
		return fmt.Errorf("--rate-limit must be 0 to %.0f, not %v", httpserver.MaxRateLimit, c.RateLimit)
	case strings.Trim(c.AddrHeader, "-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") != "":
		return fmt.Errorf("--client-addr-header must be the name of a header, not %q", c.AddrHeader)
	case c.PublicURL != "" && !httpserver.IsPublicURL(base(c.PublicURL)):
		return errors.New("--public-url must be an http or https address, without user, query and fragment")
	default:
		return c.Accounts.Validate()
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
