package sqlite_test

import (
	"strings"
	"sync"
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
	h := harness(t, sqlite.AfterCommit)
	records(t, h)
	t.Run("ClientStore", func(t *testing.T) { storetest.ClientStore(t, h) })
	t.Run("TokenStore", func(t *testing.T) { storetest.TokenStore(t, h) })
	t.Run("AnswerCache", func(t *testing.T) { storetest.AnswerCache(t, h) })
	t.Run("SecretStore", func(t *testing.T) { storetest.SecretStore(t, h) })
	t.Run("Outbox", func(t *testing.T) { storetest.Outbox(t, h) })
	t.Run("DeadLetters", func(t *testing.T) { storetest.DeadLetters(t, h) })
	t.Run("Work", func(t *testing.T) { storetest.Work(t, h) })

	var lost atomic.Int32
	h = harness(t, sqlite.BeforeCommit)
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

// harness opens stores whose lost commits fail at the point. A check gets the store of
// an earlier check, emptied, if one is idle: most checks take less time than opening a
// store.
func harness(t *testing.T, point string) storetest.Harness {
	t.Helper()
	var mu sync.Mutex
	var idle []*conforming
	return storetest.Harness{
		Parallel: true,
		Open: func(tb testing.TB) storetest.Store {
			tb.Helper()
			mu.Lock()
			defer mu.Unlock()
			c := &conforming{all: t, point: point}
			if n := len(idle); n > 0 {
				c, idle = idle[n-1], idle[:n-1]
			} else {
				c.path = migrated(t)
				c.open(tb)
			}
			tb.Cleanup(func() {
				if tb.Failed() || !c.emptied(tb) {
					return
				}
				mu.Lock()
				defer mu.Unlock()
				idle = append(idle, c)
			})
			return c.ports(tb)
		},
	}
}

// conforming is a store that checks use in turn.
type conforming struct {
	all    *testing.T // of all checks
	path   string
	point  string // at which a lost commit fails
	store  *sqlite.Store
	lose   bool // the next commit
	filled bool
}

func (c *conforming) open(tb testing.TB) {
	tb.Helper()
	store, err := sqlite.Open(c.all.Context(), c.path, &sqlite.Config{Faults: func(at string) error {
		if !c.lose || at != c.point && at != sqlite.BeforeReadBack {
			return nil
		}
		c.lose = at != sqlite.BeforeReadBack
		return errcodes.OutcomeUnknown
	}})
	require.NoError(tb, err)
	c.all.Cleanup(func() { require.NoError(c.all, store.Close()) })
	c.store = store
}

// emptied removes all rows, and reports whether another check can use the store.
func (c *conforming) emptied(tb testing.TB) bool {
	tb.Helper()
	c.lose = false
	err := c.store.Empty(c.all.Context())
	if errcodes.Of(err) == errcodes.Closed {
		return false
	}
	require.NoError(tb, err)
	return !c.filled
}

func (c *conforming) ports(tb testing.TB) storetest.Store {
	tb.Helper()
	store := c.store
	return storetest.Store{
		RateLocks: store.RateLocks(), Clients: store.Clients(), Tokens: store.Tokens(),
		Work: store.Work(), Outbox: store.Outbox(), DeadLetters: store.DeadLetters(),
		Validations: store.Validations(), Transactions: store.Transactions(), Reports: store.Reports(),
		Answers: store.Answers(), Secrets: store.Secrets(), AuditRows: store.AuditRows,
		Close: store.Close,
		Reopen: func() storetest.Store {
			require.NoError(tb, store.Close())
			c.open(tb)
			return c.ports(tb)
		},
		LoseNextCommit: func() { c.lose = true },
		Fill: func() (empty func()) {
			c.filled = true
			return fill(tb, store, c.path)
		},
	}
}
