package connectortest

import (
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

var connectorChecks = []connectorCheck{
	{"the name is well-formed and does not change", func(k *connectorKit) {
		d := k.open()
		name := d.Name()
		if !connectorNamed.MatchString(name) {
			k.Fatalf("the name %q is not 1 to 32 lower-case letters, digits and hyphens", name)
		}
		kit.Each(k, k.scenarios, nameOf, func(s scenario) {
			d.answer(newStage(false, s.Exchanges...).serve)
			_, _ = d.ask(k.Context(), s.lookup()) // the check of the scenarios examines the result
			if again := d.Name(); again != name {
				k.Fatalf("the name changed from %q to %q after a lookup", name, again)
			}
		})
	}},
	{"the capabilities are well-formed, do not change, and are not shared", capabilitiesStay},
	{"found accounts have a name or a verdict as the capabilities declare", func(k *connectorKit) {
		kit.Each(k, k.open().Capabilities(), ports.Capability.String, func(can ports.Capability) { k.namesIn(can) })
	}},
	{"each scenario makes its exchanges and returns its answer", func(k *connectorKit) {
		kit.Each(k, k.scenarios, nameOf, func(s scenario) {
			d := k.open()
			stage := newStage(false, s.Exchanges...)
			d.answer(stage.serve)
			got, err := d.ask(k.Context(), s.lookup())
			if trouble := stage.trouble(); trouble != "" {
				k.Fatalf("%s: %s", s.name, trouble)
			}
			k.gives(s, got, err)
		})
	}},
	{"concurrent lookups each return their own answer", lookupsAtOnce},
	{"a lookup with a done context makes no request", contextOver},
	{"printing a connector does not reveal its credentials", connectorShows},
}

// upstreamChecks need a provider that the suite can play.
var upstreamChecks = slices.Concat(requestChecks, deadlineChecks, hostileChecks, secrecyChecks)

var requestChecks = []connectorCheck{
	{"a lookup without a required identity is unsupported and makes no request", identityNeeded},
	{"an unknown bank is unsupported and makes no request", func(k *connectorKit) {
		k.each(func(d *desk, base scenario) {
			l := base.lookup()
			code, has := unknownBanks[l.Country]
			if l.Type != ports.BankAccount || !has {
				return
			}
			l.BankCode, l.Branch = code, ""
			d.unasked(l, "an unknown bank")
		})
	}},
	// This counts the exchanges in the files, which another check compares with the
	// connector's requests, and the requests after an answer that invites a retry.
	{"a lookup makes one request", func(k *connectorKit) {
		kit.Each(k, k.scenarios, nameOf, func(s scenario) {
			logins, lookups := k.split(s)
			renewed := len(logins) > 0 && len(lookups) == 2 && lookups[0].Response.Status == http.StatusUnauthorized
			if len(lookups) > 1 && !renewed {
				k.Fatalf("%s has %d exchanges besides those at token paths, want 1%s", s.name, len(lookups), k.hint(s))
			}
		})
		kit.Each(k, []int{http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusRequestTimeout}, strconv.Itoa, func(status int) {
			k.eachSpot(func(d *desk, base scenario, at spot) { d.asksOnce(base, at, status) })
		})
	}},
}

var connectorNamed = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

var countryCode = regexp.MustCompile(`^[A-Z]{3}$`)

func capabilitiesStay(k *connectorKit) {
	d := k.open()
	c := d.Capabilities()
	if wrong := misclaimed(c); wrong != "" {
		k.Fatalf("the capabilities: %s", wrong)
	}
	want := slices.Clone(d.Capabilities())
	for i := range c {
		c[i] = ports.Capability{Market: ports.Market{Country: "ZZZ", Type: "changed"}}
	}
	if got := d.Capabilities(); !reflect.DeepEqual(got, want) {
		k.Fatalf("the capabilities changed when the returned list was changed:\n got %v\nwant %v", got, want)
	}
	kit.Each(k, k.bases(), market, func(base scenario) {
		d.answer(newStage(false, base.Exchanges...).serve)
		_, _ = d.ask(k.Context(), base.lookup()) // the result is checked elsewhere
		if got := d.Capabilities(); !reflect.DeepEqual(got, want) {
			k.Fatalf("the capabilities changed after a lookup:\n got %v\nwant %v", got, want)
		}
	})
}

func misclaimed(all []ports.Capability) string {
	types := []ports.AccountType{ports.BankAccount, ports.MobileMoney, ports.InstitutionWallet}
	if len(all) == 0 {
		return "the list is empty"
	}
	for i, can := range all {
		_, twice := ports.CapabilityIn(all[:i], can.Market)
		_, err := time.Parse(time.DateOnly, can.LastLiveTested)
		switch {
		case !countryCode.MatchString(can.Country) || !slices.Contains(types, can.Type):
			return fmt.Sprintf("invalid market %q", can.Market)
		case twice:
			return can.String() + " is listed twice"
		case err != nil && can.LastLiveTested != "":
			return "LastLiveTested is not a day"
		}
	}
	return ""
}

func (k *connectorKit) namesIn(can ports.Capability) {
	names, verdicts := 0, 0
	for _, s := range k.found() {
		if s.lookup().Market != can.Market {
			continue
		}
		named, judged := s.Expect.HolderName != "", s.Expect.Kind != ports.OutcomeFound
		if named {
			names++
		}
		if judged {
			verdicts++
		}
		if can.ReturnsName && !named && !judged {
			k.Fatalf("ReturnsName is true in %s, but in %s an account is found without a name", can.Market, s.name)
		}
	}
	if can.ReturnsName != (names > 0) {
		k.Fatalf("ReturnsName is %t in %s, but %d scenarios find a name", can.ReturnsName, can.Market, names)
	}
	if can.ComparesName != (verdicts > 0) {
		k.Fatalf("ComparesName is %t in %s, but %d scenarios have a verdict", can.ComparesName, can.Market, verdicts)
	}
}

func (d *desk) unasked(l ports.AccountLookup, what string) {
	answer, err := d.ask(d.k.Context(), l)
	if err != nil || answer.Kind != ports.OutcomeUnsupported {
		d.k.Fatalf("%s in %s: %q, error code %q; want unsupported", what, l.Market, answer.Kind, errcodes.Of(err))
	}
	if n := len(d.got(nil)); n > 0 {
		d.k.Fatalf("%s in %s: %d requests, want none", what, l.Market, n)
	}
}

func identityNeeded(k *connectorKit) {
	claimed := k.open().Capabilities()
	k.each(func(d *desk, base scenario) {
		l := base.lookup()
		given := !l.Identity.IsZero()
		l.Identity = ports.Identity{}
		can, _ := ports.CapabilityIn(claimed, l.Market)
		switch {
		case can.NeedsIdentity:
			d.unasked(l, "a lookup without an identity")
		case given:
			k.Fatalf("%s has an identity in %s, which does not need one", base.name, l.Market)
		}
	})
}

// unknownBanks are bank codes of the right form that no bank of the country has.
var unknownBanks = map[string]string{"ZAF": "999999", "NGA": "999", "GHA": "999", "KEN": "99"}

func (k *connectorKit) gives(s scenario, got ports.Answer, err error) {
	want, _ := s.Expect.answer() // checked when the file was read
	if code := errcodes.Of(err); code != s.Expect.Error {
		k.Fatalf("%s: error code %q, want %q (%v)", s.name, code, s.Expect.Error, err)
	}
	if got != want {
		type plain ports.Answer // prints the fields that an Answer hides
		k.Fatalf("%s:\n got %+q\nwant %+q", s.name, fmt.Sprintf("%+v", plain(got)), fmt.Sprintf("%+v", plain(want)))
	}
}

func (d *desk) asksOnce(base scenario, at spot, status int) {
	d.answer(d.k.behind(base, at, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(status)
	}))
	_, _ = d.ask(d.k.Context(), base.lookup()) // other checks examine the result
	if n := d.gotAt(at); n != 1 {
		d.k.Fatalf("%d requests for %s in a lookup in %s that was answered %d, want 1: the wrapper retries, not the connector", n, at, market(base), status)
	}
}

func lookupsAtOnce(k *connectorKit) {
	var cast []scenario
	var exchanges []exchange
	for _, s := range k.scenarios {
		same := func(o scenario) bool { return o.Lookup == s.Lookup }
		if a, _ := s.Expect.answer(); s.Expect.Error == "" && a.Kind != ports.OutcomeTryLater && !slices.ContainsFunc(cast, same) {
			cast, exchanges = append(cast, s), append(exchanges, s.Exchanges...)
		}
	}
	d := k.open()
	d.answer(newStage(true, exchanges...).serve)
	got := make([]ports.Answer, kit.Racers)
	errs := kit.Race(kit.Racers, func(i int) error {
		var err error
		got[i], err = d.Lookup(k.Context(), cast[i%len(cast)].lookup())
		return err
	})
	for i, err := range errs {
		k.gives(cast[i%len(cast)], got[i], err)
	}
}
