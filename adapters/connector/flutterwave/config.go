package flutterwave

import "github.com/corridor-go/corridor/adapters/connector/httpcall"

// DefaultBaseURL is the address of v3, for live and for test keys.
const DefaultBaseURL = "https://api.flutterwave.com/v3"

// The variables that [FromEnv] reads.
const (
	EnvSecretKey = "CORRIDOR_FLUTTERWAVE_SECRET_KEY"
	EnvBaseURL   = "CORRIDOR_FLUTTERWAVE_BASE_URL"
)

// Config tunes a [Connector]. The zero value, and nil, mean the defaults.
type Config = httpcall.Config

// FromEnv is [New] with the secret key from [EnvSecretKey] and, if it is set, the
// address from [EnvBaseURL], which comes before cfg's. getenv is os.Getenv or the
// like. A key that is missing or that New rejects is [errcodes.Configuration].
func FromEnv(getenv func(name string) string, cfg *Config) (*Connector, error) {
	open := func(values []string, cfg *Config) (*Connector, error) { return New(values[0], cfg) }
	return httpcall.FromEnv(getenv, cfg, open, EnvBaseURL, EnvSecretKey)
}
