package storemodel

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// transaction draws a transaction that the rules allow, of any texts and
// times.
func (a Any) transaction(t *rapid.T, owner, id string) ports.Transaction {
	tx := ports.Transaction{
		ID: id, Owner: owner, Direction: rapid.SampledFrom([]errcodes.Direction{errcodes.Payin, errcodes.Payout}).Draw(t, "direction"),
		Status: rapid.SampledFrom([]ports.TransactionStatus{
			ports.TransactionPending, ports.TransactionSucceeded, ports.TransactionFailed, ports.TransactionErrored,
		}).Draw(t, "status"),
		CreatedAt: a.Time.Draw(t, "created"),
	}
	if rapid.Bool().Draw(t, "bounded") {
		tx.RespondBy = a.Time.Draw(t, "respond by")
	}
	if tx.Status == ports.TransactionPending {
		return tx
	}
	raw := a.raw()
	tx.Raw = ports.RawFailure{Code: raw.Draw(t, "code"), Message: raw.Draw(t, "message")}
	tx.Scheme, tx.Tables, tx.EndedAt = a.Bytes.Draw(t, "scheme"), a.Bytes.Draw(t, "tables"), a.Time.Draw(t, "ended")
	if tx.Status.State() == "" {
		return tx
	}
	tx.Code = errcodes.TransactionCode("c" + a.Text.Draw(t, "normalised"))
	if rapid.Bool().Draw(t, "late") {
		tx.Late = ports.LatePayment{At: a.Time.Draw(t, "late at"), Raw: ports.RawFailure{Code: raw.Draw(t, "late code"), Message: raw.Draw(t, "late message")}}
	}
	return tx
}

// TransactionsComeBackEqual saves any transaction, changes it to any other
// while it may change, and reads it back (I26, I27).
func TransactionsComeBackEqual(t *testing.T, store Store, a Any) {
	t.Helper()
	taken := map[[2]string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		owner, id := a.Bytes.Draw(rt, "owner"), a.Bytes.Draw(rt, "id")
		if taken[[2]string{owner, id}] {
			rt.Skip("taken")
		}
		taken[[2]string{owner, id}] = true
		save := func(tx ports.Transaction, want errcodes.Code) {
			err := store.Transactions().Save(t.Context(), ports.TransactionChange{Transaction: tx})
			require.Equal(rt, want, errcodes.Of(err), "%v", err)
		}
		tx := a.transaction(rt, owner, id)
		save(tx, "")
		tx.Version = 1
		requireTransaction(rt, store, tx)
		next := a.transaction(rt, owner, id)
		next.Version = 1
		if tx.Status.Terminal() {
			next.EndedAt = tx.EndedAt.Add(time.Millisecond)
			next.Status, next.Code, next.Late = tx.Status, tx.Code, ports.LatePayment{}
			save(next, errcodes.Conflict)
			requireTransaction(rt, store, tx)
			return
		}
		save(next, "")
		next.Version = 2
		requireTransaction(rt, store, next)
	})
}

func requireTransaction(t *rapid.T, store Store, want ports.Transaction) {
	got, err := store.Transactions().Transaction(context.Background(), want.Owner, want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
	_, err = store.Transactions().Transaction(context.Background(), want.Owner+"x", want.ID)
	require.Equal(t, errcodes.NotFound, errcodes.Of(err))
}
