package validation

import (
	"fmt"
	"slices"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// route contains the connectors that serve one market, in the order in which they are
// called.
type route struct {
	market   ports.Market
	plain    []ports.AccountConnector // in the configured order
	named    []ports.AccountConnector // connectors that know names first
	compares bool                     // at least one compares names itself, so its answer depends on the name
	mixed    bool                     // only some return names
}

func newRoutes(connectors []ports.AccountConnector) (map[ports.Market]*route, error) {
	all := map[ports.Market]*route{}
	names := map[string]bool{}
	for i, c := range connectors {
		name := c.Name()
		if !nameOK(name) || names[name] || name == ports.ProviderRules {
			return nil, errcodes.New(errcodes.Configuration, fmt.Sprintf(
				"Ports.Connectors[%d] is named %q, want a unique name of 1 to 32 lower-case letters, digits and hyphens", i, name))
		}
		names[name] = true
		for _, can := range c.Capabilities() {
			if all[can.Market] == nil {
				all[can.Market] = &route{market: can.Market}
			}
			r := all[can.Market]
			if last := len(r.plain) - 1; last < 0 || r.plain[last].Name() != name {
				r.plain = append(r.plain, c) // once, even if it names the market twice
			}
		}
	}
	for _, r := range all {
		r.prefer()
	}
	return all, nil
}

func nameOK(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return name != "" && len(name) <= 32
}

// prefer computes the order for requests with a name.
func (r *route) prefer() {
	var knowing, others []ports.AccountConnector
	for _, c := range r.plain {
		can, _ := ports.CapabilityIn(c.Capabilities(), r.market)
		r.compares = r.compares || can.ComparesName
		if can.ReturnsName || can.ComparesName {
			knowing = append(knowing, c)
		} else {
			others = append(others, c)
		}
	}
	r.named = slices.Concat(knowing, others)
	r.mixed = len(knowing) > 0 && len(others) > 0
}

// order returns the connectors in the order in which they are called; "" means a request
// without a name.
func (r *route) order(name string) []ports.AccountConnector {
	if name != "" {
		return r.named
	}
	return r.plain
}

// keyName returns the part of a name that the answer depends on.
func (r *route) keyName(name string) string {
	switch {
	case name == "":
		return ""
	case r.compares:
		return name
	case r.mixed:
		return "named"
	default:
		return ""
	}
}
