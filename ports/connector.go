package ports

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// AccountConnector asks an upstream provider about accounts.
type AccountConnector interface {
	// Name returns the connector's name, which results show as their provider: 1 to
	// 32 lower-case letters, digits and hyphens, the same at each call.
	Name() string

	// Capabilities returns what the connector can do, one entry for each market
	// that it serves. They never change.
	Capabilities() []Capability

	// Lookup asks the provider about one account. The caller guarantees that the
	// account is well-formed and of a market in Capabilities, and that ctx ends when
	// the time for this call is over: by a deadline, or cancelled with the cause
	// context.DeadlineExceeded. Later answers are ignored, so that Lookup should
	// return when ctx ends.
	//
	// Lookup returns an [Answer] for all that the provider reports about the
	// account, good or bad. An error means that there is no answer:
	//
	//   - [errcodes.Configuration]: the provider rejected the credentials or their
	//     permissions (401, 403). This is never reported as not found.
	//   - the context's own error: the deadline passed, or the caller left.
	//   - [errcodes.Unavailable]: the provider could not be reached, broke off, or
	//     sent a 5xx that contains nothing about the account.
	//   - [errcodes.MalformedAnswer]: the answer does not match the provider's
	//     documentation.
	//
	// The error's text contains no secret, account number or name. Lookup does not
	// retry: adapters/connector/resilient does.
	Lookup(ctx context.Context, lookup AccountLookup) (Answer, error)
}

// Capability is what a connector can do in one market.
type Capability struct {
	Market
	ReturnsName   bool // the answer for an existing account has its holder's name
	ComparesName  bool // the provider compares the name itself, and returns only the result
	NeedsIdentity bool // a lookup without an Identity is unsupported
	BillsFailures bool // the provider charges for failed lookups, so that corridor never repeats one
	// LastLiveTested is the day (YYYY-MM-DD) on which the conformance suite last
	// passed against the real provider; "" means never.
	LastLiveTested string
}

// CapabilityIn returns the capability for a market, and reports whether there is one.
func CapabilityIn(all []Capability, m Market) (Capability, bool) {
	if i := slices.IndexFunc(all, func(c Capability) bool { return c.Market == m }); i >= 0 {
		return all[i], true
	}
	return Capability{}, false
}

// Answer is a provider's answer about an account.
type Answer struct {
	// Kind is one of the first eight outcomes, [OutcomeFound] to [OutcomeFailed].
	Kind Outcome
	// HolderName is the name exactly as the provider returned it, or "". Only
	// answers that are [Outcome.Found] have one.
	HolderName string
	// Code and Message are the provider's own, byte for byte, or "". A message may
	// contain personal data: it is encrypted at rest and never logged.
	Code    string
	Message string
	// After is how long the provider asks to wait, or 0 if it is unknown. Only
	// [OutcomeTryLater] has one.
	After time.Duration
}

// String returns the kind alone: name and message may be personal.
func (a Answer) String() string { return string(a.Kind) }

// LogValue returns [Answer.String].
func (a Answer) LogValue() slog.Value { return slog.StringValue(a.String()) }

var answerKinds = []Outcome{
	OutcomeFound, OutcomeNameMatched, OutcomeNameMismatched, OutcomeNotFound, OutcomeUnusable, OutcomeUnsupported, OutcomeTryLater, OutcomeFailed,
}

// Check returns [errcodes.MalformedAnswer] if the answer contradicts itself: Kind is
// not an outcome of answers, HolderName is set although no account was found, or
// After is negative or set for a kind other than [OutcomeTryLater].
func (a Answer) Check() error {
	if !slices.Contains(answerKinds, a.Kind) {
		return malformed(fmt.Sprintf("unknown kind of answer %.32q", a.Kind))
	}
	switch {
	case a.HolderName != "" && !a.Kind.Found():
		return malformed(fmt.Sprintf("an answer of kind %s has a holder's name", a.Kind))
	case a.After < 0 || a.After > 0 && a.Kind != OutcomeTryLater:
		return malformed(fmt.Sprintf("an answer of kind %s asks to wait for %s", a.Kind, a.After))
	default:
		return nil
	}
}

func malformed(why string) error { return errcodes.New(errcodes.MalformedAnswer, why) }
