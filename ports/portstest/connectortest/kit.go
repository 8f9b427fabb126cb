package connectortest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

type connectorCheck kit.Check[*connectorKit]

type connectorKit struct {
	kit.Kit
	Harness

	scenarios []scenario
	prompt    time.Duration // within which a connector must notice that a context is done
}

// desk is a connector together with the provider that it asks.
type desk struct {
	ports.AccountConnector
	*provider

	k     *connectorKit
	log   *journal
	clock *portstest.Clock
}

// open starts a provider and creates a connector that asks it.
func (k *connectorKit) open() *desk {
	d := &desk{provider: newProvider(k.TB), k: k, log: &journal{}}
	d.answer(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no response is set", http.StatusTeapot) })
	up := d.upstream(k.TB, d.log)
	d.clock = up.Clock
	d.AccountConnector = k.New(k.TB, up)
	if d.AccountConnector == nil {
		k.Fatalf("New returned nil")
	}
	return d
}

// ask looks up the account and checks that neither the result nor the log contains
// anything confidential.
func (d *desk) ask(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
	answer, err := d.Lookup(ctx, l)
	d.k.discreet(l, err, d.log)
	if err == nil {
		if wrong := answer.Check(); wrong != nil {
			d.k.Fatalf("the answer contradicts itself: %v (%+v)", wrong, answer)
		}
	} else if answer != (ports.Answer{}) {
		d.k.Fatalf("Lookup returned an answer and the error %v", err)
	}
	return answer, err
}

// discreet checks that neither the error nor the log contains a secret, the
// account number or the name.
func (k *connectorKit) discreet(l ports.AccountLookup, err error, log *journal) {
	if leak := k.leaked(log.String(), l); leak != "" {
		k.Fatalf("the log contains %s", leak)
	}
	for _, e := range chain(err) {
		for _, text := range []string{e.Error(), errcodes.MessageOf(e), fmt.Sprintf("%v", e), fmt.Sprintf("%+v", e)} {
			if leak := k.leaked(text, l); leak != "" {
				k.Fatalf("the error contains %s (code %s)", leak, errcodes.Of(err))
			}
		}
	}
}

func chain(err error) []error {
	if err == nil {
		return nil
	}
	all := []error{err}
	switch e := err.(type) { //nolint:errorlint // each link is examined separately
	case interface{ Unwrap() error }:
		all = append(all, chain(e.Unwrap())...)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			all = append(all, chain(inner)...)
		}
	}
	return all
}

// leaked names the confidential value that a text contains, or returns "".
func (k *connectorKit) leaked(text string, l ports.AccountLookup) string {
	confidential := map[string]string{
		"a secret": canarySecret, "the second secret": canarySecret2, "the user's ID": canaryUserID,
		"the basic credentials": placeholders.Replace("{{basic}}"),
		"the account number":    l.Identifier, "the holder's name": l.HolderName, "the document number": l.Identity.Number,
	}
	for i, token := range k.granted() {
		confidential[fmt.Sprint("access token ", i)] = token
	}
	for what, value := range confidential {
		const short = 5 // may be part of a port or a status
		if len(value) > short && strings.Contains(text, value) {
			return what
		}
	}
	return ""
}

func (k *connectorKit) found() []scenario {
	return slices.DeleteFunc(slices.Clone(k.scenarios), func(s scenario) bool { return !s.Expect.Kind.Found() })
}

// bases returns one found scenario of each market.
func (k *connectorKit) bases() []scenario {
	var out []scenario
	for _, s := range k.found() {
		if !slices.ContainsFunc(out, func(o scenario) bool { return o.lookup().Market == s.lookup().Market }) {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		k.Fatalf("no scenario finds an account")
	}
	return out
}

// each runs fn as a case for one found scenario of each market, each with a new
// connector.
func (k *connectorKit) each(fn func(d *desk, base scenario)) {
	kit.Each(k, k.bases(), market, func(base scenario) { fn(k.open(), base) })
}

// secretive returns the scenario's lookup with a unique name and, if the market
// allows any number, a unique number, so that leaks can be found.
func secretive(s scenario) ports.AccountLookup {
	l := s.lookup()
	l.HolderName = canaryName
	const digits = "00918273645546372819009182736455463728190"
	keep := 0 // the country's prefix
	switch {
	case l.Type == ports.MobileMoney:
		keep = 3
	case l.Country == "EGY":
		keep = 4
	}
	if n := len(l.Identifier); keep < n && n-keep < len(digits) {
		from := 0
		if keep > 0 {
			from = 2 // no zeros after a prefix
		}
		l.Identifier = l.Identifier[:keep] + digits[from:from+n-keep]
	}
	return l
}

// connectorChecksFor returns the checks for a harness: those of the suite, one for
// each required scenario, and one for each market that the connector claims.
func connectorChecksFor(tb testing.TB, h Harness, scenarios []scenario) []connectorCheck {
	out := slices.Clone(connectorChecks)
	if !h.NoUpstream {
		out = append(out, upstreamChecks...)
	}
	if len(h.Tokens) > 0 {
		out = append(out, accessTokenChecks...)
	}
	if h.TokenLife > 0 {
		out = append(out, connectorCheck{"an expired token is replaced", expiredToken})
	}
	for _, r := range requiredScenarios {
		if !h.NoUpstream || r.offline {
			out = append(out, connectorCheck{"scenario " + r.name, r.check})
		}
	}
	k := &connectorKit{Kit: kit.Kit{TB: tb}, Harness: h, scenarios: scenarios}
	for _, can := range k.open().Capabilities() {
		out = append(out, connectorCheck{"found in " + can.String(), func(k *connectorKit) { k.foundIn(can.Market) }})
	}
	return out
}

// requiredScenario describes a file that every connector must have.
type requiredScenario struct {
	name    string
	offline bool   // required of connectors without an upstream, too
	must    string // what it must do
	shows   func(s scenario, last sentResponse) bool
}

var requiredScenarios = []requiredScenario{
	{"found", true, "expect the kind found, name_matched or name_mismatched", func(s scenario, _ sentResponse) bool {
		return s.Expect.Kind.Found()
	}},
	{"not_found", true, "expect the kind not_found", func(s scenario, _ sentResponse) bool {
		return s.Expect.Kind == ports.OutcomeNotFound
	}},
	{"try_later", false, "answer 429 with a Retry-After in seconds and expect try_later with after above 0", func(s scenario, last sentResponse) bool {
		_, err := strconv.Atoi(retryAfter(last))
		return waits(s, last) && err == nil
	}},
	{"try_later_date", false, "answer 429 with a Retry-After that is an HTTP date and expect try_later with after above 0", func(s scenario, last sentResponse) bool {
		_, err := http.ParseTime(retryAfter(last))
		return waits(s, last) && err == nil
	}},
	{"unauthorized", false, "answer 401 and expect the error configuration", func(s scenario, last sentResponse) bool {
		return last.Status == http.StatusUnauthorized && s.Expect.Error == errcodes.Configuration
	}},
	{"forbidden", false, "answer 403 and expect the error configuration", func(s scenario, last sentResponse) bool {
		return last.Status == http.StatusForbidden && s.Expect.Error == errcodes.Configuration
	}},
}

func waits(s scenario, last sentResponse) bool {
	a, err := s.Expect.answer()
	return err == nil && last.Status == http.StatusTooManyRequests && a.Kind == ports.OutcomeTryLater && a.After > 0
}

func retryAfter(r sentResponse) string {
	for name, value := range r.Headers {
		if strings.EqualFold(name, "Retry-After") {
			return value
		}
	}
	return ""
}

func (r requiredScenario) check(k *connectorKit) {
	i := slices.IndexFunc(k.scenarios, func(s scenario) bool { return s.name == r.name })
	if i < 0 {
		k.Fatalf("%s.json is missing: it must %s", r.name, r.must)
	}
	var last sentResponse
	if n := len(k.scenarios[i].Exchanges); n > 0 {
		last = k.scenarios[i].Exchanges[n-1].Response
	}
	if !r.shows(k.scenarios[i], last) {
		k.Fatalf("%s.json must %s", r.name, r.must)
	}
}

func (k *connectorKit) foundIn(m ports.Market) {
	if !slices.ContainsFunc(k.found(), func(s scenario) bool { return s.lookup().Market == m }) {
		k.Fatalf("the connector claims %s, but no scenario finds an account there", m)
	}
}
