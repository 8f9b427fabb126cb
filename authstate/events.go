package authstate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// lateView is the data of a late payment's event: the unchanged transaction, and when the
// money arrived.
type lateView struct {
	View
	LatePayment landing `json:"latePayment"`
}

type landing struct {
	LandedAt string `json:"landedAt"` // UTC, RFC 3339 with milliseconds
}

// event returns an event of the transaction.
func (t transaction) event(kind string, at time.Time) (ports.Event, error) {
	view := ViewOf(&t.rec)
	var shown any = view
	if kind == EventLatePayment {
		shown = lateView{view, landing{ports.FormatTime(t.rec.LateAt)}}
	}
	data, err := json.Marshal(shown)
	if err != nil {
		return ports.Event{}, errcodes.Wrap(errcodes.Internal, "", err)
	}
	key := t.rec.Owner + "\x00" + t.rec.ID
	return ports.Event{ID: eventID(key, kind), Kind: kind, Key: key, Owner: t.rec.Owner, At: at, Data: data}, nil
}

// eventID returns the id of an event. It is unique, because a transaction's id is unique
// for its owner, and a transaction enters each state once.
func eventID(key, kind string) string {
	sum := sha256.Sum256([]byte(key + "\x00" + kind))
	return "evt_" + hex.EncodeToString(sum[:16])
}
