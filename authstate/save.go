package authstate

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// maxTries bounds how often one outcome is applied anew because another writer
// came first. A transaction changes three times at most, so that more means a
// store that does not keep its word.
const maxTries = 5

// change makes the write that tells of the transaction by an event.
func (t transaction) change(kind string, at time.Time) (ports.TransactionChange, error) {
	event, err := t.event(kind, at)
	if err != nil {
		return ports.TransactionChange{}, err
	}
	return ports.TransactionChange{Transaction: t.rec, Events: []ports.Event{event}}, nil
}

// apply moves t by v and stores it. Whoever comes second finds the end of the
// first in its way, whichever process wrote it.
func (s *Service) apply(ctx context.Context, t transaction, v *verdict) (Applied, error) {
	var err error
	for range maxTries {
		var done bool
		var a Applied
		if a, done, err = s.try(ctx, t, v); done {
			return s.told(v, a, err)
		}
		var again error
		if t, again = s.read(ctx, t.rec.Owner, t.rec.ID); again != nil {
			return Applied{}, firstUnknown(err, again)
		}
		if errcodes.Of(err) == errcodes.OutcomeUnknown && t.cameOf(a.Transaction) {
			return s.told(v, Applied{Transaction: t.rec, Effect: a.Effect}, nil)
		}
	}
	return Applied{}, err
}

// told lets the hook hear of an outcome. A timer that found the transaction
// ended is none.
func (s *Service) told(v *verdict, a Applied, err error) (Applied, error) {
	if err == nil && (!v.timer || a.Effect == Moved) {
		s.cfg.Hooks.Applied(a.Transaction, a.Effect)
	}
	return a, err
}

// cameOf reports whether t is what a save of unknown fate would have left, or
// that and a late payment since. Another writer who found the same at the same
// millisecond looks alike: then both are told that they moved it, which is
// better than that nobody is.
func (t transaction) cameOf(saved ports.Transaction) bool {
	now := t.rec
	if saved.Late.At.IsZero() {
		now.Late, now.Version = saved.Late, saved.Version
	}
	return now == saved
}

// firstUnknown prefers the error that says that a write may have happened.
func firstUnknown(saved, read error) error {
	if errcodes.Of(saved) == errcodes.OutcomeUnknown {
		return saved
	}
	return read
}

// try makes one attempt. It is not done when the transaction must be read
// again: another writer came first, or nobody knows whether this one did; it
// gives then what it meant to store. An attempt of unknown fate may be made
// again, since of two only one can find its version; if the first was stored
// after all, the second finds it.
func (s *Service) try(ctx context.Context, t transaction, v *verdict) (a Applied, done bool, err error) {
	moved, row := t.apply(v, s.cfg.Clock.Now())
	if row.Event == "" {
		return Applied{Transaction: t.rec, Effect: row.Effect}, true, nil
	}
	at := moved.rec.EndedAt
	if row.Effect == LandedLate {
		at = moved.rec.Late.At
	}
	change, err := moved.change(row.Event, at)
	if err != nil {
		return Applied{}, true, err
	}
	err = s.transactions.Save(ctx, change)
	moved.rec.Version++
	a = Applied{Transaction: moved.rec, Effect: row.Effect}
	switch errcodes.Of(err) {
	case "":
		return a, true, nil
	case errcodes.Conflict, errcodes.OutcomeUnknown:
		return a, false, err
	default:
		return Applied{}, true, err
	}
}
