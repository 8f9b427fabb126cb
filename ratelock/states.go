package ratelock

import (
	"fmt"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Trigger is what may move a lock.
type Trigger string

// The triggers of SPEC 3.1.
const (
	OnMint   Trigger = "a slot was free"
	OnTime   Trigger = "time reaches expiresAt"
	OnCancel Trigger = "cancel requested"
	OnDrift  Trigger = "the market moved beyond the tolerance"
)

// Kinds of the events that transitions raise.
const (
	EventMinted    = "rate_lock.minted"
	EventExpired   = "rate_lock.expired"
	EventCancelled = "rate_lock.cancelled"
)

// Transition is one row of the state table.
type Transition struct {
	From   ports.LockStatus // "" before the lock exists
	On     Trigger
	To     ports.LockStatus
	Reason ports.CancellationReason // given to the lock; "" for none
	Event  string                   // raised; "" when the lock does not change
}

// transitions is SPEC 3.1. What is not in it does not happen.
var transitions = []Transition{
	{"", OnMint, ports.LockActive, "", EventMinted},
	{ports.LockActive, OnTime, ports.LockExpired, "", EventExpired},
	{ports.LockActive, OnCancel, ports.LockCancelled, ports.CancelledRequested, EventCancelled},
	{ports.LockActive, OnDrift, ports.LockCancelled, ports.CancelledMarketDrift, EventCancelled},
	{ports.LockCancelled, OnCancel, ports.LockCancelled, "", ""},
	{ports.LockExpired, OnCancel, ports.LockExpired, "", ""},
}

// Transitions lists the state table of a lock, for documentation and tests.
func Transitions() []Transition { return append([]Transition(nil), transitions...) }

// next finds the row for a lock in state from; none is errcodes.Conflict.
func next(from ports.LockStatus, on Trigger) (Transition, error) {
	for _, t := range transitions {
		if t.From == from && t.On == on {
			return t, nil
		}
	}
	return Transition{}, errcodes.New(errcodes.Conflict, fmt.Sprintf("a lock that is %s stays so, although %s", from, on))
}

// reasonFits reports whether a lock may be in the state for that reason.
func reasonFits(status ports.LockStatus, reason ports.CancellationReason) bool {
	for _, t := range transitions {
		if t.To == status && t.Event != "" && t.Reason == reason {
			return true
		}
	}
	return false
}
