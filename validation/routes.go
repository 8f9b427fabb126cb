package validation

import (
	"slices"
	"strconv"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

// route is which connectors serve a market, in the order of asking.
type route struct {
	market   ports.Market
	plain    []ports.AccountConnector // as configured
	named    []ports.AccountConnector // those that know names first
	compares bool                     // one of them compares the name itself: its answer is about that name
	mixed    bool                     // some return names and some do not
}

// routes is made once, from the connectors as configured.
type routes map[ports.Market]*route

func newRoutes(connectors []ports.AccountConnector) (routes, error) {
	all := routes{}
	names := map[string]bool{}
	for i, c := range connectors {
		if c == nil {
			return nil, misconfigured("connector " + strconv.Itoa(i+1) + " is nil")
		}
		name := c.Name()
		if !nameOK(name) || names[name] || name == ports.ProviderRules {
			return nil, misconfigured("connector " + strconv.Itoa(i+1) + " needs a name of its own, of 1 to 32 lower-case letters, digits and hyphens")
		}
		names[name] = true
		for _, can := range c.Capabilities().Markets {
			if all[can.Market] == nil {
				all[can.Market] = &route{market: can.Market}
			}
			r := all[can.Market]
			if last := len(r.plain) - 1; last < 0 || r.plain[last].Name() != name {
				r.plain = append(r.plain, c) // once, also if it names the market twice
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

// prefer works out the order for a request with a name.
func (r *route) prefer() {
	var knowing, others []ports.AccountConnector
	for _, c := range r.plain {
		can, _ := c.Capabilities().In(r.market)
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

// wanted is a request that has passed the rules.
type wanted struct {
	account  ports.Account
	identity ports.Identity
	name     string // as supplied; "" for none
	digits   market.Verdict
	route    *route // nil: nobody serves the market
}

// order is which connectors to ask.
func (w *wanted) order() []ports.AccountConnector {
	if w.name != "" {
		return w.route.named
	}
	return w.route.plain
}

// keyName is the part that the name has in what the answer depends on.
func (w *wanted) keyName() string {
	switch {
	case w.name == "":
		return ""
	case w.route.compares:
		return w.name
	case w.route.mixed:
		return "named"
	default:
		return ""
	}
}

// lookup is what the connector is asked. Only who compares names gets one.
func (w *wanted) lookup(c ports.AccountConnector) ports.AccountLookup {
	l := ports.AccountLookup{Account: w.account, Identity: w.identity}
	if can, _ := c.Capabilities().In(w.account.Market); can.ComparesName {
		l.HolderName = w.name
	}
	return l
}
