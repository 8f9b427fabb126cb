package sqlite_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// shared returns two stores on one file, emptied.
func shared(t *testing.T) storemodel.Fresh {
	t.Helper()
	path := migrated(t)
	stores := []storemodel.Store{open(t, path, nil), open(t, path, nil)}
	db := raw(t, path)
	return func() []storemodel.Store {
		query(t, db, `DELETE FROM events; DELETE FROM work_items; DELETE FROM books; DELETE FROM rate_locks; DELETE FROM validations; DELETE FROM transactions; DELETE FROM reports;
			DELETE FROM cached_answers; DELETE FROM answer_claims`)
		return stores
	}
}

func TestOutboxModel(t *testing.T)         { t.Parallel(); storemodel.Outbox(t, shared(t)) }
func TestBacklogBehindOneKey(t *testing.T) { t.Parallel(); storemodel.Backlog(t, shared(t)) }
func TestRateLocksModel(t *testing.T)      { t.Parallel(); storemodel.RateLocks(t, shared(t)) }
func TestValidationsModel(t *testing.T)    { t.Parallel(); storemodel.Validations(t, shared(t)) }
func TestTransactionsModel(t *testing.T)   { t.Parallel(); storemodel.Transactions(t, shared(t)) }
func TestReportsModel(t *testing.T)        { t.Parallel(); storemodel.Reports(t, shared(t)) }
func TestAnswersModel(t *testing.T)        { t.Parallel(); storemodel.Answers(t, shared(t)) }

// anything generates what the columns accept: any bytes, in texts too.
var anything = storemodel.Any{Bytes: anyText, Text: anyText, Time: anyTime}

func TestValidationsComeBackEqual(t *testing.T) {
	storemodel.ValidationsComeBackEqual(t, open(t, migrated(t), nil), anything)
}

func TestTransactionsComeBackEqual(t *testing.T) {
	storemodel.TransactionsComeBackEqual(t, open(t, migrated(t), nil), anything)
}

func TestReportsComeBackEqual(t *testing.T) {
	storemodel.ReportsComeBackEqual(t, open(t, migrated(t), nil), anything)
}

// The connection is still used after each rejection.
func TestConstraintsRejectImpossibleRecords(t *testing.T) {
	store := open(t, migrated(t), nil)
	connected := func(tb testing.TB) {
		tb.Helper()
		require.True(tb, store.Connected())
	}
	t.Run("rate locks", func(t *testing.T) { storemodel.ImpossibleRateLocks(t, store, connected) })
	t.Run("validations", func(t *testing.T) { storemodel.ImpossibleValidations(t, store, connected) })
	t.Run("transactions", func(t *testing.T) { storemodel.ImpossibleTransactions(t, store, connected) })
	t.Run("reports", func(t *testing.T) { storemodel.ImpossibleReports(t, store, connected) })
}
