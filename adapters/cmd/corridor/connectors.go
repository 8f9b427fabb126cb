package main

import (
	"fmt"
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
	name string
	open func(env getenv) (ports.AccountConnector, error)
}

// connectorKinds lists what can be configured; a new connector is one line here.
var connectorKinds = []connectorKind{
	{sandbox.Name, func(getenv) (ports.AccountConnector, error) { return sandbox.New(nil) }},
	{sandbox.StandbyName, func(getenv) (ports.AccountConnector, error) { return sandbox.New(&sandbox.Config{Standby: true}) }},
	{paystack.Name, func(env getenv) (ports.AccountConnector, error) { return paystack.FromEnv(env, nil) }},
	{flutterwave.Name, func(env getenv) (ports.AccountConnector, error) { return flutterwave.FromEnv(env, nil) }},
	{mtnmomo.Name, func(env getenv) (ports.AccountConnector, error) { return mtnmomo.FromEnv(env, nil) }},
}

// openConnectors opens what --connectors names, in its order, each behind a
// circuit breaker. The sandbox brings its standby along: it is there to be
// failed over to.
func openConnectors(names []string, inSandbox bool, env getenv, changed func(resilient.StateChange)) ([]ports.AccountConnector, error) {
	if len(names) == 0 && inSandbox {
		names = []string{sandbox.Name}
	}
	var all []ports.AccountConnector
	for _, name := range withStandby(names) {
		kind, err := findConnector(name)
		if err != nil {
			return nil, err
		}
		inner, err := kind.open(env)
		if err != nil {
			return nil, fmt.Errorf("--connectors %s: %w", name, err)
		}
		c, err := resilient.New(inner, &resilient.Config{OnStateChange: changed})
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func withStandby(names []string) []string {
	var all []string
	standby := false
	for _, name := range names {
		all = append(all, name)
		standby = standby || name == sandbox.StandbyName
	}
	for i, name := range all {
		if name == sandbox.Name && !standby {
			return append(append(append([]string{}, all[:i+1]...), sandbox.StandbyName), all[i+1:]...)
		}
	}
	return all
}

func findConnector(name string) (connectorKind, error) {
	var known []string
	for _, k := range connectorKinds {
		if k.name == name {
			return k, nil
		}
		known = append(known, k.name)
	}
	return connectorKind{}, fmt.Errorf("--connectors %q: want some of %s", name, strings.Join(known, ", "))
}
