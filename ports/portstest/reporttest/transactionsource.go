package reporttest

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
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

func (k *sourceKit) columns() []string { return columnNames(k.Source.Columns()) }

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

func (k *sourceKit) rows(q ports.RowQuery) [][]string {
	var out [][]string
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

// fewestRows tell a wrong order or a wrong bound.
const (
	fewestRows = 8
	mostRows   = 10_000
)

func (k *sourceKit) all() [][]string {
	rows := k.rows(k.ask(nil))
	if len(rows) < fewestRows || len(rows) > mostRows {
		k.Fatalf("the query of the harness gives %d rows; the checks need %d to %d", len(rows), fewestRows, mostRows)
	}
	return rows
}

func (k *sourceKit) sameRows(got, want [][]string, what string) {
	sameList(&k.Kit, got, want, what, slices.Equal)
}

// sameList compares values one by one, so that a report shows the first that
// differs.
func sameList[T any](k *kit.Kit, got, want []T, what string, same func(got, want T) bool) {
	for i := range min(len(got), len(want)) {
		if !same(got[i], want[i]) {
			k.Fatalf("%s: number %d is\n got %s\nwant %s", what, i, kit.Short(got[i]), kit.Short(want[i]))
		}
	}
	k.Same(len(got), len(want), "the length of "+what)
}

var sourceColumnChecks = []sourceCheck{
	{"the ten columns are there with their types", func(k *sourceKit) {
		columns := k.Source.Columns()
		kit.Each(k, theTen, columnName, func(want ports.Column) {
			if got := columns[k.column(want.Name)]; got.Type != want.Type {
				k.Fatalf("the column %s is of type %q, want %q", want.Name, got.Type, want.Type)
			}
		})
		if got := columns[k.column(ports.ColumnAmount)].Currency; got != ports.ColumnCurrency {
			k.Fatalf("the currency of amount is in %q, want currency", got)
		}
	}},
	{"each column is described", func(k *sourceKit) {
		columns := k.Source.Columns()
		seen := map[string]ports.ColumnType{}
		for _, c := range columns {
			if _, twice := seen[c.Name]; twice || strings.TrimSpace(c.Name) == "" {
				k.Fatalf("the name %q is empty or twice there", c.Name)
			}
			if strings.TrimSpace(c.Meaning) == "" {
				k.Fatalf("nobody says what the column %s means", c.Name)
			}
			seen[c.Name] = c.Type
		}
		kit.Each(k, columns, columnName, func(c ports.Column) { k.describes(c, seen) })
	}},
	{"the columns never change", func(k *sourceKit) {
		first := k.Source.Columns()
		was := slices.Clone(first)
		k.all()
		clear(first)
		k.Same(k.Source.Columns(), was, "the columns, after a look at the rows and a caller that wrote into what it got")
	}},
	{"values are of their columns' types", sourceValuesFit},
	{"a transaction's code fits its status and its direction", sourceCodesFit},
}

// theTen are the columns of every source.
var theTen = []ports.Column{
	{Name: ports.ColumnTransactionID, Type: ports.ColumnText},
	{Name: ports.ColumnMerchantReference, Type: ports.ColumnText},
	{Name: ports.ColumnStatus, Type: ports.ColumnText},
	{Name: ports.ColumnDirection, Type: ports.ColumnText},
	{Name: ports.ColumnAmount, Type: ports.ColumnMoney},
	{Name: ports.ColumnCurrency, Type: ports.ColumnText},
	{Name: ports.ColumnMethod, Type: ports.ColumnText},
	{Name: ports.ColumnConnector, Type: ports.ColumnText},
	{Name: ports.ColumnCode, Type: ports.ColumnText},
	{Name: ports.ColumnCreatedAt, Type: ports.ColumnTime},
}

func (k *sourceKit) describes(c ports.Column, types map[string]ports.ColumnType) {
	switch c.Type {
	case ports.ColumnMoney:
		if types[c.Currency] != ports.ColumnText {
			k.Fatalf("the money column %s names no text column for its currency", c.Name)
		}
	case ports.ColumnText, ports.ColumnInteger, ports.ColumnTime:
		if c.Currency != "" {
			k.Fatalf("the column %s is no money and names a currency", c.Name)
		}
	default:
		k.Fatalf("the column %s is of the unknown type %q", c.Name, c.Type)
	}
}

func sourceValuesFit(k *sourceKit) {
	columns := k.Source.Columns()
	for i, row := range k.all() {
		for j, c := range columns {
			if !fits(c.Type, row[j]) {
				k.Fatalf("row %d: the text of %s is no %s: %s", i, c.Name, c.Type, kit.Short(row[j]))
			}
			if c.Type == ports.ColumnMoney && row[j] != "" && !kit.IsCurrency(row[k.column(c.Currency)]) {
				k.Fatalf("row %d: %s has no currency in %s", i, c.Name, c.Currency)
			}
		}
		for _, name := range []string{ports.ColumnTransactionID, ports.ColumnAmount, ports.ColumnCurrency, ports.ColumnCreatedAt} {
			if row[k.column(name)] == "" {
				k.Fatalf("row %d has no %s", i, name)
			}
		}
	}
}

// fits reports whether text is of the type; "" is no value, and of every type.
func fits(t ports.ColumnType, text string) bool {
	switch {
	case text == "" || t == ports.ColumnText:
		return true
	case t == ports.ColumnInteger:
		n, err := strconv.ParseInt(text, 10, 64)
		return err == nil && strconv.FormatInt(n, 10) == text
	case t == ports.ColumnMoney:
		return isMoney(text)
	case t == ports.ColumnTime:
		at, err := time.Parse(ports.TimeLayout, text)
		return err == nil && at.Format(ports.TimeLayout) == text
	default:
		return false
	}
}

// isMoney reports whether text is plain decimal text, perhaps below zero.
func isMoney(text string) bool {
	whole, fraction, pointed := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if !digits(whole) || pointed && !digits(fraction) {
		return false
	}
	return whole == "0" || whole[0] != '0'
}

func sourceCodesFit(k *sourceKit) {
	status, direction, code := k.column(ports.ColumnStatus), k.column(ports.ColumnDirection), k.column(ports.ColumnCode)
	for i, row := range k.all() {
		d := errcodes.Direction(row[direction])
		if !d.Valid() {
			k.Fatalf("row %d: the direction is %q", i, row[direction])
		}
		switch s := ports.TransactionStatus(row[status]); s {
		case ports.TransactionPending, ports.TransactionSucceeded:
			k.Same(row[code], "", "the code of a transaction that is "+row[status])
		case ports.TransactionFailed, ports.TransactionErrored:
			c := errcodes.TransactionCode(row[code])
			if known := c.Row(); !c.Known() || known.State != s.State() || !known.Fits(d) {
				k.Fatalf("row %d: a %s that is %s has the code %q (I24, I25)", i, d, s, row[code])
			}
		default:
			k.Fatalf("row %d: the status is %q", i, s)
		}
	}
}
