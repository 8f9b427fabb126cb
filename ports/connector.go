package ports

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// AccountConnector asks an upstream provider about accounts.
type AccountConnector interface {
	// Name is the connector's, as results show it in their provider field: 1 to
	// 32 lower-case letters, digits and hyphens, the same at each call.
	Name() string

	// Capabilities say what the connector can do, one for each market that it
	// serves; they never change.
	Capabilities() []Capability

	// Lookup asks the provider about one account. The caller guarantees that
	// the account is well-formed and of a market that Capabilities name, and
	// gives a ctx that ends when the time for this call is over: by a deadline,
	// or cancelled with the cause context.DeadlineExceeded. Lookup heeds it: a
	// later answer is not taken.
	//
	// What the provider said is an [Answer], also when it is bad news. An error
	// says that there is no answer:
	//
	//   - errcodes.Configuration: the provider refused the credentials, or the
	//     right to use them (401, 403). It is never a not-found.
	//   - the context's own error: the deadline passed, or the caller left.
	//   - errcodes.Unavailable: the provider could not be reached, broke off, or
	//     answered with a 5xx that says nothing about the account.
	//   - errcodes.MalformedAnswer: it answered what its documents do not
	//     describe.
	//
	// Neither carries a secret, an account number or a name in its text. Lookup
	// does not retry: the adapters/connector/resilient wrapper does.
	Lookup(ctx context.Context, lookup AccountLookup) (Answer, error)
}

// Capability is what a connector can do in one market.
type Capability struct {
	Market
	ReturnsName   bool // a found account comes with its holder's name
	ComparesName  bool // the provider compares the name itself, and returns the result only
	NeedsIdentity bool // a lookup without an Identity is unsupported
	BillsFailures bool // a lookup that fails is charged for: corridor never repeats one
	// LastLiveTested is the day (YYYY-MM-DD) on which the conformance suite
	// last passed against the provider itself; "" for never.
	LastLiveTested string
}

// CapabilityIn returns what a connector can do in a market, and whether it serves it.
func CapabilityIn(all []Capability, m Market) (Capability, bool) {
	if i := slices.IndexFunc(all, func(c Capability) bool { return c.Market == m }); i >= 0 {
		return all[i], true
	}
	return Capability{}, false
}

// Answer is what a provider said.
type Answer struct {
	// Kind is one of the first eight outcomes.
	Kind Outcome
	// HolderName is the name that the provider returned, as it wrote it; only
	// if [Outcome.Found], and "" where it returns none.
	HolderName string
	// Code and Message are the provider's, byte for byte; "" where it gave none.
	// A message may hold personal data: it is sealed at rest and never logged.
	Code    string
	Message string
	// After is how long the provider asks to wait; only for try_later, 0 where
	// it does not say.
	After time.Duration
}

// String shows the answer without name and message.
func (a Answer) String() string { return string(a.Kind) }

// LogValue is what logs show of an answer.
func (a Answer) LogValue() slog.Value { return slog.StringValue(a.String()) }

var answerKinds = []Outcome{
	OutcomeFound, OutcomeNameMatched, OutcomeNameMismatched, OutcomeNotFound, OutcomeUnusable, OutcomeUnsupported, OutcomeTryLater, OutcomeFailed,
}

// Check rejects an answer that contradicts itself with [errcodes.MalformedAnswer]: an
// outcome that no answer has, a name without an account, a wait without a reason.
func (a Answer) Check() error {
	if !slices.Contains(answerKinds, a.Kind) {
		return malformed("the kind is not one of an answer")
	}
	switch {
	case a.HolderName != "" && !a.Kind.Found():
		return malformed("a name without an account")
	case a.After < 0 || a.After > 0 && a.Kind != OutcomeTryLater:
		return malformed("a wait without a reason")
	default:
		return nil
	}
}

func malformed(why string) error { return errcodes.New(errcodes.MalformedAnswer, why) }
