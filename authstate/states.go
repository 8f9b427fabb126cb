package authstate

import (
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/ports"
)

// Effect is what an outcome does to a transaction.
type Effect string

// The effects.
const (
	Moved        Effect = "moved"        // it entered another state
	Unchanged    Effect = "unchanged"    // it is where it was: said before, or too late to matter
	LandedLate   Effect = "late_payment" // the money landed after a bad end, which stays; recorded once
	Contradicted Effect = "contradicted" // a success is taken back, by somebody who knows: not by a timeout or a lost connection. The end stays, nothing is stored: somebody must look
)

// Kinds of the events that transitions raise. Their data is the transaction as
// the wire shows it (ports.TransactionView); that of a late payment says when
// it landed as well.
const (
	EventOpened      = "transaction.opened"
	EventSucceeded   = "transaction.succeeded"
	EventFailed      = "transaction.failed"
	EventErrored     = "transaction.errored"
	EventLatePayment = "transaction.late_payment"
)

// Transition is one row of the state table.
type Transition struct {
	From   ports.TransactionStatus
	On     failures.Outcome
	To     ports.TransactionStatus
	Effect Effect
	Event  string // raised with it; "" for none
}

// Short names for the table.
const (
	pending   = ports.TransactionPending
	succeeded = ports.TransactionSucceeded
	failed    = ports.TransactionFailed
	errored   = ports.TransactionErrored
)

// transitions answers each outcome in each state: an end is entered once and
// for good (I27), whatever is said afterwards.
var transitions = []Transition{
	{pending, failures.Pending, pending, Unchanged, ""},
	{pending, failures.Success, succeeded, Moved, EventSucceeded},
	{pending, failures.Failed, failed, Moved, EventFailed},
	{pending, failures.Errored, errored, Moved, EventErrored},

	{failed, failures.Pending, failed, Unchanged, ""},
	{failed, failures.Success, failed, LandedLate, EventLatePayment},
	{failed, failures.Failed, failed, Unchanged, ""},
	{failed, failures.Errored, failed, Unchanged, ""},

	{errored, failures.Pending, errored, Unchanged, ""},
	{errored, failures.Success, errored, LandedLate, EventLatePayment},
	{errored, failures.Failed, errored, Unchanged, ""},
	{errored, failures.Errored, errored, Unchanged, ""},

	{succeeded, failures.Pending, succeeded, Unchanged, ""},
	{succeeded, failures.Success, succeeded, Unchanged, ""},
	{succeeded, failures.Failed, succeeded, Contradicted, ""},
	{succeeded, failures.Errored, succeeded, Contradicted, ""},
}

// Transitions lists the state table of a transaction, for documentation and
// tests.
func Transitions() []Transition { return append([]Transition(nil), transitions...) }

type moment struct {
	from ports.TransactionStatus
	on   failures.Outcome
}

var next = func() map[moment]Transition {
	m := make(map[moment]Transition, len(transitions))
	for _, t := range transitions {
		m[moment{t.From, t.On}] = t
	}
	return m
}()
