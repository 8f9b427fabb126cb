package service

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/corridor-go/corridor/adapters/connector/resilient"
	"github.com/corridor-go/corridor/adapters/connector/sandbox"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

// connectorNames returns the names for --connectors.
func (p Parts) connectorNames() []string {
	names := make([]string, len(p.Connectors))
	for i, k := range p.Connectors {
		names[i] = k.Name
	}
	return names
}

// openConnectors opens the connectors of --connectors in order, each that calls a
// provider with a circuit breaker. The sandbox also adds its standby, to which it fails
// over.
func (b *builder) openConnectors() ([]ports.AccountConnector, error) {
	names := b.settings.Accounts.Connectors
	if len(names) == 0 && b.settings.Sandbox {
		names = []string{sandbox.Name}
	}
	names = withStandby(names)
	all := make([]ports.AccountConnector, 0, len(names))
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("--connectors contains %s twice", name)
		}
		c, err := b.openConnector(name)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func (b *builder) openConnector(name string) (ports.AccountConnector, error) {
	kinds := b.parts.Connectors
	i := slices.IndexFunc(kinds, func(k ConnectorKind) bool { return k.Name == name })
	if i < 0 {
		known := b.parts.connectorNames()
		return nil, fmt.Errorf("--connectors %q: want any of %s%s", name, strings.Join(known, ", "), DidYouMean(name, known))
	}
	inner, err := kinds[i].Open(ConnectorOptions{Env: os.Getenv})
	if err != nil {
		return nil, fmt.Errorf("--connectors %s: %w", name, err)
	}
	if kinds[i].Offline {
		return inner, nil // it fails only as scripted
	}
	return resilient.New(inner, &resilient.Config{OnStateChange: b.breakerChanged})
}

// warnOfMarkets logs the markets that no connector serves.
func (b *builder) warnOfMarkets(connectors []ports.AccountConnector) {
	var alone []string
	for _, rule := range market.Rules() {
		served := func(c ports.AccountConnector) bool {
			_, serves := ports.CapabilityIn(c.Capabilities(), rule.Market)
			return serves
		}
		if !slices.ContainsFunc(connectors, served) {
			alone = append(alone, rule.Market.String())
		}
	}
	if len(alone) > 0 {
		b.log.Warn("no connector serves these markets, so their accounts are checked by form alone: "+
			"verified with validationType internal_rules does not mean that the account exists", "markets", strings.Join(alone, ", "))
	}
}

func (b *builder) breakerChanged(ctx context.Context, change resilient.StateChange) {
	b.count.breakerChanged(change)
	b.log.WarnContext(ctx, "circuit breaker changed", "connector", change.Connector, "from", string(change.From), "to", string(change.To))
}

func withStandby(names []string) []string {
	first := slices.Index(names, sandbox.Name)
	if first < 0 || slices.Contains(names, sandbox.StandbyName) {
		return names
	}
	return slices.Insert(slices.Clone(names), first+1, sandbox.StandbyName)
}
