package flutterwave

import (
	"context"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/banks"
)

// Name is the connector's name.
const Name = "flutterwave"

// country is a country that is served.
type country struct {
	code    string // in the request; without one, Flutterwave assumes Nigeria
	phrases []httpcall.Phrase
}

// countries has no phrase for Ghana: the page that shows the answer for an unknown
// account is about Nigerian banks, so a failure in Ghana may mean anything.
var countries = map[string]country{
	"NGA": {phrases: []httpcall.Phrase{
		// developer.flutterwave.com/docs/verifications/bank-account
		{Begins: "sorry, that account number is invalid", Kind: ports.OutcomeNotFound},
		// a merchant's look-up: laracasts.com/discuss/replies/910517
		{Begins: "invalid account", Kind: ports.OutcomeNotFound},
	}},
	"GHA": {code: "GH"},
}

// Connector is a [ports.AccountConnector] for Flutterwave. It is safe for concurrent
// use.
type Connector struct{ caller *httpcall.Caller }

// New returns a connector with a Flutterwave v3 secret key (FLWSECK-… or
// FLWSECK_TEST-…). It sends nothing yet. A key that cannot be sent in a header, or an
// invalid value in cfg, is [errcodes.Configuration].
func New(secret string, cfg *Config) (*Connector, error) {
	caller, err := httpcall.NewBearer(DefaultBaseURL, "the Flutterwave secret key", secret, cfg)
	if err != nil {
		return nil, err
	}
	return &Connector{caller}, nil
}

// Name returns "flutterwave".
func (c *Connector) Name() string { return Name }

// String returns Name.
func (c *Connector) String() string { return Name }

// Capabilities returns Flutterwave's markets.
func (c *Connector) Capabilities() []ports.Capability {
	return []ports.Capability{
		{Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, ReturnsName: true},
		{Market: ports.Market{Country: "GHA", Type: ports.BankAccount}, ReturnsName: true},
	}
}

// resolveRequest is the body of POST /accounts/resolve
// (developer.flutterwave.com/docs/verifications/bank-account).
type resolveRequest struct {
	AccountNumber string `json:"account_number"`
	AccountBank   string `json:"account_bank"`
	Country       string `json:"country,omitempty"`
}

// Lookup looks up one account, see [ports.AccountConnector]; the package comment says
// how answers are read. Other markets, and banks whose code at Flutterwave is unknown,
// are unsupported; nothing is sent for them.
func (c *Connector) Lookup(ctx context.Context, lookup ports.AccountLookup) (ports.Answer, error) {
	if err := ctx.Err(); err != nil {
		return ports.Answer{}, err
	}
	bank, known := banks.Code(Name, lookup.Country, lookup.BankCode)
	if _, served := ports.CapabilityIn(c.Capabilities(), lookup.Market); !known || !served {
		return ports.Answer{Kind: ports.OutcomeUnsupported}, nil
	}
	in := countries[lookup.Country]
	reply, err := c.caller.Do(ctx, httpcall.Request{
		Path: []string{"accounts", "resolve"},
		Body: resolveRequest{AccountNumber: lookup.Identifier, AccountBank: bank, Country: in.code},
	})
	if err != nil {
		return ports.Answer{}, err
	}
	return resolved(reply, lookup.Identifier, in.phrases)
}

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
// address from [EnvBaseURL] instead of cfg's. getenv is usually os.Getenv. A key that
// is missing or that New rejects is [errcodes.Configuration].
func FromEnv(getenv func(name string) string, cfg *Config) (*Connector, error) {
	open := func(values []string, cfg *Config) (*Connector, error) { return New(values[0], cfg) }
	return httpcall.FromEnv(getenv, cfg, open, EnvBaseURL, EnvSecretKey)
}

// resolved parses the answer about an account number. Server errors have a code and no
// status (developer.flutterwave.com/docs/integration-guides/errors).
func resolved(reply httpcall.Reply, number string, phrases []httpcall.Phrase) (ports.Answer, error) {
	return httpcall.Resolve(reply, number, phrases, func(status string) (success, known bool) {
		return status == "success", status == "success" || status == "error"
	})
}
