package httpcall

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Defaults and bounds of [Config], and of the credentials that [Secret] takes.
const (
	DefaultMaxBody = 1 << 20
	MaxMaxBody     = 16 << 20
	MaxSecret      = 8 << 10
)

// Config tunes a [Caller]. The zero value, and nil, mean the defaults.
type Config struct {
	// Client does the requests; nil: one of its own, with the transport of
	// [http.DefaultClient]. It is copied, and redirects are refused whatever it
	// says.
	Client *http.Client

	// Clock tells how far off the date of a Retry-After is; nil:
	// [ports.SystemClock].
	Clock ports.Clock

	// MaxBody bounds an answer in bytes, up to [MaxMaxBody]; 0:
	// [DefaultMaxBody].
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
	if f.MaxBody == 0 {
		f.MaxBody = DefaultMaxBody
	}
	if f.MaxBody < 1 || f.MaxBody > MaxMaxBody {
		return f, errcodes.New(errcodes.Configuration, fmt.Sprintf("MaxBody must be from 1 to %d", MaxMaxBody))
	}
	f.Client = strict(f.Client)
	return f, nil
}

// strict copies the client and makes it hand redirects back.
func strict(c *http.Client) *http.Client {
	var own http.Client
	if c != nil {
		own = *c
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
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

// Secret refuses a credential that cannot travel in a header, as
// [errcodes.Configuration]: it must have 1 to [MaxSecret] bytes of visible ASCII.
// Its name stands in the error, the credential does not.
func Secret(name, secret string) error {
	hidden := func(r rune) bool { return r <= ' ' || r > '~' }
	if secret == "" || len(secret) > MaxSecret || strings.ContainsFunc(secret, hidden) {
		return errcodes.New(errcodes.Configuration, fmt.Sprintf("%s must be 1 to %d visible ASCII characters", name, MaxSecret))
	}
	return nil
}
