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
	// Open returns a source and its contents. It is called once for each
	// check and cleans up through tb.Cleanup.
	Open func(tb testing.TB) TransactionHoldings
	// Except maps checks that the source cannot pass to the reason.
	Except map[string]string
}

// TransactionHoldings is an open source, with what the suite must know about it.
type TransactionHoldings struct {
	Source ports.TransactionSource

	// Query is for an owner, a merchant and a period with 8 to 10,000 rows of at
	// least 3 different times. Its Columns and Filters are not used.
	Query ports.RowQuery
	// Now is the source's time; the zero time means the machine's.
	Now time.Time
	// Rows are all rows that the source must return for Query, by column name, in
	// any order. Columns missing from a row are not compared. If Rows is nil, the
	// check that needs it is skipped.
	Rows []map[string]string
	// Strangers are queries of other owners and merchants over the same period.
	// Each has rows, but no transactionId in common with Query. If it is empty, the
	// check that needs them is skipped.
	Strangers []ports.RowQuery
}

// TransactionSource checks a ports.TransactionSource. Run it with -race: one of
// the checks calls the source from many goroutines.
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
			k.Fatalf("a row has %d texts for %d columns", len(row), len(q.Columns))
		}
		out = append(out, slices.Clone(row))
	}
	return out
}

// fewestRows are needed to detect a wrong order or bound.
const (
	fewestRows = 8
	mostRows   = 10_000
)

func (k *sourceKit) all() [][]string {
	rows := k.rows(k.ask(nil))
	if len(rows) < fewestRows || len(rows) > mostRows {
		k.Fatalf("the harness's query returned %d rows; the checks need %d to %d", len(rows), fewestRows, mostRows)
	}
	return rows
}

func (k *sourceKit) sameRows(got, want [][]string, what string) {
	sameList(&k.Kit, got, want, what, slices.Equal)
}

// sameList compares values one by one, so that the message shows the first
// difference.
func sameList[T any](k *kit.Kit, got, want []T, what string, same func(got, want T) bool) {
	for i := range min(len(got), len(want)) {
		if !same(got[i], want[i]) {
			k.Fatalf("%s: number %d is\n got %s\nwant %s", what, i, kit.Short(got[i]), kit.Short(want[i]))
		}
	}
	k.Same(len(got), len(want), "the length of "+what)
}

var sourceColumnChecks = []sourceCheck{
	{"the ten required columns exist with their types", func(k *sourceKit) {
		columns := k.Source.Columns()
		kit.Each(k, theTen, columnName, func(want ports.Column) {
			if got := columns[k.column(want.Name)]; got.Type != want.Type {
				k.Fatalf("the column %s is of type %q, want %q", want.Name, got.Type, want.Type)
			}
		})
		if got := columns[k.column(ports.ColumnAmount)].Currency; got != ports.ColumnCurrency {
			k.Fatalf("the currency column of amount is %q, want currency", got)
		}
	}},
	{"each column has a unique name and a meaning", func(k *sourceKit) {
		columns := k.Source.Columns()
		seen := map[string]ports.ColumnType{}
		for _, c := range columns {
			if _, twice := seen[c.Name]; twice || strings.TrimSpace(c.Name) == "" {
				k.Fatalf("the column name %q is empty or used twice", c.Name)
			}
			if strings.TrimSpace(c.Meaning) == "" {
				k.Fatalf("the column %s has no Meaning", c.Name)
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
		k.Same(k.Source.Columns(), was, "the columns after reading the rows and changing the returned columns")
	}},
	{"values match their columns' types", sourceValuesFit},
	{"a transaction's code matches its status and direction", sourceCodesFit},
}

// theTen are the columns that every source has.
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
			k.Fatalf("the money column %s has no text column for its currency", c.Name)
		}
	case ports.ColumnText, ports.ColumnInteger, ports.ColumnTime:
		if c.Currency != "" {
			k.Fatalf("the column %s is not of type money and has a currency column", c.Name)
		}
	default:
		k.Fatalf("the column %s has the unknown type %q", c.Name, c.Type)
	}
}

func sourceValuesFit(k *sourceKit) {
	columns := k.Source.Columns()
	for i, row := range k.all() {
		for j, c := range columns {
			if !fits(c.Type, row[j]) {
				k.Fatalf("row %d: the text of %s is not of type %s: %s", i, c.Name, c.Type, kit.Short(row[j]))
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

// fits reports whether text is valid for the type. The empty text always is.
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

// isMoney reports whether text is plain decimal text, possibly negative.
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
			k.Fatalf("row %d: unknown direction %q", i, row[direction])
		}
		switch s := ports.TransactionStatus(row[status]); s {
		case ports.TransactionPending, ports.TransactionSucceeded:
			k.Same(row[code], "", "the code of a transaction with status "+row[status])
		case ports.TransactionFailed, ports.TransactionErrored:
			c := errcodes.TransactionCode(row[code])
			if known := c.Row(); !c.Known() || known.State != s.State() || !known.Fits(d) {
				k.Fatalf("row %d: a %s with status %s has the code %q (I24, I25)", i, d, s, row[code])
			}
		default:
			k.Fatalf("row %d: unknown status %q", i, s)
		}
	}
}
