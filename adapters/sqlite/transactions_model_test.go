package sqlite_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// TestTransactionsDifferential asks two stores on one file and the memory
// store, which has a model of its own, the same: every answer agrees.
func TestTransactionsDifferential(t *testing.T) {
	path := migrated(t)
	stores := []*sqlite.Store{open(t, path, nil), open(t, path, nil)}
	db := raw(t, path)
	rapid.Check(t, func(rt *rapid.T) {
		query(t, db, "DELETE FROM transactions; DELETE FROM events")
		model, err := memory.New(nil)
		require.NoError(rt, err)
		d := &differential{stores: stores, model: model}
		rt.Repeat(map[string]func(*rapid.T){"save": d.save, "": d.compare})
		d.compareEvents(rt)
	})
}

type differential struct {
	stores []*sqlite.Store
	model  *memory.Store
	saves  int
}

func (d *differential) any(t *rapid.T) *sqlite.Store {
	return rapid.SampledFrom(d.stores).Draw(t, "store")
}

// save tries a change of the transaction as it is: mostly at its version, often
// of one thing alone, with times below the millisecond.
func (d *differential) save(t *rapid.T) {
	d.saves++
	owner, id := fewOwners.Draw(t, "owner"), fewIDs.Draw(t, "id")
	tx, err := d.model.Transactions().Transaction(context.Background(), owner, id)
	if err != nil {
		tx = waiting(owner, id)
	}
	before := tx
	switch rapid.IntRange(0, 5).Draw(t, "move") {
	case 0, 1:
		tx = failed(tx)
	case 2, 3:
		tx = changedOtherwise(t, tx)
	case 4:
		tx.Version += rapid.SampledFrom([]int64{-1, 1}).Draw(t, "off")
	}
	if tx.Status.State() != "" && rapid.Bool().Draw(t, "late") {
		tx.Late = ports.LatePayment{At: belowMillis.Draw(t, "late at"), Raw: ports.RawFailure{Message: fewIDs.Draw(t, "late message")}}
	}
	if before.Status.Terminal() && !tx.Status.Terminal() {
		tx.Raw, tx.Code, tx.EndedAt, tx.Late = ports.RawFailure{}, "", time.Time{}, ports.LatePayment{}
	}
	change := ports.TransactionChange{
		Transaction: tx, Events: []ports.Event{{ID: strconv.Itoa(d.saves), Key: strconv.Itoa(d.saves), At: epoch}},
	}
	want := d.model.Transactions().Save(context.Background(), change)
	got := d.any(t).Transactions().Save(context.Background(), change)
	require.Equal(t, errcodes.Of(want), errcodes.Of(got), "%v; the model: %v", got, want)
}

var belowMillis = rapid.Map(rapid.IntRange(-3, 3), func(n int) time.Time {
	return epoch.Add(time.Duration(n) * 400 * time.Microsecond)
})

// changedOtherwise changes one field as the rules allow.
func changedOtherwise(t *rapid.T, tx ports.Transaction) ports.Transaction {
	ended := tx.Status.Terminal()
	switch rapid.IntRange(0, 8).Draw(t, "field") {
	case 0:
		tx.Direction = errcodes.Payout
	case 1:
		tx.CreatedAt = belowMillis.Draw(t, "created")
	case 2:
		tx.RespondBy = rapid.OneOf(belowMillis, rapid.Just(time.Time{})).Draw(t, "respond by")
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
			tx.EndedAt = belowMillis.Draw(t, "ended")
		}
	case 8:
		tx.Status, tx.Code, tx.EndedAt, tx.Late = ports.TransactionSucceeded, "", belowMillis.Draw(t, "ended"), ports.LatePayment{}
	}
	return tx
}

func (d *differential) compare(t *rapid.T) {
	owner, id := fewOwners.Draw(t, "reader"), fewIDs.Draw(t, "what")
	want, wantErr := d.model.Transactions().Transaction(context.Background(), owner, id)
	got, err := d.any(t).Transactions().Transaction(context.Background(), owner, id)
	require.Equal(t, errcodes.Of(wantErr), errcodes.Of(err))
	require.Equal(t, want, got)
}

func (d *differential) compareEvents(t *rapid.T) {
	want, err := d.model.Outbox().Claim(context.Background(), epoch, time.Second, 1000)
	require.NoError(t, err)
	got, err := d.stores[0].Outbox().Claim(context.Background(), epoch, time.Second, 1000)
	require.NoError(t, err)
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, want[i].ID, got[i].ID)
	}
}
