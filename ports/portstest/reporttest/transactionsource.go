package reporttest

import (
	"slices"
	"testing"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// TransactionSourceHarness opens a source for [TransactionSource].
type TransactionSourceHarness struct {
	// Open returns a source and what it holds. It is called once for each
	// check and cleans up through tb.Cleanup.
	Open func(tb testing.TB) TransactionHoldings
	// Except names checks that the source cannot pass, each with the reason.
	Except map[string]string
}

// TransactionHoldings is an open source, with what the suite has to know of it.
type TransactionHoldings struct {
	Source ports.TransactionSource

	// Query names an owner, a merchant and a stretch of time with 8 to 10,000
	// rows of at least 3 instants. Its Columns and Filters are not used.
	Query ports.RowQuery
	// Now is the time that the source goes by; the zero time is the machine's.
	Now time.Time
	// Rows are all that the source must give for Query, by the columns' names,
	// in any order. A column that a row lacks is not compared. Nil leaves out the
	// check that needs them.
	Rows []map[string]string
	// Strangers are queries of other owners and merchants over the same stretch.
	// Each has rows, and none of their transactionIds is among Query's. None
	// leaves out the check that needs them.
	Strangers []ports.RowQuery
}

// TransactionSource checks a ports.TransactionSource. Run it with -race: one of
// the checks asks from many goroutines at once.
func TransactionSource(t *testing.T, h TransactionSourceHarness) {
	t.Helper()
	kit.Run(t, h.Except, sourceChecks, func(t *testing.T) *sourceKit {
		return newSourceKit(t, h)
	})
}

type sourceCheck kit.Check[*sourceKit]

var sourceChecks = slices.Concat(sourceColumnChecks, sourceRowChecks, sourceFilterChecks, sourceStreamChecks)

// sourceKit is a kit for one source.
type sourceKit struct {
	kit.Kit
	TransactionHoldings
}

func newSourceKit(tb testing.TB, h TransactionSourceHarness) *sourceKit {
	k := &sourceKit{kit.Kit{TB: tb}, h.Open(tb)}
	if k.Now.IsZero() {
		k.Now = ports.SystemClock().Now()
	}
	return k
}

// columns returns the names of the source's columns.
func (k *sourceKit) columns() []string {
	var out []string
	for _, c := range k.Source.Columns() {
		out = append(out, c.Name)
	}
	return out
}

// column returns where the column stands.
func (k *sourceKit) column(name string) int {
	at := slices.Index(k.columns(), name)
	if at < 0 {
		k.Fatalf("the source has no column %q", name)
	}
	return at
}

// ask returns the query with all columns, changed by change.
func (k *sourceKit) ask(change func(q *ports.RowQuery)) ports.RowQuery {
	q := k.Query
	q.Columns, q.Filters = k.columns(), nil
	if change != nil {
		change(&q)
	}
	return q
}

// rows reads a query to its end.
func (k *sourceKit) rows(q ports.RowQuery) []ports.Row {
	var out []ports.Row
	for row, err := range k.Source.Rows(k.Context(), q) {
		if err != nil {
			k.Fatalf("Rows: %v", err)
		}
		if len(row) != len(q.Columns) {
			k.Fatalf("a row has %d texts, and %d columns were asked for", len(row), len(q.Columns))
		}
		out = append(out, slices.Clone(row))
	}
	return out
}

// fewest is how many rows tell a wrong order or a wrong bound.
const (
	fewestRows = 8
	mostRows   = 10_000
)

// all reads the rows of Query, with every column.
func (k *sourceKit) all() []ports.Row {
	rows := k.rows(k.ask(nil))
	if len(rows) < fewestRows || len(rows) > mostRows {
		k.Fatalf("the query of the harness gives %d rows; the checks need %d to %d", len(rows), fewestRows, mostRows)
	}
	return rows
}

// sameRows compares rows one by one, so that a report shows the first that
// differs.
func (k *sourceKit) sameRows(got, want []ports.Row, what string) {
	for i := range min(len(got), len(want)) {
		if !slices.Equal(got[i], want[i]) {
			k.Fatalf("%s: row %d is\n got %s\nwant %s", what, i, kit.Short(got[i]), kit.Short(want[i]))
		}
	}
	if len(got) != len(want) {
		k.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
	}
}
