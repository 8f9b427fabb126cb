package paystack

import (
	"cmp"
	"net/http"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// DefaultBaseURL is Paystack's address, for live and for test keys.
const DefaultBaseURL = "https://api.paystack.co"

// The variables that [FromEnv] reads.
const (
	EnvSecretKey = "CORRIDOR_PAYSTACK_SECRET_KEY"
	EnvBaseURL   = "CORRIDOR_PAYSTACK_BASE_URL"
)

// Config tunes a [Connector]. The zero value, and nil, mean the defaults.
type Config struct {
	// BaseURL is where Paystack answers, https (http to this machine only); "":
	// [DefaultBaseURL].
	BaseURL string

	// Client does the requests; nil: one of its own. Redirects are refused
	// whatever it says, and each lookup's context sets its deadline.
	Client *http.Client

	// Clock tells how far off a Retry-After date is; nil: [ports.SystemClock].
	Clock ports.Clock
}

func (c *Config) filled() Config {
	var f Config
	if c != nil {
		f = *c
	}
	f.BaseURL = cmp.Or(f.BaseURL, DefaultBaseURL)
	return f
}

// FromEnv makes a connector with the secret key out of [EnvSecretKey] and, where
// it is set, the address out of [EnvBaseURL], which comes before cfg's. getenv is
// os.Getenv or the like. A missing key is [errcodes.Configuration], and so is what
// [New] refuses.
func FromEnv(getenv func(name string) string, cfg *Config) (*Connector, error) {
	secret := getenv(EnvSecretKey)
	if secret == "" {
		return nil, errcodes.New(errcodes.Configuration, EnvSecretKey+" is not set")
	}
	c := cfg.filled()
	c.BaseURL = cmp.Or(getenv(EnvBaseURL), c.BaseURL)
	return New(secret, &c)
}
