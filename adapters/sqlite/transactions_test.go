package sqlite_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// waiting makes a transaction that was never saved.
func waiting(owner, id string) ports.Transaction {
	return ports.Transaction{
		ID: id, Owner: owner, Direction: errcodes.Payin, Status: ports.TransactionPending,
		CreatedAt: epoch, RespondBy: epoch.Add(time.Minute),
	}
}

// failed gives t the end that a provider's answer gives it.
func failed(t ports.Transaction) ports.Transaction {
	t.Status, t.Code, t.EndedAt = ports.TransactionFailed, errcodes.FailureDeclined, epoch.Add(time.Second)
	t.Raw, t.Scheme, t.Tables = ports.RawFailure{Code: "51", Message: "said of " + t.ID}, "iso8583", "2026-11"
	return t
}

// landed gives t a late payment.
func landed(t ports.Transaction) ports.Transaction {
	t.Late = ports.LatePayment{At: epoch.Add(time.Hour), Raw: ports.RawFailure{Code: "00", Message: "landed"}}
	return t
}

func transactionEvent(t ports.Transaction) ports.Event {
	id := fmt.Sprint("ev_", t.ID, " ", t.Status, " ", t.Version)
	return ports.Event{ID: id, Kind: "transaction.updated", Key: t.ID, Owner: t.Owner, At: epoch, Data: []byte("{}")}
}

func moveOf(t ports.Transaction) ports.TransactionChange {
	return ports.TransactionChange{Transaction: t, Events: []ports.Event{transactionEvent(t)}}
}

// mustTransact saves the transaction alone, and gives it as it is stored.
func mustTransact(tb testing.TB, store *sqlite.Store, t ports.Transaction) ports.Transaction {
	tb.Helper()
	require.NoError(tb, store.Transactions().Save(tb.Context(), ports.TransactionChange{Transaction: t}))
	t.Version++
	return t
}

func requireTransaction(tb testing.TB, store *sqlite.Store, want ports.Transaction) {
	tb.Helper()
	got, err := store.Transactions().Transaction(tb.Context(), want.Owner, want.ID)
	require.NoError(tb, err)
	require.Equal(tb, want, got)
}

// anyRaw draws a provider's words, some of them of the most bytes.
var anyRaw = rapid.OneOf(anyText, anyText, rapid.Just(strings.Repeat("\x00\xff", ports.MaxRaw/2)))

// anyTransaction draws a transaction that the rules allow, of any texts and
// times.
func anyTransaction(t *rapid.T, owner, id string) ports.Transaction {
	tx := ports.Transaction{
		ID: id, Owner: owner, Direction: rapid.SampledFrom([]errcodes.Direction{errcodes.Payin, errcodes.Payout}).Draw(t, "direction"),
		Status: rapid.SampledFrom([]ports.TransactionStatus{
			ports.TransactionPending, ports.TransactionSucceeded, ports.TransactionFailed, ports.TransactionErrored,
		}).Draw(t, "status"),
		CreatedAt: anyTime.Draw(t, "created"),
	}
	if rapid.Bool().Draw(t, "bounded") {
		tx.RespondBy = anyTime.Draw(t, "respond by")
	}
	if tx.Status == ports.TransactionPending {
		return tx
	}
	tx.Raw = ports.RawFailure{Code: anyRaw.Draw(t, "code"), Message: anyRaw.Draw(t, "message")}
	tx.Scheme, tx.Tables, tx.EndedAt = anyText.Draw(t, "scheme"), anyText.Draw(t, "tables"), anyTime.Draw(t, "ended")
	if tx.Status.State() == "" {
		return tx
	}
	tx.Code = errcodes.TransactionCode("c" + anyText.Draw(t, "normalised"))
	if rapid.Bool().Draw(t, "late") {
		tx.Late = ports.LatePayment{At: anyTime.Draw(t, "late at"), Raw: ports.RawFailure{Code: anyRaw.Draw(t, "late code"), Message: anyRaw.Draw(t, "late message")}}
	}
	return tx
}

// TestTransactionsComeBackEqual saves any transaction, changes it to any other
// while it may change, and reads it back (I26).
func TestTransactionsComeBackEqual(t *testing.T) {
	store := open(t, file(t), nil)
	taken := map[[2]string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		owner, id := anyText.Draw(rt, "owner"), anyText.Draw(rt, "id")
		if taken[[2]string{owner, id}] {
			rt.Skip("taken")
		}
		taken[[2]string{owner, id}] = true
		save := func(tx ports.Transaction, want errcodes.Code) {
			err := store.Transactions().Save(t.Context(), ports.TransactionChange{Transaction: tx})
			require.Equal(rt, want, errcodes.Of(err), "%v", err)
		}
		tx := anyTransaction(rt, owner, id)
		save(tx, "")
		tx.Version = 1
		requireSame(rt, store, tx)
		next := anyTransaction(rt, owner, id)
		next.Version = 1
		if tx.Status.Terminal() {
			next.EndedAt = tx.EndedAt.Add(time.Millisecond)
			next.Status, next.Code = tx.Status, tx.Code
			next.Late = ports.LatePayment{}
			save(next, errcodes.Conflict)
			requireSame(rt, store, tx)
			return
		}
		save(next, "")
		next.Version = 2
		requireSame(rt, store, next)
	})
}

func requireSame(t *rapid.T, store *sqlite.Store, want ports.Transaction) {
	got, err := store.Transactions().Transaction(context.Background(), want.Owner, want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
	_, err = store.Transactions().Transaction(context.Background(), want.Owner+"x", want.ID)
	require.Equal(t, errcodes.NotFound, errcodes.Of(err))
}

// TestTwoProcessesEndOneTransaction lets two stores on one file end each of many
// transactions, each otherwise: one end holds, and its event alone is there
// (I27, I32).
func TestTwoProcessesEndOneTransaction(t *testing.T) {
	path := file(t)
	stores := []*sqlite.Store{open(t, path, nil), open(t, path, nil)}
	const n = 40
	var begun []ports.Transaction
	for i := range n {
		begun = append(begun, mustTransact(t, stores[i%2], waiting("acme", string(rune('A'+i)))))
	}
	end := func(tx ports.Transaction, i int) ports.Transaction {
		tx = failed(tx)
		tx.Raw.Code = strconv.Itoa(i)
		return tx
	}
	won := make([][n]bool, 4)
	var g errgroup.Group
	for i := range won {
		g.Go(func() error {
			for k, tx := range begun {
				change := moveOf(end(tx, i))
				change.Events[0].ID += fmt.Sprint(" by ", i)
				err := stores[i%2].Transactions().Save(t.Context(), change)
				if won[i][k] = err == nil; err != nil && errcodes.Of(err) != errcodes.Conflict {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	var want []string
	for k, tx := range begun {
		got, err := stores[0].Transactions().Transaction(t.Context(), "acme", tx.ID)
		require.NoError(t, err)
		for i := range won {
			require.Equal(t, got.Raw.Code == strconv.Itoa(i), won[i][k])
		}
		want = append(want, transactionEvent(end(tx, 0)).ID+" by "+got.Raw.Code)
	}
	var events []string
	for _, e := range claimAll(t, stores[1]) {
		events = append(events, e.ID)
	}
	require.ElementsMatch(t, want, events)
}

// TestTransactionsAtOnce is for the race detector: all methods share one file.
func TestTransactionsAtOnce(t *testing.T) {
	store := open(t, file(t), nil)
	ctx := context.Background()
	var g errgroup.Group
	for i := range 4 {
		g.Go(func() error {
			for n := range 10 {
				tx := waiting(fmt.Sprint("owner ", i), strconv.Itoa(n))
				assert.NoError(t, store.Transactions().Save(ctx, ports.TransactionChange{Transaction: tx}))
				tx.Version = 1
				change := moveOf(failed(tx))
				change.Events[0].ID, change.Events[0].Key = tx.Owner+tx.ID, tx.Owner+tx.ID
				assert.NoError(t, store.Transactions().Save(ctx, change))
				_, err := store.Transactions().Transaction(ctx, tx.Owner, tx.ID)
				assert.NoError(t, err)
				if err := buryAndReplay(ctx, store); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
}

// buryAndReplay sets aside what waits, and brings what is buried back or drops
// it, whoever was faster.
func buryAndReplay(ctx context.Context, store *sqlite.Store) error {
	events, err := store.Outbox().Claim(ctx, epoch, time.Minute, 2)
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := store.Outbox().Bury(ctx, e, "no use"); err != nil && errcodes.Of(err) != errcodes.Conflict {
			return err
		}
	}
	page, err := store.DeadLetters().Buried(ctx, 0, 10)
	if err != nil || len(page) == 0 {
		return err
	}
	if _, err := store.DeadLetters().Replay(ctx, epoch, page[0].ID); err != nil {
		return err
	}
	_, err = store.DeadLetters().Discard(ctx, page[len(page)-1].ID)
	return err
}
