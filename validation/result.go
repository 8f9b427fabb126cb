package validation

import (
	"cmp"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
	"github.com/corridor-go/corridor/validation/names"
)

// answer is what a lookup found out.
type answer struct {
	provider  string
	said      ports.Answer
	outcome   ports.Outcome
	cached    bool      // it was read from the cache
	expiresAt time.Time // of the kept answer; zero if none is kept
	asked     []ports.ConnectorAnswer
	err       error // there is no answer: the store failed, or the service stops
}

// result is what a validation ends with.
type result struct {
	on        Trigger
	provider  string
	kind      ports.ValidationType
	outcome   ports.Outcome
	cached    bool
	match     names.Comparison
	holder    string
	reason    string
	expiresAt time.Time
	asked     []ports.ConnectorAnswer
}

// Rules of a comparison that no names decided.
const (
	RuleProvider    = "provider"     // the provider compared the names itself
	RuleNotReturned = "not_returned" // the provider returned no name: nothing was compared
)

// Reasons of results that no provider's answer decides.
const (
	reasonMismatch = "The provider returned a different name"
	reasonUnserved = "No provider serves this market for such a check"
	reasonOverdue  = "No provider answered in time"
	reasonDigits   = "The account number has a wrong check digit"
	reasonLost     = "The request could not be read any more"
)

// failures are the outcomes' reasons, where the provider returns none. Of several
// failures the one of the highest rank is the result.
var failures = map[ports.Outcome]struct {
	reason string
	rank   int
}{
	ports.OutcomeFound: {}, ports.OutcomeNameMatched: {}, ports.OutcomeNameMismatched: {},
	ports.OutcomeNotFound:    {"The provider knows no such account", 0},
	ports.OutcomeUnusable:    {"The account exists and cannot be paid", 0},
	ports.OutcomeFailed:      {"The provider reported a failure", 2},
	ports.OutcomeTryLater:    {"The provider is overloaded", 1},
	ports.OutcomeRefused:     {"The provider cannot be used at the moment", 1},
	ports.OutcomeUnreachable: {"The provider could not be reached", 1},
	ports.OutcomeTimeout:     {"The provider did not answer in time", 1},
	ports.OutcomeMalformed:   {"The provider's answer could not be read", 1},
	ports.OutcomeCancelled:   {"The lookup was cancelled", 0},
	ports.OutcomeUnsupported: {reasonUnserved, 0},
}

// triggers are the triggers that lead to each status.
var triggers = map[ports.ValidationStatus]Trigger{
	ports.StatusPending:      OnWindow,
	ports.StatusVerified:     OnVerified,
	ports.StatusNameMismatch: OnMismatch,
	ports.StatusNotFound:     OnNotFound,
	ports.StatusError:        OnFailure,
}

// judge turns an answer into the result of one request: the same answer may verify
// one caller's name and not another's (I20).
func (s *Service) judge(r *request, a *answer) result {
	if a.outcome == ports.OutcomeUnsupported {
		return unserved(r, reasonDigits, a.asked)
	}
	res := result{
		on: triggers[a.outcome.Rule().Status], provider: a.provider, kind: ports.External, outcome: a.outcome,
		cached: a.cached, expiresAt: a.expiresAt, asked: a.asked,
	}
	if !a.outcome.Found() {
		res.reason = cmp.Or(a.said.Message, failures[a.outcome].reason)
		return res
	}
	res.on, res.holder = OnVerified, a.said.HolderName
	if r.name == "" {
		return res
	}
	if res.match = s.compare(r.name, &a.said); !res.match.Matches {
		res.on, res.reason = OnMismatch, reasonMismatch
	}
	return res
}

func (s *Service) compare(name string, a *ports.Answer) names.Comparison {
	switch {
	case a.Kind == ports.OutcomeNameMismatched: // it knows more than the name that it shows
		return names.Comparison{Rule: RuleProvider}
	case a.HolderName != "":
		return names.Compare(name, a.HolderName, s.cfg.Names)
	case a.Kind == ports.OutcomeNameMatched:
		return names.Comparison{Rule: RuleProvider, Score: 100, Matches: true}
	default:
		return names.Comparison{Rule: RuleNotReturned, Matches: true}
	}
}

// byRules returns the result of a request that needs no connector, or has none, and
// reports whether it is such a request.
func (s *Service) byRules(r *request, reason string) (result, bool) {
	enforced := r.digits == market.CheckDigitFailed && s.policy.CheckDigit == Enforce
	if enforced || s.routes[r.account.Market] == nil {
		return unserved(r, reason, nil), true
	}
	return result{}, false
}

// unserved is the result if no connector could be asked. The check digit then decides,
// which says nothing about a name. reason is used if the check digit is wrong.
func unserved(r *request, reason string, asked []ports.ConnectorAnswer) result {
	res := result{provider: ports.ProviderRules, kind: ports.InternalRules, asked: asked}
	switch {
	case r.digits == market.CheckDigitFailed:
		res.on, res.reason = OnNotFound, reason
	case r.digits == market.CheckDigitPassed && r.name == "":
		res.on = OnVerified
	default:
		res.on, res.reason = OnFailure, reasonUnserved
	}
	return res
}
