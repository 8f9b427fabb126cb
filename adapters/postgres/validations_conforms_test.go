package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// TestAccountsConform runs the suites of the stores for accounts and clients. Those that
// lose commits run twice, as in TestConforms.
func TestAccountsConform(t *testing.T) {
	for name, before := range map[string]bool{"lost commits take effect": false, "lost commits do not": true} {
		t.Run(name, func(t *testing.T) {
			storetest.ValidationStore(t, accountsHarness(before))
			t.Run("AuditTrail", func(t *testing.T) { storetest.AuditTrail(t, accountsHarness(before)) })
		})
	}
	h := accountsHarness(false)
	t.Run("ClientStore", func(t *testing.T) { storetest.ClientStore(t, h) })
	t.Run("TokenStore", func(t *testing.T) { storetest.TokenStore(t, h) })
	t.Run("AnswerCache", func(t *testing.T) { storetest.AnswerCache(t, h) })
	t.Run("SecretStore", func(t *testing.T) { storetest.SecretStore(t, h) })
}

func accountsHarness(before bool) storetest.Harness {
	return storetest.Harness{
		Parallel: true,
		Open: func(tb testing.TB) storetest.Store {
			tb.Helper()
			return keepingAccounts(tb, migrated(tb), before)
		},
	}
}

func keepingAccounts(tb testing.TB, dsn string, before bool) storetest.Store {
	tb.Helper()
	network := &losing{before: before}
	pool := connect(tb, dsn, network.dial)
	store := on(tb, pool, &postgres.Config{SkipMigrate: true})
	return storetest.Store{
		RateLocks: store.RateLocks(), Clients: store.Clients(), Tokens: store.Tokens(),
		Validations: store.Validations(), Answers: store.Answers(), Secrets: store.Secrets(),
		Work: store.Work(), Outbox: store.Outbox(), DeadLetters: store.DeadLetters(),
		Transactions: store.Transactions(), Reports: store.Reports(), AuditRows: store.AuditRows,
		Close: store.Close,
		Reopen: func() storetest.Store {
			require.NoError(tb, store.Close())
			pool.Close()
			return keepingAccounts(tb, dsn, before)
		},
		LoseNextCommit: network.arm,
		Fill:           func() (empty func()) { return fill(tb, dsn) },
	}
}
