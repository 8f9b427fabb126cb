package sqlite_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// TestFailedCommitOfATransaction saves new transactions, a change, an end and a late
// payment. The result must be true wherever the outcome can be read.
func TestFailedCommitOfATransaction(t *testing.T) {
	disk := &broken{}
	store := open(t, migrated(t), &sqlite.Config{Faults: disk.fault})
	for name, c := range failedCommits {
		for carried, change := range map[string]func(tx ports.Transaction) ports.TransactionChange{
			"alone":         func(tx ports.Transaction) ports.TransactionChange { return ports.TransactionChange{Transaction: tx} },
			"with an event": moveOf,
			"with work":     timedOf,
		} {
			t.Run(name+", "+carried, func(t *testing.T) {
				wipe(t, store)
				disk.points = c.points
				begun := mustTransact(t, store, waiting("acme", "begun"))
				moved := mustTransact(t, store, waiting("acme", "moved"))
				moved.RespondBy = time.Time{}
				ended := mustTransact(t, store, failed(waiting("acme", "ended")))
				for _, tx := range []ports.Transaction{waiting("acme", "new"), failed(waiting("acme", "new and ended")), moved, failed(begun), landed(ended)} {
					asked := tx
					asked.CreatedAt = asked.CreatedAt.Add(1234) // below the millisecond
					disk.armed = true
					err := store.Transactions().Save(t.Context(), change(asked))
					disk.armed = false
					requireCode(t, c.code, err)
					got, _ := store.Transactions().Transaction(t.Context(), "acme", tx.ID)
					tx.Version++
					require.Equal(t, c.stored, got == tx, "%s", tx.ID)
				}
			})
		}
	}
}

// timedOf returns a change with the work that ends it.
func timedOf(tx ports.Transaction) ports.TransactionChange {
	return ports.TransactionChange{
		Transaction: tx, Work: []ports.WorkItem{{ID: "w_" + moveOf(tx).Events[0].ID, Kind: "timeout", DueAt: epoch.Add(time.Hour)}},
	}
}

// Another process writes before the outcome is read.
func TestFailedCommitOfATransactionWhileAnotherProcessWrites(t *testing.T) {
	at := func(tx ports.Transaction, version int64) ports.Transaction { tx.Version = version; return tx }
	saidOtherwise := func(tx ports.Transaction) ports.Transaction { tx.Raw.Code = "05"; return tx }
	landedOtherwise := func(tx ports.Transaction) ports.Transaction {
		tx = landed(tx)
		tx.LateRaw.Code = "05"
		return tx
	}
	begun := waiting("acme", "t")
	end := failed(begun)
	patient := begun
	patient.RespondBy = epoch.Add(time.Hour)
	done := []ports.Transaction{end}
	lost, acked := sqlite.BeforeCommit, sqlite.AfterCommit
	type list = []ports.Transaction
	disk := &broken{}
	store, other := overtaken(t, disk)
	for name, c := range map[string]struct {
		point  string
		before list // saved in turn
		mine   ports.Transaction
		event  bool
		theirs list // saved in turn, between the commit and the read-back
		code   errcodes.Code
	}{
		"no other write":                                 {lost, list{begun}, at(end, 1), true, nil, errcodes.StorageUnavailable},
		"nothing is stored":                              {lost, nil, begun, true, nil, errcodes.StorageUnavailable},
		"they took the id":                               {lost, nil, begun, true, list{patient}, errcodes.StorageUnavailable},
		"they took the version":                          {lost, list{begun}, at(end, 1), true, list{at(patient, 1)}, errcodes.StorageUnavailable},
		"they ended it differently":                      {lost, list{begun}, at(end, 1), true, list{at(saidOtherwise(end), 1)}, errcodes.StorageUnavailable},
		"they saved twice without an end":                {lost, list{begun}, at(end, 1), true, list{at(patient, 1), at(patient, 2)}, errcodes.StorageUnavailable},
		"they ended it differently, and saved again":     {lost, list{begun}, at(end, 1), true, list{at(saidOtherwise(end), 1), at(landed(saidOtherwise(end)), 2)}, errcodes.StorageUnavailable},
		"they ended it in the same way":                  {lost, list{begun}, at(end, 1), true, list{at(end, 1)}, errcodes.OutcomeUnknown},
		"they ended it in the same way, no event":        {lost, list{begun}, at(end, 1), false, list{at(end, 1)}, ""},
		"they ended it in the same way, and saved again": {lost, list{begun}, at(end, 1), true, list{at(end, 1), at(landed(end), 2)}, errcodes.OutcomeUnknown},
		"they saved after my end":                        {acked, list{begun}, at(end, 1), true, list{at(landed(end), 2)}, ""},
		"they saved after my end, no event":              {acked, list{begun}, at(end, 1), false, list{at(landed(end), 2)}, errcodes.OutcomeUnknown},
		"they saved after my change":                     {acked, list{begun}, at(patient, 1), true, list{at(end, 2)}, ""},
		"they recorded another late payment":             {lost, done, at(landed(end), 1), true, list{at(landedOtherwise(end), 1)}, errcodes.StorageUnavailable},
		"they recorded another one, and saved again":     {lost, done, at(landed(end), 1), true, list{at(landedOtherwise(end), 1), at(landedOtherwise(end), 2)}, errcodes.StorageUnavailable},
		"they saved it without a late payment":           {lost, done, at(landed(end), 1), true, list{at(end, 1), at(end, 2)}, errcodes.StorageUnavailable},
		"they saved my late payment again":               {acked, done, at(landed(end), 1), true, list{at(landed(end), 2)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			disk.armed = false
			wipe(t, store)
			disk.points, disk.readBack = []string{c.point}, func() {
				for _, tx := range c.theirs {
					mustTransact(t, other, tx)
				}
			}
			for _, tx := range c.before {
				mustTransact(t, store, tx)
			}
			change := ports.TransactionChange{Transaction: c.mine}
			if c.event {
				change = moveOf(c.mine)
			}
			disk.armed = true
			requireCode(t, c.code, store.Transactions().Save(t.Context(), change))
		})
	}
}

// Only the row is left, which may be another process's, so the outcome is unknown.
// Waiting work would show it.
func TestFailedCommitOfATransactionWhoseEventIsDelivered(t *testing.T) {
	for name, c := range map[string]struct {
		work []ports.WorkItem
		code errcodes.Code
	}{
		"no other evidence": {nil, errcodes.OutcomeUnknown},
		"work still waits":  {timedOf(waiting("acme", "t")).Work, ""},
	} {
		t.Run(name, func(t *testing.T) {
			disk := &broken{points: []string{sqlite.AfterCommit}}
			store, other := overtaken(t, disk)
			disk.readBack = func() {
				for _, e := range claimAll(t, other) {
					require.NoError(t, other.Outbox().Ack(t.Context(), e))
				}
			}
			change := moveOf(waiting("acme", "t"))
			change.Work = c.work
			disk.armed = true
			requireCode(t, c.code, store.Transactions().Save(t.Context(), change))
			disk.armed = false
			require.Empty(t, claimAll(t, other))
			requireTransaction(t, store, func() ports.Transaction { tx := waiting("acme", "t"); tx.Version = 1; return tx }())
		})
	}
}

// These writes are not read back, and may be repeated.
func TestDeadLettersWithAFailedCommit(t *testing.T) {
	disk := &broken{points: []string{sqlite.AfterCommit}}
	store := open(t, migrated(t), &sqlite.Config{Faults: disk.fault})
	buried(t, store, "a", "b")
	disk.armed = true
	n, err := store.DeadLetters().Replay(t.Context(), epoch, storemodel.AuditRow, "a")
	requireCode(t, errcodes.OutcomeUnknown, err)
	require.Zero(t, n)
	n, err = store.DeadLetters().Discard(t.Context(), storemodel.AuditRow, "b")
	requireCode(t, errcodes.OutcomeUnknown, err)
	require.Zero(t, n)
	disk.armed = false
	page, err := store.DeadLetters().Buried(t.Context(), 0, 10)
	require.NoError(t, err)
	require.Empty(t, page)
	require.Len(t, claimAll(t, store), 1)
}

// buried saves an event for each id and buries it.
func buried(tb testing.TB, store *sqlite.Store, ids ...string) {
	tb.Helper()
	for _, id := range ids {
		change := moveOf(waiting("acme", id))
		change.Events[0].ID = id
		require.NoError(tb, store.Transactions().Save(tb.Context(), change))
	}
	for _, e := range claimAll(tb, store) {
		require.NoError(tb, store.Outbox().Bury(tb.Context(), e, "reason of "+e.ID))
	}
}
