package ratelock

import (
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/jsontext"
	"github.com/corridor-go/corridor/ports"
)

// IDPrefix opens the id of every lock.
const IDPrefix = "rl_"

var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// newID makes a lock's id: 48 bits of the time, so that ids sort roughly by
// age and stores append them, and 80 bits of chance, so that none comes twice
// (I13).
func newID(now time.Time, random io.Reader) (string, error) {
	raw := at(now)
	if _, err := io.ReadFull(random, raw[6:]); err != nil {
		return "", errcodes.Wrap(errcodes.Internal, "", err)
	}
	return encode(raw), nil
}

// FirstID gives the lowest id that a lock made at t or later has, by the clock of
// the process that made it: where a partition by ids begins. t is from 1970 on.
func FirstID(t time.Time) string { return encode(at(t)) }

func at(t time.Time) (raw [16]byte) {
	binary.BigEndian.PutUint64(raw[:8], uint64(t.UnixMilli())<<16)
	return raw
}

func encode(raw [16]byte) string {
	var buf [len(IDPrefix) + 26]byte
	copy(buf[:], IDPrefix)
	idEncoding.Encode(buf[len(IDPrefix):], raw[:])
	return string(buf[:])
}

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

// end moves an active lock along the state table.
func end(l *ports.RateLock, on Trigger, at time.Time) (Transition, error) {
	row, err := next(l.Status, on)
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

// event makes the event of a transition. A lock enters each state once, so its
// id and the kind name the event, and a repeated write names it again.
func event(r *raised) (ports.Event, error) {
	data, err := eventData(&r.lock)
	if err != nil {
		return ports.Event{}, errcodes.Wrap(errcodes.Internal, "", err)
	}
	return ports.Event{
		ID: r.lock.ID + "." + string(r.lock.Status), Kind: r.kind, Key: r.lock.ID, Owner: r.lock.Owner, At: r.at, Data: data,
	}, nil
}

// eventData is json.Marshal of the lock, written by hand: by reflection it costs
// a mint as much as one of its writes.
func eventData(l *ports.RateLock) ([]byte, error) {
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
	return o.Done()
}
