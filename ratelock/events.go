package ratelock

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/corridor-go/corridor/errcodes"
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
	o := object{buf: make([]byte, 0, 640)}
	o.text("rateLockId", l.ID)
	o.text("owner", l.Owner)
	o.text("base", l.Base)
	o.text("quote", l.Quote)
	o.text("midRate", l.MidRate)
	o.number("markupBps", int64(l.MarkupBps))
	o.text("allInRate", l.AllInRate)
	o.text("midSource", l.MidSource)
	o.time("midAt", l.MidAt)
	o.number("toleranceBps", int64(l.ToleranceBps))
	o.time("createdAt", l.CreatedAt)
	o.time("expiresAt", l.ExpiresAt)
	o.text("status", string(l.Status))
	if l.CancellationReason != "" {
		o.text("cancellationReason", string(l.CancellationReason))
	}
	if !l.EndedAt.IsZero() {
		o.time("endedAt", l.EndedAt)
	}
	if l.ObservedMid != "" {
		o.text("observedMid", l.ObservedMid)
	}
	if l.DeviationBps != 0 {
		o.number("deviationBps", l.DeviationBps)
	}
	return append(o.buf, '}'), o.err
}

// object is a JSON object in the making.
type object struct {
	buf []byte
	err error
}

func (o *object) name(name string) {
	open := byte(',')
	if len(o.buf) == 0 {
		open = '{'
	}
	o.buf = append(o.buf, open, '"')
	o.buf = append(o.buf, name...)
	o.buf = append(o.buf, '"', ':')
}

func (o *object) number(name string, n int64) {
	o.name(name)
	o.buf = strconv.AppendInt(o.buf, n, 10)
}

func (o *object) time(name string, t time.Time) {
	o.name(name)
	o.buf = append(o.buf, '"')
	o.buf = t.AppendFormat(o.buf, time.RFC3339Nano)
	o.buf = append(o.buf, '"')
}

func (o *object) text(name, s string) {
	o.name(name)
	if plainASCII(s) {
		o.buf = append(o.buf, '"')
		o.buf = append(o.buf, s...)
		o.buf = append(o.buf, '"')
		return
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		o.err = err
	}
	o.buf = append(o.buf, quoted...)
}

// plainASCII reports whether JSON quotes s as it is.
func plainASCII(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}
