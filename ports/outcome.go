package ports

import (
	"context"
	"errors"

	"github.com/corridor-go/corridor/errcodes"
)

// Outcome is how a call of a connector ended: the kind of its [Answer], or the reason
// why there is no answer.
type Outcome string

// The outcomes. The first eight are kinds of answers. Of these the first five are
// definite: no other provider would answer differently.
const (
	OutcomeFound          Outcome = "found"           // the account exists and can be paid
	OutcomeNameMatched    Outcome = "name_matched"    // found, and the provider reports that the supplied name is its holder's
	OutcomeNameMismatched Outcome = "name_mismatched" // found, and the provider reports that the supplied name is not its holder's
	OutcomeNotFound       Outcome = "not_found"       // there is no such account
	OutcomeUnusable       Outcome = "unusable"        // the account exists and cannot be paid: closed, dormant, blocked
	OutcomeUnsupported    Outcome = "unsupported"     // the provider does not know: an unknown bank, a missing identity
	OutcomeTryLater       Outcome = "try_later"       // the provider is overloaded, or the account's bank is down
	OutcomeFailed         Outcome = "failed"          // the provider reports another failure

	OutcomeRefused     Outcome = "refused"     // 401, 403: the credentials were rejected
	OutcomeUnreachable Outcome = "unreachable" // no answer: the network failed, or a 5xx
	OutcomeTimeout     Outcome = "timeout"     // no answer within the deadline
	OutcomeMalformed   Outcome = "malformed"   // the answer cannot be read
	OutcomeCancelled   Outcome = "cancelled"   // the caller left
)

// Found reports whether the account exists and can be paid.
func (o Outcome) Found() bool {
	return o == OutcomeFound || o == OutcomeNameMatched || o == OutcomeNameMismatched
}

// OutcomeRule is a row of the table of outcomes.
type OutcomeRule struct {
	Outcome  Outcome
	Status   ValidationStatus // of a validation that ends with it; comparing names may turn verified into name_mismatch
	Cached   bool             // the answer is cached for later requests for the account
	FailOver bool             // the next connector is asked
	Retry    bool             // one immediate retry may help, unless the provider bills failures
	Success  bool             // a circuit breaker counts the call as a success
	Failure  bool             // a circuit breaker counts the call as a failure; if neither is set it ignores the call
}

// outcomeRules has a row for each outcome. Only answers about the account itself are
// cached, not those about one caller's name.
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

// OutcomeRules returns the rows of all outcomes.
func OutcomeRules() []OutcomeRule { return append([]OutcomeRule(nil), outcomeRules...) }

// Rule returns the row of an outcome, and the row of [OutcomeMalformed] for an unknown one.
func (o Outcome) Rule() OutcomeRule {
	for _, r := range outcomeRules {
		if r.Outcome == o {
			return r
		}
	}
	return OutcomeMalformed.Rule()
}

// OutcomeOf returns the outcome of a call of a connector that returned answer and err.
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
