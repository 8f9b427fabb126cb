package sandbox

import (
	"cmp"
	"context"
	"slices"

	"github.com/corridor-go/corridor/ports"
)

// The connectors' names.
const (
	Name        = "sandbox"
	StandbyName = "sandbox-standby"
)

// Config tunes a [Connector]. The zero value, and nil, mean the defaults.
type Config struct {
	Clock   ports.Clock // times the slow answers; nil: [ports.SystemClock]
	Standby bool        // the connector to fail over to; false: the first
}

// Connector is a [ports.AccountConnector] that needs no provider. It is safe for
// concurrent use.
type Connector struct {
	clock   ports.Clock
	standby bool
}

// New returns a connector. It returns no error today; the signature is that of
// every constructor.
func New(cfg *Config) (*Connector, error) {
	c := cmp.Or(cfg, &Config{})
	return &Connector{clock: cmp.Or(c.Clock, ports.SystemClock()), standby: c.Standby}, nil
}

// Name returns [Name], or [StandbyName].
func (c *Connector) Name() string {
	if c.standby {
		return StandbyName
	}
	return Name
}

// Capabilities returns all markets of SPEC 2.7.
func (c *Connector) Capabilities() ports.Capabilities {
	var can ports.Capabilities
	for _, m := range markets {
		can.Markets = append(can.Markets, ports.Capability{Market: m, ReturnsName: true})
	}
	return can
}

// Lookup answers by the end of the account's identifier. A market that is none
// of SPEC 2.7's is unsupported. The only error is the context's own.
func (c *Connector) Lookup(ctx context.Context, lookup ports.AccountLookup) (ports.Answer, error) {
	if err := ctx.Err(); err != nil {
		return ports.Answer{}, err
	}
	if !slices.Contains(markets, lookup.Market) {
		return ports.Answer{Kind: ports.AnswerUnsupported}, nil
	}
	r := rowOf(lookup.Identifier, c.standby)
	if r.wait == 0 {
		return r.answer, nil
	}
	if r.wait == never {
		<-ctx.Done()
		return ports.Answer{}, ctx.Err()
	}
	return c.after(ctx, r)
}

// after returns the row's answer once its time has passed.
func (c *Connector) after(ctx context.Context, r row) (ports.Answer, error) {
	select {
	case <-c.clock.After(r.wait):
		return r.answer, nil
	case <-ctx.Done():
		return ports.Answer{}, ctx.Err()
	}
}
