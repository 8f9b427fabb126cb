package service

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/ratelock"
)

// Settings are the settings of the service. The tags are for kong, with the
// variables of [Parts.Vars]. A program that parses no command line begins with
// [Defaults].
type Settings struct {
	Listen            string        `default:"127.0.0.1:8080"     env:"CORRIDOR_LISTEN"                                                                  help:"Address to listen on."`
	PublicURL         string        `env:"CORRIDOR_PUBLIC_URL"    help:"Base of links; default http://LISTEN."                                           name:"public-url"`
	Sandbox           bool          `env:"CORRIDOR_SANDBOX"       help:"Sandbox rates and accounts, and a client of its own, where nothing else is set."`
	Store             string        `default:"sqlite:corridor.db" env:"CORRIDOR_STORE"                                                                   help:"${stores}"`
	Feed              []string      `env:"CORRIDOR_FEED"          help:"${feeds}; several are asked in order."                                           sep:","`
	MarkupBps         int           `default:"150"                env:"CORRIDOR_MARKUP_BPS"                                                              help:"Markup over the mid, in basis points."`
	LockValidity      time.Duration `default:"24h"                env:"CORRIDOR_LOCK_VALIDITY"                                                           help:"Life of a lock, 1s to 168h."`
	DriftToleranceBps int           `default:"200"                env:"CORRIDOR_DRIFT_TOLERANCE_BPS"                                                     help:"A mid further away than this cancels the lock."`
	DriftEvery        time.Duration `default:"2s"                 env:"CORRIDOR_DRIFT_EVERY"                                                             help:"Pause between two looks at the market; on PostgreSQL 1s to 24h."`
	MaxPriceAge       time.Duration `default:"96h"                env:"CORRIDOR_MAX_PRICE_AGE"                                                           help:"An older price is no live price."`

	Accounts AccountSettings `embed:""`
	Events   EventSettings   `embed:""`
	Reports  ReportSettings  `embed:""`

	ClientsFile string     `env:"CORRIDOR_CLIENTS_FILE"       help:"JSON file of clients, read again when it changes; a broken one changes nothing."                   type:"path"`
	RateLimit   float64    `env:"CORRIDOR_RATE_LIMIT"         help:"Requests a second for a client; 0 is off."`
	AddrHeader  string     `env:"CORRIDOR_CLIENT_ADDR_HEADER" help:"Header in which a proxy in front says who asks, such as X-Forwarded-For; the last address counts." name:"client-addr-header"`
	LogLevel    slog.Level `default:"INFO"                    env:"CORRIDOR_LOG_LEVEL"                                                                                 help:"DEBUG, INFO, WARN or ERROR."`
}

// Defaults returns the default of each setting, as the tags have it.
func Defaults() Settings {
	return Settings{
		Listen: "127.0.0.1:8080", Store: "sqlite:corridor.db",
		MarkupBps: 150, LockValidity: 24 * time.Hour, DriftToleranceBps: 200, DriftEvery: 2 * time.Second, MaxPriceAge: 96 * time.Hour,
		Accounts: AccountSettings{ValidationTimeout: 30 * time.Second, ValidationTTL: 24 * time.Hour, CheckDigit: "enforce"},
		Reports:  ReportSettings{ReportFiles: "dir:corridor-reports"},
	}
}

// Help lists the settings that are read from the environment only: a command line
// is seen by every user of the machine.
func (c *Settings) Help() string {
	return `In the environment alone, since a command line is seen by every user of the machine (and CORRIDOR_STORE, when its URL has
a password):
  CORRIDOR_CLIENTS      clients to try out with: id:secret,id:secret
  CORRIDOR_DATA_KEYS    keys that seal personal data: keyid:base64,… of 32 bytes each; the first seals,
                        all open. To replace a by b: a, then a,b everywhere, then b,a, then b.
                        Without it a key is made and kept in the store.
  CORRIDOR_WEBHOOK_SECRETS
                        what webhooks are signed with: whsec_base64,… of 24 to 64 bytes each; all sign. To
                        replace a by b: a, then a,b, tell the receivers b, then b. The sandbox makes one.
  CORRIDOR_URL_KEY      what download links are signed with, 32 bytes or more; shared by all processes.
                        Without it a key is made and kept in the store.
  CORRIDOR_PAYSTACK_SECRET_KEY, CORRIDOR_FLUTTERWAVE_SECRET_KEY, CORRIDOR_MTNMOMO_SUBSCRIPTION_KEY,
  CORRIDOR_MTNMOMO_API_USER, CORRIDOR_MTNMOMO_API_KEY, CORRIDOR_MTNMOMO_TARGET_ENVIRONMENT
                        credentials of the connectors`
}

// Validate rejects values out of bounds before anything is opened, zero durations
// among them: further down zero means the default, but a user who types 0 means
// something else.
func (c *Settings) Validate() error {
	switch {
	case c.DriftEvery <= 0:
		return fmt.Errorf("--drift-every must be above 0, not %s", c.DriftEvery)
	case c.MaxPriceAge <= 0:
		return fmt.Errorf("--max-price-age must be above 0, not %s", c.MaxPriceAge)
	case !(c.RateLimit >= 0 && c.RateLimit <= httpserver.MaxRateLimit): // NaN is neither
		return fmt.Errorf("--rate-limit must be 0 to %.0f, not %v", httpserver.MaxRateLimit, c.RateLimit)
	case strings.Trim(c.AddrHeader, "-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") != "":
		return fmt.Errorf("--client-addr-header must be a header's name, not %q", c.AddrHeader)
	case c.PublicURL != "" && !httpserver.IsPublicURL(base(c.PublicURL)):
		return errors.New("--public-url must be an http or https address, with no user, query or fragment")
	default:
		return c.Accounts.Validate()
	}
}

// base is --public-url as links need it.
func base(publicURL string) string { return strings.TrimRight(publicURL, "/") }

func (c *Settings) terms() ratelock.Terms {
	return ratelock.Terms{MarkupBps: c.MarkupBps, Validity: c.LockValidity, ToleranceBps: c.DriftToleranceBps}
}

// remoteAddr finds who asks, by the connection where no header is set.
func (c *Settings) remoteAddr() func(*http.Request) string {
	if c.AddrHeader == "" {
		return nil
	}
	return httpserver.ForwardedAddr(c.AddrHeader)
}

// publicURL is the base of links.
func (c *Settings) publicURL(bound net.Addr) string {
	if c.PublicURL != "" {
		return base(c.PublicURL)
	}
	return "http://" + bound.String()
}
