package connectortest_test

import (
	"context"
	"math/rand/v2"
	"testing/fstest"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/connectortest"
)

// claiming changes what the connector claims.
func claiming(change func(c []ports.Capability)) func(h *connectortest.Harness) {
	return claims(func(c []ports.Capability) []ports.Capability {
		change(c)
		return c
	})
}

// claims replaces what the connector claims.
func claims(change func(c []ports.Capability) []ports.Capability) func(h *connectortest.Harness) {
	return bends(func(r *reference) {
		caps := r.caps
		r.caps = func() []ports.Capability { return change(caps()) }
	})
}

const (
	nameCheck  = "the name is well-formed and does not change"
	capsCheck  = "the capabilities are well-formed, do not change, and are not shared"
	namesCheck = "found accounts have a name or a verdict as the capabilities declare"
	needsCheck = "a lookup without a required identity is unsupported and makes no request"
	bankCheck  = "an unknown bank is unsupported and makes no request"
)

var badClaims = []badConnector{
	{"has a name in capitals", nameCheck, bends(func(r *reference) { r.name = func() string { return "Reference" } })},
	{"has no name", nameCheck, bends(func(r *reference) { r.name = func() string { return "" } })},
	{"has a name of 33 letters", nameCheck, bends(func(r *reference) { r.name = func() string { return "reference-reference-reference-333" } })},
	{"changes its name", nameCheck, bends(func(r *reference) {
		r.name = func() string { return "reference-" + string(rune('a'+rand.IntN(26))) + string(rune('a'+rand.IntN(26))) }
	})},
	{"claims no market", capsCheck, claims(func([]ports.Capability) []ports.Capability { return nil })},
	{"claims a market twice", capsCheck, claims(func(c []ports.Capability) []ports.Capability { return append(c, c[0]) })},
	{"claims a country with two letters", capsCheck, claiming(func(c []ports.Capability) { c[0].Country = "NG" })},
	{"claims an unknown account type", capsCheck, claiming(func(c []ports.Capability) { c[0].Type = "card" })},
	{"has an invalid test day", capsCheck, claiming(func(c []ports.Capability) { c[1].LastLiveTested = "yesterday" })},
	{"returns its internal list", capsCheck, bends(func(r *reference) {
		own := r.caps()
		r.caps = func() []ports.Capability { return own }
	})},
	{"changes its capabilities", capsCheck, bends(func(r *reference) {
		caps, asked := r.caps, false
		look := r.lookup
		r.caps = func() []ports.Capability { c := caps(); c[0].BillsFailures = asked; return c }
		r.lookup = func(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
			asked = true
			return look(ctx, l)
		}
	})},
	{"claims no names and returns them", namesCheck, claiming(func(c []ports.Capability) { c[0].ReturnsName = false })},
	{"claims no verdict and returns one", namesCheck, claiming(func(c []ports.Capability) { c[1].ComparesName = false })},
	{"claims names and returns none", namesCheck, without("found", "holder")},
	{"claims names and once returns none", namesCheck, edited("found", `"holderName": "MENSAH, AMA SERWAA"`, `"code": ""`)},
	{"claims verdicts and returns none", namesCheck, without("verified", "verified_not")},
	{"asks without the identity", needsCheck, bends(func(r *reference) {
		look := r.lookup
		r.lookup = func(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
			l.Identity.Kind = ports.PersonalAccount
			return look(ctx, l)
		}
	})},
	{"calls a missing identity an error", needsCheck, bends(func(r *reference) {
		look := r.lookup
		r.lookup = func(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
			if l.Market == zafBank && l.Identity.IsZero() {
				return ports.Answer{}, errcodes.New(errcodes.InvalidRequest, "")
			}
			return look(ctx, l)
		}
	})},
	{"does not claim that it needs an identity", needsCheck, claiming(func(c []ports.Capability) { c[1].NeedsIdentity = false })},
	{"asks about an unknown bank", bankCheck, bends(func(r *reference) {
		for _, code := range []string{"999", "999999"} {
			r.banks[code] = code
		}
	})},
	{"calls an unknown bank not found", bankCheck, bends(func(r *reference) {
		look := r.lookup
		r.lookup = func(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
			a, err := look(ctx, l)
			if a.Kind == ports.OutcomeUnsupported {
				a.Kind = ports.OutcomeNotFound
			}
			return a, err
		}
	})},
}

var badScenarios = []badConnector{
	{"has no account that is found", "scenario found", without("found")},
	{"expects a closed account as the one found", "scenario found", edited("found", "\"kind\": \"found\",\n    \"holderName\": \"MENSAH, AMA SERWAA\"", `"kind": "unusable"`)},
	{"has no account that is not found", "scenario not_found", without("not_found")},
	{"expects another failure as the one not found", "scenario not_found", edited("not_found", `"kind": "not_found"`, `"kind": "failed"`)},
	{"has no 429", "scenario try_later", without("try_later")},
	{"has a 429 without a wait", "scenario try_later", edited("try_later", `"after": "30s"`, `"after": "0s"`)},
	{"has a 503 instead of a 429", "scenario try_later", edited("try_later", `"status": 429`, `"status": 503`)},
	{"has a date instead of seconds", "scenario try_later", edited("try_later", `"30"`, `"Mon, 02 Mar 2026 09:32:00 GMT"`)},
	{"has no date", "scenario try_later_date", edited("try_later_date", "Mon, 02 Mar 2026 09:32:00 GMT", "120")},
	{"has no 401", "scenario unauthorized", without("unauthorized")},
	{"has a 403 instead of a 401", "scenario unauthorized", edited("unauthorized", `"status": 401`, `"status": 403`)},
	{"calls a 401 unavailable", "scenario unauthorized", edited("unauthorized", "configuration", "unavailable")},
	{"has no 403", "scenario forbidden", without("forbidden")},
	{"calls a 403 not found", "scenario forbidden", edited("forbidden", `"error": "configuration"`, `"kind": "not_found"`)},
	{"claims Nigeria without an account there", "found in NGA bank_account", without("found")},
	{"claims South Africa without an account there", "found in ZAF bank_account", without("verified", "verified_not")},
	{"claims Kenya without an account there", "found in KEN mobile_money", without("holder")},
}

const (
	playCheck = "each scenario makes its exchanges and returns its answer"
	oneCheck  = "a lookup makes one request"
	atOnce    = "concurrent lookups each return their own answer"
	overCheck = "a lookup with a done context makes no request"
	hangCheck = "a lookup returns at its deadline if the provider never answers"
	dripCheck = "a lookup returns at its deadline if the answer never ends"
	leftCheck = "canceling the context ends the lookup"
)

// answering changes the answers of the connector.
func answering(change func(a *ports.Answer)) func(h *connectortest.Harness) {
	return bends(func(r *reference) {
		look := r.lookup
		r.lookup = func(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
			a, err := look(ctx, l)
			change(&a)
			return a, err
		}
	})
}

// detached asks without the caller's context.
func detached(r *reference) {
	look := r.lookup
	r.lookup = func(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
		const longer = 5 * time.Second
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longer)
		defer cancel()
		return look(ctx, l)
	}
}

// recoded returns another error instead of the context's.
func recoded(r *reference) {
	look := r.lookup
	r.lookup = func(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
		a, err := look(ctx, l)
		if ctx.Err() != nil {
			err = errcodes.New(errcodes.Unavailable, "")
		}
		return a, err
	}
}

var badExchanges = []badConnector{
	{"trims the provider's message", playCheck, answering(func(a *ports.Answer) {
		if a.Message == "Could not resolve  account name" {
			a.Message = "Could not resolve account name"
		}
	})},
	{"drops the provider's code", playCheck, answering(func(a *ports.Answer) { a.Code = "" })},
	{"reformats names", playCheck, answering(func(a *ports.Answer) {
		if a.HolderName != "" {
			a.HolderName = "Mensah, Ama Serwaa"
		}
	})},
	{"calls every failure not found", playCheck, answering(func(a *ports.Answer) {
		if a.Kind == ports.OutcomeFailed {
			a.Kind = ports.OutcomeNotFound
		}
	})},
	{"drops the wait", playCheck, bends(func(r *reference) { r.wait = func(string) time.Duration { return 0 } })},
	{"asks at another path", playCheck, bends(func(r *reference) { r.up.BaseURL += "/v2" })},
	{"asks nothing at all", playCheck, bends(func(r *reference) {
		r.lookup = func(context.Context, ports.AccountLookup) (ports.Answer, error) {
			return ports.Answer{Kind: ports.OutcomeFound, HolderName: "MENSAH, AMA SERWAA"}, nil
		}
	})},
	{"sends another credential", playCheck, bends(func(r *reference) { r.up.Secret = "another" })},
	{"returns an answer and an error", playCheck, answering(func(a *ports.Answer) {
		if a.Kind == "" {
			a.Kind = ports.OutcomeFailed
		}
	})},
	{"contradicts itself", playCheck, answering(func(a *ports.Answer) {
		if a.Kind == ports.OutcomeNotFound {
			a.HolderName = "NOBODY"
		}
	})},
	{"tries a 429 again", oneCheck, bends(func(r *reference) { again(r, 429) })},
	{"tries a 500 again", oneCheck, bends(func(r *reference) { again(r, 500) })},
	{"tries a 503 again", oneCheck, bends(func(r *reference) { again(r, 503) })},
	{"asks twice in its scenario", oneCheck, files(func(files fstest.MapFS) {
		files["found.json"] = &fstest.MapFile{Data: twice(files["found.json"].Data)}
	})},
	{"mixes up answers", atOnce, bends(mixesUp)},
	{"returns its own error for a done context", overCheck, bends(recoded)},
	{"asks with a done context", overCheck, bends(detached)},
	{"ignores the deadline", hangCheck, bends(detached)},
	{"returns its own error at the deadline", hangCheck, bends(recoded)},
	{"reads for longer than the deadline", dripCheck, bends(detached)},
	{"calls a body cut off by the deadline malformed", dripCheck, bends(recoded)},
	{"ignores cancellation", leftCheck, bends(detached)},
	{"reports cancellation as a deadline", leftCheck, bends(func(r *reference) {
		look := r.lookup
		r.lookup = func(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
			a, err := look(ctx, l)
			if ctx.Err() != nil {
				err = context.DeadlineExceeded
			}
			return a, err
		}
	})},
}
