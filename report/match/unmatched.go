package match

import (
	"time"

	"github.com/corridor-go/corridor/ports"
)

// Reason is why a settlement line or a payment is unmatched.
type Reason string

// The reasons.
const (
	MissingTransaction  Reason = "missing_transaction"
	MissingSettlement   Reason = "missing_settlement"
	AmountMismatch      Reason = "amount_mismatch"
	CurrencyMismatch    Reason = "currency_mismatch"
	StatusMismatch      Reason = "status_mismatch"
	DuplicateSettlement Reason = "duplicate_settlement"
	UnreadableLine      Reason = "unreadable_line"
)

// reasons lists the reasons with their meanings, for the documentation. The index of a
// reason is its number in a spilled row.
var reasons = []struct {
	reason Reason
	about  string // what the row is about
	means  string
}{
	{MissingTransaction, "line", "no payment has the line's reference"},
	{MissingSettlement, "payment", "the payment has succeeded, was created before the due time, and has no line"},
	{AmountMismatch, "line", "the sum up to this line, the last one counted, is not the payment's amount"},
	{CurrencyMismatch, "line", "no payment with the reference has the line's currency"},
	{StatusMismatch, "line", "the payment with the reference has not succeeded"},
	{DuplicateSettlement, "line", "the line takes the sum beyond the payment's amount and equals an earlier line"},
	{UnreadableLine, "line", "the line cannot be read"},
}

// CandidateWhy is why a payment is a candidate.
type CandidateWhy string

// The values of [CandidateWhy].
const (
	// NoCandidate means that the row has no candidate.
	NoCandidate CandidateWhy = ""
	// SameReference means that the payment has the line's reference.
	SameReference CandidateWhy = "same_reference"
	// SimilarReference means that the payment's reference differs from the line's only in
	// letter case, blanks, punctuation and leading zeros of numbers.
	SimilarReference CandidateWhy = "similar_reference"
)

// candidates lists the values of CandidateWhy by their number in a spilled row.
var candidates = []CandidateWhy{NoCandidate, SameReference, SimilarReference}

// Unmatched is a settlement line or a payment that does not match.
type Unmatched struct {
	Reason  Reason
	Line    ports.SettlementLine // zero for MissingSettlement
	Payment Payment              // only for MissingSettlement
	// Candidate is the payment that the line most likely belongs to. Among similar
	// references it is one with the line's currency and amount, then one that has
	// succeeded, then the nearest in time.
	Candidate    Payment
	CandidateWhy CandidateWhy
	// Settled is the sum of the candidate's counted lines, and Difference is Settled
	// minus the candidate's amount, both in minor units and clamped to int64. They are
	// set only for AmountMismatch and DuplicateSettlement.
	Settled    int64
	Difference int64
	Age        time.Duration // from At or CreatedAt to Range.AsOf; 0 if the time is later or cannot be read
	Detail     string        // the source's message about a bad line
}
