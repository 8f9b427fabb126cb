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

// Defaults and bounds of [Config], and of the credentials that [Secret] takes.
const (
	DefaultMaxBody = 1 << 20
	MaxMaxBody     = 16 << 20
	MaxSecret      = 8 << 10
)

// Config tunes a [Caller], or a connector that is built on one. The zero value,
// and nil, mean the defaults.
type Config struct {
	// BaseURL is where the provider answers, https (http to this machine only);
	// "": the provider's own address.
	BaseURL string

	// Client sends the requests; nil: one with the transport of
	// [http.DefaultClient]. It is copied, and never follows a redirect. The context
	// of each lookup sets its deadline.
	Client *http.Client

	// Clock measures the wait until the date of a Retry-After, and the life of
	// access tokens; nil: [ports.SystemClock].
	Clock ports.Clock

	// MaxBody bounds an answer in bytes, up to [MaxMaxBody]; 0:
	// [DefaultMaxBody].
	MaxBody int
}

func (c *Config) withDefaults() (Config, error) {
	f, err := wiring.Defaults(c, Config{Client: &http.Client{}, Clock: ports.SystemClock(), MaxBody: DefaultMaxBody})
	client := *f.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	f.Client = &client
	return f, cmp.Or(err, errcodes.Within("MaxBody", f.MaxBody, 1, MaxMaxBody))
}

// baseOf reads a base URL. The text of its errors leaves the URL out: somebody
// may have put a key into it.
func baseOf(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	switch {
	case err != nil, base.Host == "", base.User != nil, base.RawQuery != "", base.Fragment != "":
		return nil, errcodes.New(errcodes.Configuration, "BaseURL must be an address such as https://api.example.com, without user, query and fragment")
	case base.Scheme != "https" && (base.Scheme != "http" || !loopback(base.Hostname())):
		return nil, errcodes.New(errcodes.Configuration, "BaseURL must be https; http is for this machine only")
	default:
		return base, nil
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Secret returns [errcodes.Configuration] for a credential that cannot travel in a
// header: it must have 1 to [MaxSecret] bytes of visible ASCII. The error has its name,
// and not the credential.
func Secret(name, secret string) error {
	hidden := func(r rune) bool { return r <= ' ' || r > '~' }
	if secret == "" || len(secret) > MaxSecret || strings.ContainsFunc(secret, hidden) {
		return errcodes.New(errcodes.Configuration, fmt.Sprintf("%s must be 1 to %d visible ASCII characters", name, MaxSecret))
	}
	return nil
}

// FromEnv opens a connector with the values of the variables names, each of which
// must be set, and a copy of cfg whose BaseURL is the value of the variable baseURL,
// if that is set. getenv is os.Getenv or the like. A variable that is not set is
// [errcodes.Configuration].
func FromEnv[C any](getenv func(name string) string, cfg *Config, open func(values []string, cfg *Config) (C, error), baseURL string, names ...string) (C, error) {
	var none C
	if getenv == nil {
		return none, errcodes.New(errcodes.Configuration, "getenv is required")
	}
	values := make([]string, len(names))
	for i, name := range names {
		if values[i] = getenv(name); values[i] == "" {
			return none, errcodes.New(errcodes.Configuration, name+" is not set")
		}
	}
	c := *cmp.Or(cfg, &Config{})
	c.BaseURL = cmp.Or(getenv(baseURL), c.BaseURL)
	return open(values, &c)
}
