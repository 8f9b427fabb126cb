package authstate

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// maxTries limits how often an outcome is applied again after a conflict. A transaction
// changes at most three times, so that more conflicts mean a faulty store.
const maxTries = 5

// change returns the change that stores the transaction with an event of the kind.
func (t transaction) change(kind string, at time.Time) (ports.TransactionChange, error) {
	event, err := t.event(kind, at)
	if err != nil {
		return ports.TransactionChange{}, err
	}
	return ports.TransactionChange{Transaction: t.rec, Events: []ports.Event{event}}, nil
}

// save stores a change with its audit row.
func (s *Service) save(ctx context.Context, change ports.TransactionChange) error {
	change.Audit = ports.Audit(ctx, change.Events)
	change.Audit[0].Object = change.Transaction.ID // the event's key has the owner, too
	return s.transactions.Save(ctx, change)
}

// apply applies f to t and stores the result. If another writer was first, it applies f to
// what that writer stored.
func (s *Service) apply(ctx context.Context, t transaction, f *finding) (Applied, error) {
	var err error
	for range maxTries {
		var done bool
		var a Applied
		if a, done, err = s.try(ctx, t, f); done {
			return s.applied(ctx, f, a, err)
		}
		var readErr error
		if t, readErr = s.read(ctx, t.rec.Owner, t.rec.ID); readErr != nil {
			return Applied{}, firstUnknown(err, readErr)
		}
		if errcodes.Of(err) == errcodes.OutcomeUnknown && t.savedAs(a.Transaction) {
			return s.applied(ctx, f, Applied{Transaction: t.rec, Effect: a.Effect}, nil)
		}
	}
	return Applied{}, err
}

// applied calls the hook, except for a timeout of an ended transaction.
func (s *Service) applied(ctx context.Context, f *finding, a Applied, err error) (Applied, error) {
	if err == nil && (!f.timer || a.Effect == Moved) {
		s.cfg.Hooks.Applied(ctx, a.Transaction, a.Effect)
	}
	return a, err
}

// savedAs reports whether t is what a save with an unknown outcome was to store, perhaps
// with a late payment since. If another writer stored the same in the same millisecond,
// both report Moved, which is better than if neither did.
func (t transaction) savedAs(saved ports.Transaction) bool {
	now := t.rec
	if saved.LateAt.IsZero() {
		now.LateAt, now.LateRaw, now.Version = saved.LateAt, saved.LateRaw, saved.Version
	}
	return now == saved
}

// firstUnknown returns saved if it is OutcomeUnknown, and otherwise read.
func firstUnknown(saved, read error) error {
	if errcodes.Of(saved) == errcodes.OutcomeUnknown {
		return saved
	}
	return read
}

// try makes one attempt. If done is false, the transaction must be read again: another
// writer was first, or the outcome is unknown, and a is what was to be stored. A second
// attempt after an unknown outcome is safe: both save the same version, so that only one
// of them succeeds.
func (s *Service) try(ctx context.Context, t transaction, f *finding) (a Applied, done bool, err error) {
	moved, row, err := t.apply(f, s.cfg.Clock.Now())
	if err != nil {
		return Applied{}, true, err
	}
	if row.Event == "" {
		return Applied{Transaction: t.rec, Effect: row.Effect}, true, nil
	}
	at := moved.rec.EndedAt
	if row.Effect == LandedLate {
		at = moved.rec.LateAt
	}
	change, err := moved.change(row.Event, at)
	if err != nil {
		return Applied{}, true, err
	}
	err = s.save(ctx, change)
	moved.rec.Version++
	a = Applied{Transaction: moved.rec, Effect: row.Effect}
	switch errcodes.Of(err) {
	case "":
		return a, true, nil
	case errcodes.Conflict, errcodes.OutcomeUnknown:
		return a, false, err
	default:
		return Applied{}, true, errcodes.Coded(err)
	}
}
