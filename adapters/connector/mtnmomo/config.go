package mtnmomo

import (
	"cmp"
	"log/slog"
	"net/http"
	"regexp"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// The addresses of MTN.
const (
	DefaultBaseURL = "https://proxy.momoapi.mtn.com"
	SandboxBaseURL = "https://sandbox.momodeveloper.mtn.com"
)

// Sandbox is the target environment of MTN's sandbox, which knows every number.
const Sandbox = "sandbox"

// DefaultProduct is the one of [Config].
const DefaultProduct = "disbursement"

// The variables that [FromEnv] reads.
const (
	EnvSubscriptionKey   = "CORRIDOR_MTNMOMO_SUBSCRIPTION_KEY"
	EnvAPIUser           = "CORRIDOR_MTNMOMO_API_USER"
	EnvAPIKey            = "CORRIDOR_MTNMOMO_API_KEY"
	EnvTargetEnvironment = "CORRIDOR_MTNMOMO_TARGET_ENVIRONMENT"
	EnvBaseURL           = "CORRIDOR_MTNMOMO_BASE_URL"
)

// Credentials are what MTN gives a partner. All are required.
type Credentials struct {
	SubscriptionKey   string // of the product, see [Config.Product]
	APIUser           string // a UUID
	APIKey            string
	TargetEnvironment string // "mtnghana", or [Sandbox]
}

// String shows the target environment alone.
func (c Credentials) String() string { return "credentials for " + c.TargetEnvironment }

// GoString is String.
func (c Credentials) GoString() string { return c.String() }

// LogValue is what logs show of credentials.
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.String()) }

var environmentName = regexp.MustCompile(`^[a-z0-9]{1,64}$`)

func (c Credentials) check() error {
	if !environmentName.MatchString(c.TargetEnvironment) {
		return errcodes.New(errcodes.Configuration, "TargetEnvironment must be 1 to 64 lower-case letters and digits, such as mtnghana")
	}
	return cmp.Or(
		httpcall.Secret("SubscriptionKey", c.SubscriptionKey),
		httpcall.Secret("APIUser", c.APIUser),
		httpcall.Secret("APIKey", c.APIKey),
	)
}

// Config tunes a [Connector]. The zero value, and nil, mean the defaults.
type Config struct {
	// BaseURL is where MTN answers, https (http to this machine only); "":
	// [SandboxBaseURL] for the target environment [Sandbox], else
	// [DefaultBaseURL].
	BaseURL string

	// Product is the one that the subscription key is for: "disbursement",
	// "collection" or "remittance"; "": [DefaultProduct].
	Product string

	// Client does the requests; nil: one of its own. Redirects are refused
	// whatever it says, and each lookup's context sets its deadline.
	Client *http.Client

	// Clock tells when a token ends, and how far off a Retry-After date is; nil:
	// [ports.SystemClock].
	Clock ports.Clock
}

func (c *Config) filled(environment string) (Config, error) {
	var f Config
	if c != nil {
		f = *c
	}
	if f.BaseURL == "" && environment == Sandbox {
		f.BaseURL = SandboxBaseURL
	}
	f.BaseURL = cmp.Or(f.BaseURL, DefaultBaseURL)
	f.Product = cmp.Or(f.Product, DefaultProduct)
	if f.Clock == nil {
		f.Clock = ports.SystemClock()
	}
	switch f.Product {
	case DefaultProduct, "collection", "remittance":
		return f, nil
	default:
		return f, errcodes.New(errcodes.Configuration, "Product must be disbursement, collection or remittance")
	}
}

// FromEnv makes a connector with the credentials out of the variables above and,
// where it is set, the address out of [EnvBaseURL], which comes before cfg's.
// getenv is os.Getenv or the like. A missing credential is
// [errcodes.Configuration], and so is what [New] refuses.
func FromEnv(getenv func(name string) string, cfg *Config) (*Connector, error) {
	var credentials Credentials
	for _, v := range []struct {
		name string
		into *string
	}{
		{EnvSubscriptionKey, &credentials.SubscriptionKey},
		{EnvAPIUser, &credentials.APIUser},
		{EnvAPIKey, &credentials.APIKey},
		{EnvTargetEnvironment, &credentials.TargetEnvironment},
	} {
		if *v.into = getenv(v.name); *v.into == "" {
			return nil, errcodes.New(errcodes.Configuration, v.name+" is not set")
		}
	}
	var c Config
	if cfg != nil {
		c = *cfg
	}
	c.BaseURL = cmp.Or(getenv(EnvBaseURL), c.BaseURL)
	return New(credentials, &c)
}
