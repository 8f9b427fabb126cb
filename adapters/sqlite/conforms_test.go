package sqlite_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// TestConforms runs the suites with lost commits that take effect, and those that
// lose a commit again with commits that do not.
func TestConforms(t *testing.T) {
	h := harness(sqlite.AfterCommit)
	records(t, h)
	t.Run("ClientStore", func(t *testing.T) { storetest.ClientStore(t, h) })
	t.Run("TokenStore", func(t *testing.T) { storetest.TokenStore(t, h) })
	t.Run("AnswerCache", func(t *testing.T) { storetest.AnswerCache(t, h) })
	t.Run("SecretStore", func(t *testing.T) { storetest.SecretStore(t, h) })
	t.Run("Outbox", func(t *testing.T) { storetest.Outbox(t, h) })
	t.Run("DeadLetters", func(t *testing.T) { storetest.DeadLetters(t, h) })
	t.Run("Work", func(t *testing.T) { storetest.Work(t, h) })

	var lost atomic.Int32
	h = harness(sqlite.BeforeCommit)
	all := h.Open
	h.Open = func(tb testing.TB) storetest.Store {
		tb.Helper()
		if !strings.Contains(tb.Name(), "a_lost_acknowledgement") {
			tb.Skip("it loses no commit")
		}
		lost.Add(1)
		return all(tb)
	}
	t.Run("lost commits take no effect", func(t *testing.T) { records(t, h) })
	require.EqualValues(t, 5, lost.Load(), "one of each suite")
}

// records runs the suites that lose a commit.
func records(t *testing.T, h storetest.Harness) {
	t.Helper()
	t.Run("RateLockStore", func(t *testing.T) { storetest.RateLockStore(t, h) })
	t.Run("ValidationStore", func(t *testing.T) { storetest.ValidationStore(t, h) })
	t.Run("TransactionStore", func(t *testing.T) { storetest.TransactionStore(t, h) })
	t.Run("ReportStore", func(t *testing.T) { storetest.ReportStore(t, h) })
	t.Run("AuditTrail", func(t *testing.T) { storetest.AuditTrail(t, h) })
}

// harness opens stores whose lost commits fail at the point.
func harness(point string) storetest.Harness {
	return storetest.Harness{
		Parallel: true,
		Open: func(tb testing.TB) storetest.Store {
			tb.Helper()
			return conforming(tb, migrated(tb), point)
		},
	}
}

func conforming(tb testing.TB, path, point string) storetest.Store {
	tb.Helper()
	lose := false
	store := open(tb, path, &sqlite.Config{Faults: func(at string) error {
		if !lose || at != point && at != sqlite.BeforeReadBack {
			return nil
		}
		lose = at != sqlite.BeforeReadBack
		return errcodes.OutcomeUnknown
	}})
	return storetest.Store{
		RateLocks: store.RateLocks(), Clients: store.Clients(), Tokens: store.Tokens(),
		Work: store.Work(), Outbox: store.Outbox(), DeadLetters: store.DeadLetters(),
		Validations: store.Validations(), Transactions: store.Transactions(), Reports: store.Reports(),
		Answers: store.Answers(), Secrets: store.Secrets(), AuditRows: store.AuditRows,
		Close: store.Close,
		Reopen: func() storetest.Store {
			require.NoError(tb, store.Close())
			return conforming(tb, path, point)
		},
		LoseNextCommit: func() { lose = true },
		Fill:           func() (empty func()) { return fill(tb, store, path) },
	}
}
