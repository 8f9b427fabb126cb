package ports

import (
	"context"
	"errors"

	"github.com/corridor-go/corridor/errcodes"
)

// Outcome is how a call of a connector ended: with what a provider said about the
// account, which is the kind of its [Answer], or without an answer.
type Outcome string

// The outcomes. Those before refused are kinds of answers; of them the first five are
// definite: no other provider would say anything else.
const (
	OutcomeFound          Outcome = "found"           // the account exists and can be paid
	OutcomeNameMatched    Outcome = "name_matched"    // likewise, and the provider finds that the name supplied is its holder's
	OutcomeNameMismatched Outcome = "name_mismatched" // likewise, and the provider finds that it is not
	OutcomeNotFound       Outcome = "not_found"       // there is no such account
	OutcomeUnusable       Outcome = "unusable"        // it exists and cannot be paid: closed, dormant, blocked
	OutcomeUnsupported    Outcome = "unsupported"     // the provider cannot say: an unknown bank, a missing identity
	OutcomeTryLater       Outcome = "try_later"       // overloaded, or the bank behind is down
	OutcomeFailed         Outcome = "failed"          // the provider reports a failure of another kind

	OutcomeRefused     Outcome = "refused"     // 401, 403: the credentials, not the account
	OutcomeUnreachable Outcome = "unreachable" // no answer: the network, a 5xx
	OutcomeTimeout     Outcome = "timeout"     // no answer within the deadline
	OutcomeMalformed   Outcome = "malformed"   // an answer that cannot be read
	OutcomeCancelled   Outcome = "cancelled"   // the caller left
)

// Found reports whether there is such an account, and it can be paid.
func (o Outcome) Found() bool {
	return o == OutcomeFound || o == OutcomeNameMatched || o == OutcomeNameMismatched
}

// OutcomeRule is one row of the answer table.
type OutcomeRule struct {
	Outcome  Outcome
	Status   ValidationStatus // of a validation that ends on it; one that is verified may still be a name_mismatch
	Cached   bool             // the answer serves later requests for the account
	FailOver bool             // the next connector is asked
	Retry    bool             // one more try at once may help, unless the provider bills failures
	Success  bool             // a circuit breaker counts it as a success; neither is no sign
	Failure  bool             // or as a failure
}

// outcomeRules is what is done about each outcome. Only what is known about the
// account itself, and not about one caller's name, is cached.
var outcomeRules = []OutcomeRule{
	{Outcome: OutcomeFound, Status: StatusVerified, Cached: true, Success: true},
	{Outcome: OutcomeNameMatched, Status: StatusVerified, Success: true},
	{Outcome: OutcomeNameMismatched, Status: StatusNameMismatch, Success: true},
	{Outcome: OutcomeNotFound, Status: StatusNotFound, Cached: true, Success: true},
	{Outcome: OutcomeUnusable, Status: StatusError, Success: true},
	{Outcome: OutcomeUnsupported, Status: StatusError, FailOver: true},
	{Outcome: OutcomeTryLater, Status: StatusError, FailOver: true, Failure: true},
	{Outcome: OutcomeFailed, Status: StatusError, FailOver: true},
	{Outcome: OutcomeRefused, Status: StatusError, FailOver: true, Failure: true},
	{Outcome: OutcomeUnreachable, Status: StatusError, FailOver: true, Retry: true, Failure: true},
	{Outcome: OutcomeTimeout, Status: StatusError, FailOver: true, Failure: true},
	{Outcome: OutcomeMalformed, Status: StatusError, FailOver: true, Failure: true},
	{Outcome: OutcomeCancelled, Status: StatusError},
}

// OutcomeRules lists the answer table.
func OutcomeRules() []OutcomeRule { return append([]OutcomeRule(nil), outcomeRules...) }

// Rule gives the row of an outcome; one that is none counts as malformed.
func (o Outcome) Rule() OutcomeRule {
	for _, r := range outcomeRules {
		if r.Outcome == o {
			return r
		}
	}
	return OutcomeMalformed.Rule()
}

// OutcomeOf names how a call of a connector ended, from what it returned.
func OutcomeOf(answer Answer, err error) Outcome {
	switch {
	case err == nil && answer.Check() != nil:
		return OutcomeMalformed
	case err == nil:
		return answer.Kind
	case errors.Is(err, context.DeadlineExceeded):
		return OutcomeTimeout
	case errors.Is(err, context.Canceled):
		return OutcomeCancelled
	}
	switch errcodes.Of(err) {
	case errcodes.Configuration, errcodes.Unauthorized, errcodes.Forbidden:
		return OutcomeRefused
	case errcodes.MalformedAnswer:
		return OutcomeMalformed
	case errcodes.DeadlineExceeded:
		return OutcomeTimeout
	case errcodes.Canceled:
		return OutcomeCancelled
	case errcodes.TooManyRequests:
		return OutcomeTryLater
	default:
		return OutcomeUnreachable
	}
}
