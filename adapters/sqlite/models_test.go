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
	store := open(t, path, nil)
	stores := []storemodel.Store{store, open(t, path, nil)}
	return func() []storemodel.Store {
		require.NoError(t, store.Empty(t.Context()))
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
