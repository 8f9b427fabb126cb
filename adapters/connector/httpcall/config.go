package httpcall

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

// Defaults and bounds of [Config], and of the credentials that [Secret] accepts.
const (
	DefaultMaxBody = 1 << 20
	MaxMaxBody     = 16 << 20
	MaxSecret      = 8 << 10
)

// Config tunes a [Caller], or a connector that is built on one. The zero value,
// and nil, mean the defaults.
type Config struct {
	// BaseURL is the provider's address, https (http to this machine only); "": the
	// provider's usual one.
	BaseURL string

	// Client sends the requests; nil: a client with the transport of
	// [http.DefaultClient]. It is copied, and never follows redirects. The context of
	// each lookup sets its deadline.
	Client *http.Client

	// Clock measures the wait until the date in a Retry-After, and the life of access
	// tokens; nil: [ports.SystemClock].
	Clock ports.Clock

	// MaxBody bounds an answer in bytes, up to [MaxMaxBody]; 0: [DefaultMaxBody].
	MaxBody int
}

func (c *Config) withDefaults() (Config, error) {
	f, err := wiring.Defaults(c, Config{Client: &http.Client{}, Clock: ports.SystemClock(), MaxBody: DefaultMaxBody})
	client := *f.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	f.Client = &client
	return f, cmp.Or(err, errcodes.Within("MaxBody", f.MaxBody, 1, MaxMaxBody))
}

// baseOf parses a base URL. Its errors do not quote the URL, which may contain a key.
func baseOf(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	switch {
	case err != nil, base.Host == "", base.User != nil, base.RawQuery != "", base.Fragment != "":
		return nil, errcodes.New(errcodes.Configuration, "BaseURL must be an address such as https://api.example.com, without user, query or fragment")
	case base.Scheme != "https" && (base.Scheme != "http" || !loopback(base.Hostname())):
		return nil, errcodes.New(errcodes.Configuration, "BaseURL must be https; http is allowed to this machine only")
	default:
		return base, nil
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Secret returns [errcodes.Configuration] for a credential that cannot be sent in a
// header: it must be 1 to [MaxSecret] bytes of visible ASCII. The error contains name,
// not the credential.
func Secret(name, secret string) error {
	hidden := func(r rune) bool { return r <= ' ' || r > '~' }
	if secret == "" || len(secret) > MaxSecret || strings.ContainsFunc(secret, hidden) {
		return errcodes.New(errcodes.Configuration, fmt.Sprintf("%s must be 1 to %d visible ASCII characters", name, MaxSecret))
	}
	return nil
}

// FromEnv opens a connector with the values of the variables names, which must all be
// set, and a copy of cfg. The variable baseURL replaces cfg's BaseURL if it is set.
// getenv is usually os.Getenv. A variable that is not set is [errcodes.Configuration].
func FromEnv[C any](getenv func(name string) string, cfg *Config, open func(values []string, cfg *Config) (C, error), baseURL string, names ...string) (C, error) {
	var zero C
	if getenv == nil {
		return zero, errcodes.New(errcodes.Configuration, "getenv is required")
	}
	values := make([]string, len(names))
	for i, name := range names {
		if values[i] = getenv(name); values[i] == "" {
			return zero, errcodes.New(errcodes.Configuration, name+" is not set")
		}
	}
	c := *cmp.Or(cfg, &Config{})
	c.BaseURL = cmp.Or(getenv(baseURL), c.BaseURL)
	return open(values, &c)
}
