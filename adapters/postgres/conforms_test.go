package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// TestConforms runs the suites of all stores. With -full, those that lose a commit run
// twice: in one run the lost commit takes effect, in the other it does not, which
// TestCutsLeaveAllOrNothing also checks.
func TestConforms(t *testing.T) {
	for _, before := range settings(false, true) {
		t.Run(lost[before], func(t *testing.T) {
			h := way{before: before}.harness()
			t.Run("RateLockStore", func(t *testing.T) { storetest.RateLockStore(t, h) })
			recordsConform(t, h)
		})
	}
	h := way{}.harness()
	t.Run("ClientStore", func(t *testing.T) { storetest.ClientStore(t, h) })
	t.Run("TokenStore", func(t *testing.T) { storetest.TokenStore(t, h) })
	t.Run("AnswerCache", func(t *testing.T) { storetest.AnswerCache(t, h) })
	t.Run("SecretStore", func(t *testing.T) { storetest.SecretStore(t, h) })
	queuesConform(t, h)
}

var lost = map[bool]string{false: "lost commits take effect", true: "lost commits do not"}

func recordsConform(t *testing.T, h storetest.Harness) {
	t.Helper()
	t.Run("ValidationStore", func(t *testing.T) { storetest.ValidationStore(t, h) })
	t.Run("TransactionStore", func(t *testing.T) { storetest.TransactionStore(t, h) })
	t.Run("ReportStore", func(t *testing.T) { storetest.ReportStore(t, h) })
	t.Run("AuditTrail", func(t *testing.T) { storetest.AuditTrail(t, h) })
}

func queuesConform(t *testing.T, h storetest.Harness) {
	t.Helper()
	t.Run("Outbox", func(t *testing.T) { storetest.Outbox(t, h) })
	t.Run("DeadLetters", func(t *testing.T) { storetest.DeadLetters(t, h) })
	t.Run("Work", func(t *testing.T) { storetest.Work(t, h) })
}

// Embedders may set their pool to more than READ COMMITTED.
func TestConformsAtEachIsolationLevel(t *testing.T) {
	onlyInFull(t, "TestConforms runs the suites at READ COMMITTED")
	for _, level := range levels[1:] {
		t.Run(level, func(t *testing.T) {
			h := way{level: level}.harness()
			t.Run("RateLockStore", func(t *testing.T) { storetest.RateLockStore(t, h) })
			t.Run("TokenStore", func(t *testing.T) { storetest.TokenStore(t, h) })
			queuesConform(t, h)
		})
	}
}

// A pooler that shares connections between transactions does not support prepared
// statements.
func TestConformsWithoutPreparedStatements(t *testing.T) {
	h := way{mode: pgx.QueryExecModeExec}.harness()
	t.Run("RateLockStore", func(t *testing.T) { storetest.RateLockStore(t, h) })
	if *full {
		recordsConform(t, h)
		queuesConform(t, h)
	}
}
