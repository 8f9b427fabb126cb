package sqlite_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// mustTransact saves the transaction without events and returns it as it is stored.
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

// Two stores on one file end each of many transactions differently: one end succeeds,
// and only its event is stored (I27, I32).
func TestTwoProcessesEndOneTransaction(t *testing.T) {
	stores := twoProcesses(t)
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
		want = append(want, moveOf(end(tx, 0)).Events[0].ID+" by "+got.Raw.Code)
	}
	var events []string
	for _, e := range claimAll(t, stores[1]) {
		events = append(events, e.ID)
	}
	require.ElementsMatch(t, want, events)
}

// TestTransactionsAtOnce is for the race detector: all methods share one file.
func TestTransactionsAtOnce(t *testing.T) {
	store := open(t, migrated(t), nil)
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

// buryAndReplay buries what waits, and replays or discards what is buried.
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
	if _, err := store.DeadLetters().Replay(ctx, epoch, storemodel.AuditRow, page[0].ID); err != nil {
		return err
	}
	_, err = store.DeadLetters().Discard(ctx, storemodel.AuditRow, page[len(page)-1].ID)
	return err
}
