package paystack

import (
	"context"
	"net/url"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/banks"
)

// Name is the connector's name.
const Name = "paystack"

var (
	nigeria     = ports.Market{Country: "NGA", Type: ports.BankAccount}
	ghana       = ports.Market{Country: "GHA", Type: ports.BankAccount}
	southAfrica = ports.Market{Country: "ZAF", Type: ports.BankAccount}
)

// Connector is a [ports.AccountConnector] for Paystack. It is safe for concurrent use.
type Connector struct{ caller *httpcall.Caller }

// New returns a connector with a Paystack secret key (sk_live_… or sk_test_…). It sends
// nothing yet. A key that cannot be sent in a header, or an invalid value in cfg, is
// [errcodes.Configuration].
func New(secret string, cfg *Config) (*Connector, error) {
	caller, err := httpcall.NewBearer(DefaultBaseURL, "the Paystack secret key", secret, cfg)
	if err != nil {
		return nil, err
	}
	return &Connector{caller}, nil
}

// Name returns "paystack".
func (c *Connector) Name() string { return Name }

// String returns Name.
func (c *Connector) String() string { return Name }

// Capabilities returns Paystack's markets. Paystack returns names in Nigeria and Ghana,
// and compares them in South Africa.
func (c *Connector) Capabilities() []ports.Capability {
	return []ports.Capability{
		{Market: nigeria, ReturnsName: true},
		{Market: ghana, ReturnsName: true},
		{Market: southAfrica, ComparesName: true, NeedsIdentity: true, BillsFailures: true},
	}
}

// Lookup looks up one account, see [ports.AccountConnector]; the package comment says
// how answers are read. Other markets, and banks whose code at Paystack is unknown, are
// unsupported; nothing is sent for them.
func (c *Connector) Lookup(ctx context.Context, lookup ports.AccountLookup) (ports.Answer, error) {
	if err := ctx.Err(); err != nil {
		return ports.Answer{}, err
	}
	unsupported := ports.Answer{Kind: ports.OutcomeUnsupported}
	if _, served := ports.CapabilityIn(c.Capabilities(), lookup.Market); !served {
		return unsupported, nil
	}
	bank, known := banks.Code(Name, lookup.Country, lookup.BankCode)
	if !known {
		return unsupported, nil
	}
	if lookup.Market != southAfrica {
		return c.resolve(ctx, lookup.Identifier, bank)
	}
	body, complete := validation(lookup, bank)
	if !complete {
		return unsupported, nil
	}
	return c.validate(ctx, body)
}

func (c *Connector) resolve(ctx context.Context, number, bank string) (ports.Answer, error) {
	reply, err := c.caller.Do(ctx, httpcall.Request{
		Path:  []string{"bank", "resolve"},
		Query: url.Values{"account_number": {number}, "bank_code": {bank}},
	})
	if err != nil {
		return ports.Answer{}, err
	}
	return resolved(reply, number)
}

func (c *Connector) validate(ctx context.Context, body validateRequest) (ports.Answer, error) {
	reply, err := c.caller.Do(ctx, httpcall.Request{
		Path: []string{"bank", "validate"},
		Body: body,
	})
	if err != nil {
		return ports.Answer{}, err
	}
	return validated(reply)
}

// DefaultBaseURL is Paystack's address, for live and for test keys.
const DefaultBaseURL = "https://api.paystack.co"

// The variables that [FromEnv] reads.
const (
	EnvSecretKey = "CORRIDOR_PAYSTACK_SECRET_KEY"
	EnvBaseURL   = "CORRIDOR_PAYSTACK_BASE_URL"
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
