package ratelock

import (
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
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

// CheckRecord reports a lock that cannot have come from this package, as
// errcodes.CorruptRecord: storage is no way around a rule (I4 to I7).
func CheckRecord(l *ports.RateLock) error {
	if what := impossible(l); what != "" {
		return corrupt(what)
	}
	if !priced(l) {
		return corrupt("allInRate is not midRate plus the markup")
	}
	return nil
}

func corrupt(what string) error {
	return errcodes.Wrap(errcodes.CorruptRecord, "", errcodes.New(errcodes.CorruptRecord, what))
}

// impossible names what is wrong with the record's state, "" for nothing.
func impossible(l *ports.RateLock) string {
	switch {
	case l.ID == "" || l.Base == "" || l.Quote == "" || l.Base == l.Quote:
		return "a lock has an id and two currencies"
	case !l.CreatedAt.Before(l.ExpiresAt):
		return "expiresAt lies after createdAt"
	case l.Status != ports.LockActive:
		return impossibleEnd(l)
	case l.CancellationReason != "" || l.ObservedMid != "" || l.DeviationBps != 0 || !l.EndedAt.IsZero():
		return "an active lock has no end"
	default:
		return ""
	}
}

// impossibleEnd is impossible for a lock that has ended.
func impossibleEnd(l *ports.RateLock) string {
	drifted := l.CancellationReason == ports.CancelledMarketDrift
	switch {
	case !reasonFits(l.Status, l.CancellationReason):
		return "status and cancellationReason do not fit"
	case l.Status == ports.LockExpired && !l.EndedAt.Equal(l.ExpiresAt):
		return "an expired lock ended at expiresAt"
	case l.Status == ports.LockCancelled && (l.EndedAt.Before(l.CreatedAt) || !l.EndedAt.Before(l.ExpiresAt)):
		return "a lock is cancelled within its life"
	case drifted != (l.ObservedMid != "") || !drifted && l.DeviationBps != 0:
		return "observedMid and deviationBps belong to market_drift"
	default:
		return ""
	}
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

// priced checks I6.
func priced(l *ports.RateLock) bool {
	if l.MarkupBps < 0 || l.MarkupBps > MaxMarkupBps || l.AllInRate == "" {
		return false
	}
	mid, scale, ok1 := ports.SmallRate(l.MidRate)
	allIn, allInScale, ok2 := ports.SmallDecimal(l.AllInRate)
	if zeros := scale - bpsExp - allInScale; ok1 && ok2 && zeros >= 0 && zeros < len(tens) {
		hi, lo := bits.Mul64(allIn, tens[zeros])
		padded := allInScale > 0 && l.AllInRate[len(l.AllInRate)-1] == '0'
		return hi == 0 && lo == mid*uint64(10_000+l.MarkupBps) && !padded
	}
	want, err := Price(l.MidRate, l.MarkupBps)
	return err == nil && want == l.AllInRate
}

// tens holds the powers of ten of a machine word.
var tens = func() (t [20]uint64) {
	for i, p := 0, uint64(1); i < len(t); i, p = i+1, p*10 {
		t[i] = p
	}
	return t
}()

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
