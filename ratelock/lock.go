package ratelock

import (
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/ids"
	"github.com/corridor-go/corridor/internal/jsontext"
	"github.com/corridor-go/corridor/internal/states"
	"github.com/corridor-go/corridor/ports"
)

// IDPrefix is the beginning of every lock's id.
const IDPrefix = "rl_"

// FirstID returns the lowest possible id of locks minted at t or later, by the clock of
// the minting process. With it tables can be partitioned by id. t must be 1970 or later.
func FirstID(t time.Time) string { return ids.First(IDPrefix, t) }

// Trigger is a cause of a lock's transition.
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
	Reason ports.CancellationReason // stored in the lock; "" if it was not cancelled
	Event  string                   // kind of the event; "" if the lock does not change
}

// transitions is the table of SPEC 3.1. Other transitions are rejected.
var transitions = states.New("a rate lock", func(t Transition) (ports.LockStatus, Trigger) { return t.From, t.On }, []Transition{
	{"", OnMint, ports.LockActive, "", EventMinted},
	{ports.LockActive, OnTime, ports.LockExpired, "", EventExpired},
	{ports.LockActive, OnCancel, ports.LockCancelled, ports.CancelledRequested, EventCancelled},
	{ports.LockActive, OnDrift, ports.LockCancelled, ports.CancelledMarketDrift, EventCancelled},
	{ports.LockCancelled, OnCancel, ports.LockCancelled, "", ""},
	{ports.LockExpired, OnCancel, ports.LockExpired, "", ""},
}...)

// Transitions returns the state table of a lock, for documentation and tests.
func Transitions() []Transition { return transitions.All() }

// end moves an active lock along the state table.
func end(l *ports.RateLock, on Trigger, at time.Time) (Transition, error) {
	row, err := transitions.Next(l.Status, on)
	if err != nil || row.Event == "" {
		return row, err
	}
	l.Status, l.CancellationReason = row.To, row.Reason
	l.EndedAt, l.AsOf = at, at
	return row, nil
}

func live(l *ports.RateLock, at time.Time) bool {
	return l.Status == ports.LockActive && at.Before(l.ExpiresAt)
}

func corrupt(what string) error {
	return errcodes.Wrap(errcodes.CorruptRecord, "", errcodes.New(errcodes.CorruptRecord, what))
}

// event returns the event of a transition. A lock enters each state once, so that its id
// and status identify the event, also when a write is repeated.
func event(r *raised) ports.Event {
	return ports.Event{
		ID: r.lock.ID + "." + string(r.lock.Status), Kind: r.kind, Key: r.lock.ID, Owner: r.lock.Owner, At: r.at, Data: eventData(&r.lock),
	}
}

// eventData returns the same bytes as json.Marshal, without reflection, which would take as
// long as one of the writes of a mint.
func eventData(l *ports.RateLock) []byte {
	o := jsontext.Object{Buf: make([]byte, 0, 640)}
	o.Text("rateLockId", l.ID)
	o.Text("owner", l.Owner)
	o.Text("base", l.Base)
	o.Text("quote", l.Quote)
	o.Text("midRate", l.MidRate)
	o.Number("markupBps", int64(l.MarkupBps))
	o.Text("allInRate", l.AllInRate)
	o.Text("midSource", l.MidSource)
	o.Time("midAt", l.MidAt)
	o.Number("toleranceBps", int64(l.ToleranceBps))
	o.Time("createdAt", l.CreatedAt)
	o.Time("expiresAt", l.ExpiresAt)
	o.Text("status", string(l.Status))
	if l.CancellationReason != "" {
		o.Text("cancellationReason", string(l.CancellationReason))
	}
	if !l.EndedAt.IsZero() {
		o.Time("endedAt", l.EndedAt)
	}
	if l.ObservedMid != "" {
		o.Text("observedMid", l.ObservedMid)
	}
	if l.DeviationBps != 0 {
		o.Number("deviationBps", l.DeviationBps)
	}
	data, _ := o.Done() // texts always marshal
	return data
}
