package authstate

import (
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/internal/states"
	"github.com/corridor-go/corridor/ports"
)

// Effect is the effect of an outcome on a transaction.
type Effect string

// The effects.
const (
	Moved        Effect = "moved"        // the transaction entered another state
	Unchanged    Effect = "unchanged"    // the outcome is a duplicate, or too late to matter
	LandedLate   Effect = "late_payment" // the money arrived after a failure; recorded once, and the state stays
	Contradicted Effect = "contradicted" // a failure was reported after a success, and not because of a timeout or a lost connection; nothing is stored, and a person must investigate
)

// Kinds of the events that transitions raise. Their data is a [View]; that of a late
// payment also contains the time at which it arrived.
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
	Event  string // kind of the event; "" if the transaction does not change
}

// Short names for the table below.
const (
	pending   = ports.TransactionPending
	succeeded = ports.TransactionSucceeded
	failed    = ports.TransactionFailed
	errored   = ports.TransactionErrored
)

// table has a row for each outcome in each state. Terminal states are final (I27).
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

// Transitions returns the state table of a transaction, for documentation and tests.
func Transitions() []Transition { return table.All() }
