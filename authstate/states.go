package authstate

import (
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/internal/states"
	"github.com/corridor-go/corridor/ports"
)

// Effect is what an outcome does to a transaction.
type Effect string

// The effects.
const (
	Moved        Effect = "moved"        // it entered another state
	Unchanged    Effect = "unchanged"    // a duplicate, or too late to matter
	LandedLate   Effect = "late_payment" // the money landed after a failure, which stays; recorded once
	Contradicted Effect = "contradicted" // a success was denied, and not because of a timeout or a lost connection. It stays and nothing is stored: a person must look
)

// Kinds of the events that transitions raise. Their data is the transaction as
// the wire shows it ([View]); that of a late payment says when
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

// table answers each outcome in each state. Terminal states are final (I27).
var table = states.New("a transaction", func(t Transition) (ports.TransactionStatus, failures.Outcome) { return t.From, t.On },
	Transition{pending, failures.Pending, pending, Unchanged, ""},
	Transition{pending, failures.Success, succeeded, Moved, EventSucceeded},
	Transition{pending, failures.Failed, failed, Moved, EventFailed},
	Transition{pending, failures.Errored, errored, Moved, EventErrored},

	Transition{failed, failures.Pending, failed, Unchanged, ""},
	Transition{failed, failures.Success, failed, LandedLate, EventLatePayment},
	Transition{failed, failures.Failed, failed, Unchanged, ""},
	Transition{failed, failures.Errored, failed, Unchanged, ""},

	Transition{errored, failures.Pending, errored, Unchanged, ""},
	Transition{errored, failures.Success, errored, LandedLate, EventLatePayment},
	Transition{errored, failures.Failed, errored, Unchanged, ""},
	Transition{errored, failures.Errored, errored, Unchanged, ""},

	Transition{succeeded, failures.Pending, succeeded, Unchanged, ""},
	Transition{succeeded, failures.Success, succeeded, Unchanged, ""},
	Transition{succeeded, failures.Failed, succeeded, Contradicted, ""},
	Transition{succeeded, failures.Errored, succeeded, Contradicted, ""},
)

// Transitions returns the state table of a transaction, for documentation and
// tests.
func Transitions() []Transition { return table.All() }
