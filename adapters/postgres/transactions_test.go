package postgres_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// mustTransact saves the transaction without events and returns it as it is stored.
func mustTransact(tb testing.TB, store *postgres.Store, t ports.Transaction) ports.Transaction {
	tb.Helper()
	require.NoError(tb, store.Transactions().Save(tb.Context(), ports.TransactionChange{Transaction: t}))
	t.Version++
	return t
}

func requireTransaction(tb testing.TB, store *postgres.Store, want ports.Transaction) {
	tb.Helper()
	got, err := store.Transactions().Transaction(tb.Context(), want.Owner, want.ID)
	require.NoError(tb, err)
	require.Equal(tb, want, got)
}

// storedEvents returns the ids of events in the order of their saves.
func storedEvents(tb testing.TB, dsn string) []string {
	tb.Helper()
	rows, err := connect(tb, dsn, nil).Query(tb.Context(), "SELECT id FROM corridor.events ORDER BY seq")
	require.NoError(tb, err)
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id []byte
		require.NoError(tb, rows.Scan(&id))
		ids = append(ids, string(id))
	}
	require.NoError(tb, rows.Err())
	return ids
}

// Eight workers of two processes end each of many transactions differently: one end
// succeeds, and only its event is stored (I27, I32).
func TestProcessesEndOneTransaction(t *testing.T) {
	t.Parallel()
	for _, level := range settings(levels...) {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			const workers = 8
			n := rounds(5)
			dsn := emptied(t)
			stores := []*postgres.Store{storeAt(t, dsn, level), storeAt(t, dsn, level)}
			var begun []ports.Transaction
			for i := range n {
				begun = append(begun, mustTransact(t, stores[i%2], waiting("acme", string(rune('A'+i)))))
			}
			var won [workers][]bool
			var g errgroup.Group
			for i := range won {
				g.Go(func() (err error) {
					won[i], err = endAll(t.Context(), stores[i%2].Transactions(), begun, strconv.Itoa(i))
					return err
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
				want = append(want, tx.ID+" by "+got.Raw.Code)
			}
			require.ElementsMatch(t, want, storedEvents(t, dsn))
		})
	}
}

// endAll ends each transaction in the worker's way and returns which ends succeeded.
func endAll(ctx context.Context, store ports.TransactionStore, begun []ports.Transaction, worker string) ([]bool, error) {
	won := make([]bool, len(begun))
	for k, tx := range begun {
		change := moveOf(failed(tx))
		change.Transaction.Raw.Code = worker
		change.Events[0].ID = tx.ID + " by " + worker
		err := insisting(func() error { return store.Save(ctx, change) })
		if won[k] = err == nil; err != nil && errcodes.Of(err) != errcodes.Conflict {
			return nil, err
		}
	}
	return won, nil
}

// storeAt opens a store on eight connections of an isolation level.
func storeAt(tb testing.TB, dsn, level string) *postgres.Store {
	tb.Helper()
	pool := connect(tb, dsn, isolated(level))
	var is string
	require.NoError(tb, pool.QueryRow(tb.Context(), "SHOW transaction_isolation").Scan(&is))
	require.Equal(tb, level, is)
	return on(tb, pool, nil)
}

// insisting repeats do while the server rolls it back because of others.
func insisting(do func() error) error {
	for {
		if err := do(); errcodes.Of(err) != errcodes.StorageUnavailable {
			return err
		}
	}
}

// Another process has an uncommitted change of the same record: the save sees what is
// left after it commits or rolls back (I27).
func TestASaveWaitsForAnotherProcess(t *testing.T) {
	t.Parallel()
	const (
		theirs = `INSERT INTO corridor.transactions (owner, id, version, direction, status, raw_code, raw_message, scheme, tables,
				created_at, late_code, late_message)
			VALUES ('acme', 'new', 1, 'payout', 'PENDING', '', '', '', '', '2026-11-20', '', '')`
		ended = `UPDATE corridor.transactions SET version = 2, status = 'SUCCEEDED', ended_at = '2026-11-20' WHERE id = 'begun'`
		late  = `UPDATE corridor.transactions SET version = 2, late_at = '2026-11-20' WHERE id = 'ended'`
	)
	begun, done := waiting("acme", "begun"), failed(waiting("acme", "ended"))
	at := func(tx ports.Transaction) ports.Transaction { tx.Version = 1; return tx }
	for name, c := range map[string]struct {
		other string
		mine  ports.Transaction
	}{
		"both begin one":             {theirs, waiting("acme", "new")},
		"both end one":               {ended, at(failed(begun))},
		"both record a late payment": {late, at(landed(done))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := emptied(t)
			atEachLevel(t, dsn, func(store *postgres.Store, holds bool) {
				mustTransact(t, store, begun)
				mustTransact(t, store, done)
				err := whileOpen(t, dsn, c.other, holds, func() error { return store.Transactions().Save(t.Context(), moveOf(c.mine)) })
				if holds {
					requireCode(t, errcodes.Conflict, err)
					require.Empty(t, storedEvents(t, dsn))
					return
				}
				require.NoError(t, err)
				want := c.mine
				want.Version++
				requireTransaction(t, store, want)
			})
		})
	}
}

// atEachLevel calls check on emptied tables at each isolation level, once for another
// process that commits and once for one that rolls back.
func atEachLevel(tb testing.TB, dsn string, check func(store *postgres.Store, holds bool)) {
	tb.Helper()
	for _, level := range settings(levels...) {
		for _, holds := range []bool{true, false} {
			tb.Logf("%s, theirs holds: %t", level, holds)
			query(tb, dsn, "TRUNCATE corridor.transactions, corridor.reports, corridor.events")
			check(storeAt(tb, dsn, level), holds)
		}
	}
}

// whileOpen starts do while another connection has run the SQL and not committed,
// waits until do waits for it, and then commits or rolls back.
func whileOpen(tb testing.TB, dsn, sql string, commit bool, do func() error) error {
	tb.Helper()
	pool := connect(tb, dsn, nil)
	other, err := pool.Begin(tb.Context())
	require.NoError(tb, err)
	defer func() { _ = other.Rollback(tb.Context()) }()
	_, err = other.Exec(tb.Context(), sql)
	require.NoError(tb, err)
	done := make(chan error, 1)
	go func() { done <- do() }()
	for waits := 0; waits == 0; {
		if len(done) > 0 {
			tb.Fatal("it did not wait: ", <-done)
		}
		require.NoError(tb, pool.QueryRow(tb.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waits))
	}
	if commit {
		require.NoError(tb, other.Commit(tb.Context()))
	} else {
		require.NoError(tb, other.Rollback(tb.Context()))
	}
	return <-done
}
