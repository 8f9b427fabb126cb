package storemodel

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Transactions asks the stores and the memory store, which has a model of its own,
// the same: every answer agrees (I26, I27).
func Transactions(t *testing.T, fresh Fresh) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		d := &transactionDifferential{newDifferential(rt, fresh)}
		rt.Repeat(map[string]func(*rapid.T){"save": d.save, "": d.compare})
		d.sameEvents(rt)
	})
}

type transactionDifferential struct{ differential }

// save tries a change of the transaction as it is: mostly at its version, often
// of one thing alone, with times below the millisecond.
func (d *transactionDifferential) save(t *rapid.T) {
	d.saves++
	owner, id := fewOwners.Draw(t, "owner"), fewIDs.Draw(t, "id")
	tx, err := d.model.Transactions().Transaction(context.Background(), owner, id)
	if err != nil {
		tx = PendingTransaction(owner, id)
	}
	before := tx
	switch rapid.IntRange(0, 5).Draw(t, "move") {
	case 0, 1:
		tx = FailedTransaction(tx)
	case 2, 3:
		tx = changedOtherwise(t, tx)
	case 4:
		tx.Version += rapid.SampledFrom([]int64{-1, 1}).Draw(t, "off")
	}
	if tx.Status.State() != "" && rapid.Bool().Draw(t, "late") {
		tx.Late = ports.LatePayment{At: finerTimes.Draw(t, "late at"), Raw: ports.RawFailure{Message: fewIDs.Draw(t, "late message")}}
	}
	if before.Status.Terminal() && !tx.Status.Terminal() {
		tx.Raw, tx.Code, tx.EndedAt, tx.Late = ports.RawFailure{}, "", time.Time{}, ports.LatePayment{}
	}
	change := ports.TransactionChange{Transaction: tx, Events: d.event()}
	d.tries(t, func(s Store) error { return s.Transactions().Save(context.Background(), change) })
}

// changedOtherwise changes one field as the rules allow.
func changedOtherwise(t *rapid.T, tx ports.Transaction) ports.Transaction {
	ended := tx.Status.Terminal()
	switch rapid.IntRange(0, 8).Draw(t, "field") {
	case 0:
		tx.Direction = errcodes.Payout
	case 1:
		tx.CreatedAt = finerTimes.Draw(t, "created")
	case 2:
		tx.RespondBy = rapid.OneOf(finerTimes, rapid.Just(time.Time{})).Draw(t, "respond by")
	case 3:
		if ended {
			tx.Raw.Code = fewIDs.Draw(t, "code")
		}
	case 4:
		if ended {
			tx.Raw.Message = fewIDs.Draw(t, "message")
		}
	case 5:
		tx.Scheme = fewIDs.Draw(t, "scheme")
	case 6:
		tx.Tables = fewIDs.Draw(t, "tables")
	case 7:
		if ended {
			tx.EndedAt = finerTimes.Draw(t, "ended")
		}
	case 8:
		tx.Status, tx.Code, tx.EndedAt, tx.Late = ports.TransactionSucceeded, "", finerTimes.Draw(t, "ended"), ports.LatePayment{}
	}
	return tx
}

func (d *transactionDifferential) compare(t *rapid.T) {
	owner, id := fewOwners.Draw(t, "reader"), fewIDs.Draw(t, "what")
	asks(t, &d.differential, func(s Store) (ports.Transaction, error) {
		return s.Transactions().Transaction(context.Background(), owner, id)
	})
}
