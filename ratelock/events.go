package ratelock

import (
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/jsontext"
	"github.com/corridor-go/corridor/ports"
)

var (
	errNotFound = errcodes.New(errcodes.NotFound, "Rate lock not found")
	errFull     = errcodes.New(errcodes.Conflict, "The pair has two live locks")
)

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
