package validation

import (
	"github.com/corridor-go/corridor/internal/states"
	"github.com/corridor-go/corridor/ports"
)

// Trigger is the cause of a transition.
type Trigger string

// The triggers.
const (
	OnWindow   Trigger = "the synchronous window has passed"
	OnAsked    Trigger = "another provider is asked"
	OnVerified Trigger = "the account is confirmed"
	OnMismatch Trigger = "the provider returned a different name"
	OnNotFound Trigger = "there is no such account"
	OnFailure  Trigger = "the account is not confirmed, or cannot be paid"
)

// Kinds of events. Event data contains no personal data.
const (
	EventPending = "validation.pending"
	EventAsked   = "validation.asked"
	EventEnded   = "validation.ended"
)

// Transition is one row of the state table.
type Transition struct {
	From  ports.ValidationStatus // "" means that the validation does not exist yet
	On    Trigger
	To    ports.ValidationStatus
	Event string // kind of the event that the transition raises
}

// table contains the transitions of SPEC 2.8 and 4.7. Terminal states are final (I18).
var table = states.New("a validation", func(t Transition) (ports.ValidationStatus, Trigger) { return t.From, t.On },
	Transition{"", OnWindow, ports.StatusPending, EventPending},
	Transition{"", OnVerified, ports.StatusVerified, EventEnded},
	Transition{"", OnMismatch, ports.StatusNameMismatch, EventEnded},
	Transition{"", OnNotFound, ports.StatusNotFound, EventEnded},
	Transition{"", OnFailure, ports.StatusError, EventEnded},
	Transition{ports.StatusPending, OnAsked, ports.StatusPending, EventAsked},
	Transition{ports.StatusPending, OnVerified, ports.StatusVerified, EventEnded},
	Transition{ports.StatusPending, OnMismatch, ports.StatusNameMismatch, EventEnded},
	Transition{ports.StatusPending, OnNotFound, ports.StatusNotFound, EventEnded},
	Transition{ports.StatusPending, OnFailure, ports.StatusError, EventEnded},
)

// Transitions returns the state table, for documentation and tests.
func Transitions() []Transition { return table.All() }
