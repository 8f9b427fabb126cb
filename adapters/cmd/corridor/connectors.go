package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/corridor-go/corridor/adapters/connector/flutterwave"
	"github.com/corridor-go/corridor/adapters/connector/mtnmomo"
	"github.com/corridor-go/corridor/adapters/connector/paystack"
	"github.com/corridor-go/corridor/adapters/connector/resilient"
	"github.com/corridor-go/corridor/adapters/connector/sandbox"
	"github.com/corridor-go/corridor/ports"
)

// getenv reads a variable of the environment.
type getenv func(name string) string

// connectorKind is a name that --connectors takes, and what it stands for. Its
// package comment names the variables that it reads.
type connectorKind struct {
	name    string
	offline bool // it asks no provider
	open    func(env getenv) (ports.AccountConnector, error)
}

// connectorKinds lists what can be configured; a new connector is one line here.
var connectorKinds = []connectorKind{
	{sandbox.Name, true, func(getenv) (ports.AccountConnector, error) { return sandbox.New(nil) }},
	{sandbox.StandbyName, true, func(getenv) (ports.AccountConnector, error) { return sandbox.New(&sandbox.Config{Standby: true}) }},
	{paystack.Name, false, func(env getenv) (ports.AccountConnector, error) { return paystack.FromEnv(env, nil) }},
	{flutterwave.Name, false, func(env getenv) (ports.AccountConnector, error) { return flutterwave.FromEnv(env, nil) }},
	{mtnmomo.Name, false, func(env getenv) (ports.AccountConnector, error) { return mtnmomo.FromEnv(env, nil) }},
}

// connectorNames lists the names that --connectors takes.
func connectorNames() string {
	names := make([]string, len(connectorKinds))
	for i, k := range connectorKinds {
		names[i] = k.name
	}
	return strings.Join(names, ", ")
}

// openConnectors opens what --connectors names, in its order, each that asks a
// provider behind a circuit breaker. The sandbox brings its standby along: it is there to be
// failed over to.
func openConnectors(names []string, inSandbox bool, env getenv, changed func(resilient.StateChange)) ([]ports.AccountConnector, error) {
	if len(names) == 0 && inSandbox {
		names = []string{sandbox.Name}
	}
	names = withStandby(names)
	all := make([]ports.AccountConnector, 0, len(names))
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("--connectors names %s twice", name)
		}
		c, err := openConnector(name, env, changed)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func openConnector(name string, env getenv, changed func(resilient.StateChange)) (ports.AccountConnector, error) {
	i := slices.IndexFunc(connectorKinds, func(k connectorKind) bool { return k.name == name })
	if i < 0 {
		return nil, fmt.Errorf("--connectors %q: want some of %s", name, connectorNames())
	}
	inner, err := connectorKinds[i].open(env)
	if err != nil {
		return nil, fmt.Errorf("--connectors %s: %w", name, err)
	}
	if connectorKinds[i].offline {
		return inner, nil // its failures are its script's
	}
	return resilient.New(inner, &resilient.Config{OnStateChange: changed})
}

func withStandby(names []string) []string {
	first := slices.Index(names, sandbox.Name)
	if first < 0 || slices.Contains(names, sandbox.StandbyName) {
		return names
	}
	return slices.Insert(slices.Clone(names), first+1, sandbox.StandbyName)
}
