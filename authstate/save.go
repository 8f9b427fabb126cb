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
			if err == nil {
				s.cfg.Hooks.Applied(a.Transaction, a.Effect)
			}
			return a, err
		}
		var again error
		if t, again = s.read(ctx, t.rec.Owner, t.rec.ID); again != nil {
			return Applied{}, firstUnknown(err, again)
		}
	}
	return Applied{}, err
}

// firstUnknown prefers the error that says that a write may have happened.
func firstUnknown(saved, read error) error {
	if errcodes.Of(saved) == errcodes.OutcomeUnknown {
		return saved
	}
	return read
}

// try makes one attempt. It is not done when the transaction must be read
// again: another writer came first, or nobody knows whether this one did. An
// attempt of unknown fate may be made again, since of two only one can find its
// version; if the first was stored after all, the second finds it.
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
	switch errcodes.Of(err) {
	case "":
		moved.rec.Version++
		return Applied{Transaction: moved.rec, Effect: row.Effect}, true, nil
	case errcodes.Conflict, errcodes.OutcomeUnknown:
		return Applied{}, false, err
	default:
		return Applied{}, true, err
	}
}
