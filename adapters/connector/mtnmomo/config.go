package mtnmomo

import (
	"cmp"
	"fmt"
	"log/slog"
	"regexp"
	"slices"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/errcodes"
)

// MTN's addresses.
const (
	DefaultBaseURL = "https://proxy.momoapi.mtn.com"
	SandboxBaseURL = "https://sandbox.momodeveloper.mtn.com"
)

// Sandbox is the target environment of MTN's sandbox, which finds every number.
const Sandbox = "sandbox"

// DefaultProduct is the default Product of [Credentials].
const DefaultProduct = "disbursement"

// The variables that [FromEnv] reads.
const (
	EnvSubscriptionKey   = "CORRIDOR_MTNMOMO_SUBSCRIPTION_KEY"
	EnvAPIUser           = "CORRIDOR_MTNMOMO_API_USER"
	EnvAPIKey            = "CORRIDOR_MTNMOMO_API_KEY"
	EnvTargetEnvironment = "CORRIDOR_MTNMOMO_TARGET_ENVIRONMENT"
	EnvBaseURL           = "CORRIDOR_MTNMOMO_BASE_URL"
)

// Credentials are issued by MTN. All fields but Product are required.
type Credentials struct {
	SubscriptionKey   string // of the product
	APIUser           string // a UUID
	APIKey            string
	TargetEnvironment string // "mtnghana", or [Sandbox]
	Product           string // "disbursement", "collection" or "remittance"; "": [DefaultProduct]
}

// String returns only the target environment.
func (c Credentials) String() string { return "credentials for " + c.TargetEnvironment }

// GoString returns String.
func (c Credentials) GoString() string { return c.String() }

// LogValue returns String.
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.String()) }

var environmentName = regexp.MustCompile(`^[a-z0-9]{1,64}$`)

func (c Credentials) check() error {
	if !environmentName.MatchString(c.TargetEnvironment) {
		return errcodes.New(errcodes.Configuration, "TargetEnvironment must be 1 to 64 lower-case letters and digits, such as mtnghana")
	}
	if !slices.Contains([]string{"", DefaultProduct, "collection", "remittance"}, c.Product) {
		return errcodes.New(errcodes.Configuration, fmt.Sprintf("Product %q must be disbursement, collection or remittance", c.Product))
	}
	return cmp.Or(
		httpcall.Secret("SubscriptionKey", c.SubscriptionKey),
		httpcall.Secret("APIUser", c.APIUser),
		httpcall.Secret("APIKey", c.APIKey),
	)
}

// Config tunes a [Connector]. The zero value, and nil, mean the defaults; BaseURL is
// then [SandboxBaseURL] for the target environment [Sandbox], else [DefaultBaseURL].
type Config = httpcall.Config

// FromEnv is [New] with the credentials from the variables above, for [DefaultProduct],
// and, if it is set, the address from [EnvBaseURL] instead of cfg's. getenv is usually
// os.Getenv. A credential that is missing or that New rejects is
// [errcodes.Configuration].
func FromEnv(getenv func(name string) string, cfg *Config) (*Connector, error) {
	open := func(v []string, cfg *Config) (*Connector, error) {
		return New(Credentials{SubscriptionKey: v[0], APIUser: v[1], APIKey: v[2], TargetEnvironment: v[3]}, cfg)
	}
	return httpcall.FromEnv(getenv, cfg, open, EnvBaseURL, EnvSubscriptionKey, EnvAPIUser, EnvAPIKey, EnvTargetEnvironment)
}
