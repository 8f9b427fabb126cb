package validation

import (
	"cmp"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
	"github.com/corridor-go/corridor/validation/names"
)

// answer is the outcome of a lookup.
type answer struct {
	provider  string
	reply     ports.Answer
	outcome   ports.Outcome
	cached    bool      // read from the cache
	expiresAt time.Time // of the cached answer; zero if it is not cached
	asked     []ports.ConnectorAnswer
	err       error // the store failed or the service stops: there is no answer
}

// result is the outcome of a validation.
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

// Rules of a comparison that was not made by package names.
const (
	RuleProvider    = "provider"     // the provider compared the names itself
	RuleNotReturned = "not_returned" // the provider returned no name, so none was compared
)

// Reasons of results that are not decided by a provider's answer.
const (
	reasonMismatch = "The provider returned a different name"
	reasonBusiness = "The account belongs to a business, not to a person of that name"
	reasonUnserved = "No provider serves this market for such a check"
	reasonOverdue  = "No provider answered in time"
	reasonDigits   = "The account number has a wrong check digit"
	reasonLost     = "The request could not be read any more"
)

// failures are the reasons for outcomes where the provider returns none. Among several
// failures the highest rank becomes the result.
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

// triggers maps each status to the trigger that leads to it.
var triggers = map[ports.ValidationStatus]Trigger{
	ports.StatusPending:      OnWindow,
	ports.StatusVerified:     OnVerified,
	ports.StatusNameMismatch: OnMismatch,
	ports.StatusNotFound:     OnNotFound,
	ports.StatusError:        OnFailure,
}

// judge returns the result of an answer for one request: the same answer may verify one
// caller's name and not another's (I20).
func (s *Service) judge(r *request, a *answer) result {
	if a.outcome == ports.OutcomeUnsupported {
		return unserved(r, reasonDigits, a.asked)
	}
	res := result{
		on: triggers[a.outcome.Rule().Status], provider: a.provider, kind: ports.External, outcome: a.outcome,
		cached: a.cached, expiresAt: a.expiresAt, asked: a.asked,
	}
	if !a.outcome.Found() {
		res.reason = cmp.Or(a.reply.Message, failures[a.outcome].reason)
		return res
	}
	res.on, res.holder = OnVerified, a.reply.HolderName
	if r.name == "" {
		return res
	}
	if res.match = s.compare(r.name, &a.reply); !res.match.Matches {
		res.on, res.reason = OnMismatch, mismatch(res.match, a.reply.HolderName)
	}
	return res
}

// mismatch returns the reason for names that differ. It says so if the account is a
// business's and the supplied name a person's, so that a sole trader can be asked.
func mismatch(match names.Comparison, holder string) string {
	if match.Rule == names.RuleKind && names.IsBusiness(holder) {
		return reasonBusiness
	}
	return reasonMismatch
}

func (s *Service) compare(name string, a *ports.Answer) names.Comparison {
	switch {
	case a.Kind == ports.OutcomeNameMismatched: // the provider may know more than the name that it returns
		return names.Comparison{Rule: RuleProvider}
	case a.HolderName != "":
		return names.Compare(name, a.HolderName, s.cfg.Names)
	case a.Kind == ports.OutcomeNameMatched:
		return names.Comparison{Rule: RuleProvider, Score: 100, Matches: true}
	default:
		return names.Comparison{Rule: RuleNotReturned, Matches: true}
	}
}

// byRules returns the result of a request that is decided without connectors, and reports
// whether it is.
func (s *Service) byRules(r *request, reason string) (result, bool) {
	enforced := r.digits == market.CheckDigitFailed && s.policy.CheckDigit == Enforce
	if enforced || s.routes[r.account.Market] == nil {
		return unserved(r, reason, nil), true
	}
	return result{}, false
}

// unserved returns the result if no connector can answer. A check digit then decides
// unless the request has a name. reason is used if the check digit is wrong.
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
