package mtnmomo

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/http"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/ports"
)

// Name is the connector's name.
const Name = "mtnmomo"

var ghana = ports.Market{Country: "GHA", Type: ports.MobileMoney}

// Connector is a [ports.AccountConnector] for MTN Mobile Money. It is safe for
// concurrent use.
type Connector struct {
	caller  *httpcall.Caller
	product string
	// headers returns a request's headers with the authorization. It is a func, so that
	// printing the connector does not show a key.
	headers func(authorization string) http.Header
	tokens  *httpcall.Tokens
}

// New returns a connector. It sends nothing yet. Credentials that are missing or cannot
// be sent in a header, and invalid values in cfg, are [errcodes.Configuration].
func New(credentials Credentials, cfg *Config) (*Connector, error) {
	if err := credentials.check(); err != nil {
		return nil, err
	}
	base := DefaultBaseURL
	if credentials.TargetEnvironment == Sandbox {
		base = SandboxBaseURL
	}
	caller, err := httpcall.New(base, cfg)
	if err != nil {
		return nil, err
	}
	c := &Connector{caller: caller, product: cmp.Or(credentials.Product, DefaultProduct), headers: func(authorization string) http.Header {
		return http.Header{
			"Authorization":             {authorization},
			"Ocp-Apim-Subscription-Key": {credentials.SubscriptionKey},
			"X-Target-Environment":      {credentials.TargetEnvironment},
		}
	}}
	basic := base64.StdEncoding.EncodeToString([]byte(credentials.APIUser + ":" + credentials.APIKey))
	c.tokens, err = httpcall.NewTokens(func(ctx context.Context) (httpcall.Reply, error) {
		return c.caller.Do(ctx, httpcall.Request{
			Method: http.MethodPost,
			Path:   []string{c.product, "token", ""},
			Header: c.headers("Basic " + basic),
		})
	}, &httpcall.TokensConfig{Clock: caller.Clock()})
	return c, err
}

// Name returns "mtnmomo".
func (c *Connector) Name() string { return Name }

// String returns Name.
func (c *Connector) String() string { return Name }

// Capabilities returns MTN's markets.
func (c *Connector) Capabilities() []ports.Capability {
	return []ports.Capability{{Market: ghana, ReturnsName: true}}
}

// Lookup looks up one account, see [ports.AccountConnector]; the package comment says
// how answers are read. Another market is unsupported, and nothing is sent.
func (c *Connector) Lookup(ctx context.Context, lookup ports.AccountLookup) (ports.Answer, error) {
	if err := ctx.Err(); err != nil {
		return ports.Answer{}, err
	}
	if lookup.Market != ghana {
		return ports.Answer{Kind: ports.OutcomeUnsupported}, nil
	}
	reply, err := c.tokens.Do(ctx, func(token string) (httpcall.Reply, error) {
		return c.caller.Do(ctx, httpcall.Request{
			Path:   []string{c.product, "v1_0", "accountholder", "msisdn", lookup.Identifier, "basicuserinfo"},
			Header: c.headers("Bearer " + token),
		})
	})
	if err != nil {
		return ports.Answer{}, err
	}
	return holderOf(reply)
}
