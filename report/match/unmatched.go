package match

import (
	"time"

	"github.com/corridor-go/corridor/ports"
)

// Reason says why a settlement line or a payment is unmatched.
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

// reasons holds each reason with its meaning, for the documentation. A reason's
// place is its number in a spilled row.
var reasons = []struct {
	reason Reason
	about  string // what the row is about
	means  string
}{
	{MissingTransaction, "line", "no payment has the line's reference"},
	{MissingSettlement, "payment", "the payment has succeeded, was created before the due time, and has no line"},
	{AmountMismatch, "line", "with this line, the last that counts, the sum is not the payment's amount"},
	{CurrencyMismatch, "line", "no payment of the reference has the line's currency"},
	{StatusMismatch, "line", "the payment of the reference has not succeeded"},
	{DuplicateSettlement, "line", "the line goes beyond the payment's amount and is equal to an earlier one"},
	{UnreadableLine, "line", "the line cannot be read"},
}

// CandidateWhy says what speaks for a candidate.
type CandidateWhy string

// Why a payment is a row's candidate.
const (
	// NoCandidate is of a row that has none.
	NoCandidate CandidateWhy = ""
	// SameReference is of a payment that has the line's reference.
	SameReference CandidateWhy = "same_reference"
	// SimilarReference is of a payment whose reference is the line's but for
	// letter case, blanks, punctuation and the zeros that numbers begin with.
	SimilarReference CandidateWhy = "similar_reference"
)

// candidates holds the whys by their number in a spilled row.
var candidates = []CandidateWhy{NoCandidate, SameReference, SimilarReference}

// Unmatched is a settlement line, or a payment, that does not agree with the
// other side.
type Unmatched struct {
	Reason  Reason
	Line    ports.SettlementLine // the zero value for MissingSettlement
	Payment Payment              // of MissingSettlement only
	// Candidate is the payment that the line most likely belongs to. Of similar
	// references it is the one with the line's currency and amount, then one that
	// has succeeded, then the nearest in time.
	Candidate    Payment
	CandidateWhy CandidateWhy
	// Settled is the sum of the candidate's lines that count, and Difference what
	// it has beyond the candidate's amount, both in minor units, held to the range
	// of int64; of AmountMismatch and DuplicateSettlement only.
	Settled    int64
	Difference int64
	Age        time.Duration // from At or CreatedAt to the range's AsOf; 0 for a time that is later or cannot be read
	Detail     string        // what a bad line's source says of it
}
