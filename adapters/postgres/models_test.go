package postgres_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// shared returns two stores on one database, emptied. Other tests run at the same time.
func shared(t *testing.T) storemodel.Fresh {
	t.Helper()
	t.Parallel()
	dsn := emptied(t)
	stores := []storemodel.Store{open(t, dsn, nil), open(t, dsn, nil)}
	pool := connect(t, dsn, nil)
	return func() []storemodel.Store {
		empty(t, pool)
		return stores
	}
}

func TestOutboxModel(t *testing.T)         { storemodel.Outbox(t, shared(t)) }
func TestBacklogBehindOneKey(t *testing.T) { storemodel.Backlog(t, shared(t)) }
func TestRateLocksModel(t *testing.T)      { storemodel.RateLocks(t, shared(t)) }
func TestValidationsModel(t *testing.T)    { storemodel.Validations(t, shared(t)) }
func TestTransactionsModel(t *testing.T)   { storemodel.Transactions(t, shared(t)) }
func TestReportsModel(t *testing.T)        { storemodel.Reports(t, shared(t)) }
func TestAnswersModel(t *testing.T)        { storemodel.Answers(t, shared(t)) }

// anything generates what the columns accept: texts contain neither NUL nor invalid
// UTF-8.
var anything = storemodel.Any{
	Bytes: storemodel.AnyBytes, Text: rapid.StringOf(rapid.Rune().Filter(func(r rune) bool { return r != 0 })), Time: storemodel.AnyTime,
}

func TestValidationsComeBackEqual(t *testing.T) {
	t.Parallel()
	storemodel.ValidationsComeBackEqual(t, open(t, emptied(t), nil), anything)
}

func TestTransactionsComeBackEqual(t *testing.T) {
	t.Parallel()
	storemodel.TransactionsComeBackEqual(t, open(t, emptied(t), nil), anything)
}

func TestReportsComeBackEqual(t *testing.T) {
	t.Parallel()
	storemodel.ReportsComeBackEqual(t, open(t, emptied(t), nil), anything)
}

func TestImpossibleRateLocksAreRejected(t *testing.T) {
	storemodel.ImpossibleRateLocks(t, open(t, emptied(t), nil), func(testing.TB) {})
}

func TestConstraintsRejectImpossibleValidations(t *testing.T) {
	storemodel.ImpossibleValidations(t, open(t, emptied(t), nil), func(testing.TB) {})
}

func TestConstraintsRejectImpossibleTransactions(t *testing.T) {
	storemodel.ImpossibleTransactions(t, open(t, emptied(t), nil), func(testing.TB) {})
}

func TestConstraintsRejectImpossibleReports(t *testing.T) {
	storemodel.ImpossibleReports(t, open(t, emptied(t), nil), func(testing.TB) {})
}
