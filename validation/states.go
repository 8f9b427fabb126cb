package validation

import (
	"fmt"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Trigger is what may move a validation.
type Trigger string

// The triggers.
const (
	OnWindow   Trigger = "the synchronous window has passed"
	OnAsked    Trigger = "another provider is asked"
	OnVerified Trigger = "the account is confirmed"
	OnMismatch Trigger = "the provider returned a different name"
	OnNotFound Trigger = "there is no such account"
	OnFailure  Trigger = "nobody could confirm it, or it cannot be paid"
)

// Kinds of the events that transitions raise. Their data has no personal data.
const (
	EventPending = "validation.pending"
	EventAsked   = "validation.asked"
	EventEnded   = "validation.ended"
)

// Transition is one row of the state table.
type Transition struct {
	From  ports.ValidationStatus // "" before the validation exists
	On    Trigger
	To    ports.ValidationStatus
	Event string // raised with it
}

// transitions is SPEC 2.8 and 4.7. What is not in it does not happen: an end is
// for good (I18).
var transitions = []Transition{
	{"", OnWindow, ports.StatusPending, EventPending},
	{"", OnVerified, ports.StatusVerified, EventEnded},
	{"", OnMismatch, ports.StatusNameMismatch, EventEnded},
	{"", OnNotFound, ports.StatusNotFound, EventEnded},
	{"", OnFailure, ports.StatusError, EventEnded},
	{ports.StatusPending, OnAsked, ports.StatusPending, EventAsked},
	{ports.StatusPending, OnVerified, ports.StatusVerified, EventEnded},
	{ports.StatusPending, OnMismatch, ports.StatusNameMismatch, EventEnded},
	{ports.StatusPending, OnNotFound, ports.StatusNotFound, EventEnded},
	{ports.StatusPending, OnFailure, ports.StatusError, EventEnded},
}

// Transitions lists the state table of a validation, for documentation and tests.
func Transitions() []Transition { return append([]Transition(nil), transitions...) }

// next finds the row for a validation in state from; none is errcodes.Conflict.
func next(from ports.ValidationStatus, on Trigger) (Transition, error) {
	for _, t := range transitions {
		if t.From == from && t.On == on {
			return t, nil
		}
	}
	return Transition{}, errcodes.New(errcodes.Conflict, fmt.Sprintf("a validation that is %s stays so, although %s", from, on))
}
