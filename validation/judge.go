package validation

import (
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
	"github.com/corridor-go/corridor/validation/names"
)

// ending is how a lookup ended.
type ending struct {
	provider  string
	answer    ports.Answer
	outcome   ports.Outcome
	cached    bool      // it was read from the cache
	expiresAt time.Time // of the kept answer; zero when none is kept
	asked     []ports.ConnectorAnswer
	err       error // no lookup was possible: the store failed, the service closes
}

// verdict is what a validation ends with.
type verdict struct {
	on        Trigger
	provider  string
	kind      ports.ValidationType
	outcome   ports.Outcome
	cached    bool
	match     ports.NameMatch
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

// What a reader is told where no provider's answer decides.
const (
	reasonMismatch = "The provider returned a different name"
	reasonUnserved = "No provider serves this market for such a check"
	reasonOverdue  = "No provider answered in time"
	reasonDigits   = "The account number has a wrong check digit"
	reasonLost     = "The request could not be read any more"
)

// failures is what is told of an outcome without a reason of the provider's,
// and which of several failures is told: the most telling.
var failures = map[ports.Outcome]struct {
	reason  string
	telling int
}{
	ports.OutcomeFound:       {},
	ports.OutcomeCompared:    {},
	ports.OutcomeNotFound:    {"The provider knows no such account", 3},
	ports.OutcomeUnusable:    {"The account exists and cannot be paid", 3},
	ports.OutcomeFailed:      {"The provider reported a failure", 2},
	ports.OutcomeTryLater:    {"The provider is overloaded", 1},
	ports.OutcomeRefused:     {"The provider cannot be used at the moment", 1},
	ports.OutcomeUnreachable: {"The provider could not be reached", 1},
	ports.OutcomeTimeout:     {"The provider did not answer in time", 1},
	ports.OutcomeMalformed:   {"The provider's answer could not be read", 1},
	ports.OutcomeCancelled:   {"The lookup was broken off", 1},
	ports.OutcomeUnsupported: {reasonUnserved, 0},
}

// triggers is which end a status of the answer table is.
var triggers = map[ports.ValidationStatus]Trigger{
	ports.StatusPending:      OnWindow,
	ports.StatusVerified:     OnVerified,
	ports.StatusNameMismatch: OnMismatch,
	ports.StatusNotFound:     OnNotFound,
	ports.StatusError:        OnFailure,
}

// judge turns the end of a lookup into the end of one validation: the same
// answer may verify one caller's name and not another's (I20).
func (s *Service) judge(name string, digits market.Verdict, e *ending) verdict {
	if e.outcome == ports.OutcomeUnsupported {
		return unserved(name, digits, reasonDigits, e.asked)
	}
	v := verdict{
		on: triggers[e.outcome.Rule().Status], provider: e.provider, kind: ports.External, outcome: e.outcome,
		cached: e.cached, expiresAt: e.expiresAt, asked: e.asked,
	}
	if v.on != OnVerified {
		v.reason = e.answer.Message
		if v.reason == "" {
			v.reason = failures[e.outcome].reason
		}
		return v
	}
	v.holder = e.answer.HolderName
	matches := true
	if name != "" {
		matches, v.match = s.compare(name, &e.answer)
	}
	if !matches {
		v.on, v.reason = OnMismatch, reasonMismatch
	}
	return v
}

func (s *Service) compare(name string, a *ports.Answer) (bool, ports.NameMatch) {
	switch {
	case a.Name == ports.NameMismatched: // it knows more than the name that it shows
		return false, ports.NameMatch{Rule: RuleProvider}
	case a.HolderName != "":
		c := names.Compare(name, a.HolderName, s.cfg.Names)
		return c.Matches, ports.NameMatch{Rule: c.Rule, Score: c.Score}
	case a.Name == ports.NameMatched:
		return true, ports.NameMatch{Rule: RuleProvider, Score: 100}
	default:
		return true, ports.NameMatch{Rule: RuleNotReturned}
	}
}

// byRules decides where no provider is needed, or none is there.
func (s *Service) byRules(w *wanted, reason string) (verdict, bool) {
	enforced := w.digits == market.CheckDigitFailed && s.policy.CheckDigit == Enforce
	if enforced || w.route == nil {
		return unserved(w.name, w.digits, reason, nil), true
	}
	return verdict{}, false
}

// unserved is the end where nobody could be asked: the check digit is then all
// that there is to know; that it holds says nothing of a name. reason is why it
// does not.
func unserved(name string, digits market.Verdict, reason string, asked []ports.ConnectorAnswer) verdict {
	v := verdict{provider: ports.ProviderRules, kind: ports.InternalRules, asked: asked}
	switch {
	case digits == market.CheckDigitFailed:
		v.on, v.reason = OnNotFound, reason
	case digits == market.CheckDigitPassed && name == "":
		v.on = OnVerified
	default:
		v.on, v.reason = OnFailure, reasonUnserved
	}
	return v
}
