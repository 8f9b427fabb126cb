package report_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

// bentSource has other columns than required.
type bentSource struct {
	*source

	columns []ports.Column
}

func (b bentSource) Columns() []ports.Column { return b.columns }

// New rejects a source that lacks one of the ten columns or has it with another type.
func TestASourceWithoutTheColumnsIsRejected(t *testing.T) {
	r := newRig(t)
	for i := range columns {
		for _, other := range []ports.ColumnType{ports.ColumnText, ports.ColumnMoney, ports.ColumnInteger, ports.ColumnTime} {
			bent := slices.Clone(columns)
			bent[i].Type = other
			p := r.parts()
			p.Transactions = bentSource{r.source, bent}
			_, err := report.New(p, report.Policy{}, &r.config)
			if other == columns[i].Type {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, errcodes.Configuration, "%s as %s", columns[i].Name, other)
			}
		}
		p := r.parts()
		p.Transactions = bentSource{r.source, slices.Delete(slices.Clone(columns), i, i+1)}
		_, err := report.New(p, report.Policy{}, &r.config)
		require.ErrorIs(t, err, errcodes.Configuration, "without %s", columns[i].Name)
	}
}

// Rows with the same time are ordered by id, even if the report contains neither column.
func TestRowsWithTheSameTimeAreOrderedByID(t *testing.T) {
	for name, c := range map[string]struct {
		ids  []string
		want string // of the file, or the reason
	}{
		"two":       {[]string{"tx-1", "tx-2"}, "amount\n7.00\n7.00\n"},
		"one twice": {[]string{"tx-1", "tx-1"}, string(errcodes.MalformedAnswer)},
		"reversed":  {[]string{"tx-2", "tx-1"}, string(errcodes.MalformedAnswer)},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(c *report.Config) { c.MaxAttempts = 1 })
			for _, id := range c.ids {
				r.source.rows = append(r.source.rows, transaction(0, "transactionId", id, "amount", "7.00"))
			}
			q := asked()
			q.Columns = []string{"amount"}
			id := r.create(q).ID
			_ = r.tick() // the reason is checked below
			require.Len(t, r.source.queries, 1)
			assert.ElementsMatch(t, []string{"amount", "createdAt", "transactionId"}, r.source.queries[0].Columns)
			if got := r.get(id); got.Reason != "" {
				assert.Equal(t, c.want, got.Reason)
				return
			}
			assert.Equal(t, c.want, r.file(id))
		})
	}
}

// Numbers have at most 40 digits, in filters and in rows.
func TestNumbersHaveAtMost40Digits(t *testing.T) {
	fits := strings.Repeat("9", 40)
	r := newRig(t)
	r.source.rows = transactions(3)
	r.source.rows[1]["amount"], r.source.rows[2]["amount"] = fits, fits+"9"
	for bound, code := range map[string]error{fits: nil, fits + "9": errcodes.Unprocessable} {
		for name, f := range map[string]ports.Filter{
			"from": {Column: "amount", From: bound}, "to": {Column: "amount", To: bound}, "value": {Column: "amount", OneOf: []string{bound}},
		} {
			q := asked()
			q.Filters = []ports.Filter{f}
			_, err := r.service.CreateTransactions(t.Context(), owner, q)
			if code == nil {
				require.NoError(t, err, name)
			} else {
				require.ErrorIs(t, err, code, name)
			}
		}
	}
	q := asked()
	q.Filters = []ports.Filter{{Column: "amount", From: "1"}}
	id := r.create(q).ID
	require.NoError(t, r.tick())
	assert.Equal(t, "transactionId|amount\ntx-0001|"+fits+"\n", r.file(id))
}

// A row without a time is in no range of times, however early the range begins.
func TestARowWithoutATimeIsInNoRange(t *testing.T) {
	for name, c := range map[string]struct {
		filter ports.Filter
		rows   int
	}{
		"any":            {ports.Filter{Column: "reason", OneOf: []string{"missing_settlement", "missing_transaction"}}, 2},
		"to a day":       {ports.Filter{Column: "settledAt", To: "2999-12-31"}, 1},
		"from a day":     {ports.Filter{Column: "settledAt", From: "2000-01-01"}, 1},
		"to a day of it": {ports.Filter{Column: "createdAt", To: "2026-11-20"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, found := reconciled(t, transactions(1), []ports.SettlementLine{line(1, "order-9", 700, time.Hour)},
				func(q *report.Request) { q.Filters = []ports.Filter{c.filter} })
			assert.Len(t, found, c.rows)
		})
	}
}

// A stored list is not returned by a process with a smaller Config.Inline; a list of
// exactly that length is.
func TestAListLongerThanInlineIsNotReturned(t *testing.T) {
	r := newRig(t)
	r.source.rows = transactions(3)
	id := r.create(asked()).ID
	require.NoError(t, r.tick())
	for bound, few := range map[int]bool{-1: false, 2: false, 3: true, 4: true} {
		r.config.Inline = bound
		rows, got, err := r.another().Rows(t.Context(), owner, id)
		require.NoError(t, err)
		assert.Equal(t, few, got, bound)
		if few {
			assert.Len(t, rows, 3)
		} else {
			assert.Empty(t, rows)
		}
	}
}

// A list that is already stored under the attempt's name is not returned if the new one
// is too long.
func TestAnEarlierListIsNotReturned(t *testing.T) {
	r := newRig(t)
	r.source.rows = transactions(3)
	id := r.create(asked()).ID
	f, err := r.files.Create(t.Context(), id+"/1/rows.jsonl")
	require.NoError(t, err)
	_, err = f.Write([]byte("{}\n"))
	require.NoError(t, err)
	require.NoError(t, f.Commit(t.Context()))
	r.config.Inline = 2
	require.NoError(t, r.another().Tick(t.Context(), r.clock.Now()))
	_, few, err := r.service.Rows(t.Context(), owner, id)
	require.NoError(t, err)
	assert.False(t, few)
	assert.Equal(t, []string{id + "/1/manifest.json", id + "/1/report.csv"}, r.kept())
}

// Amounts are in major units with their currency's digits (ISO 4217), and unchanged if
// the currency is unknown.
func TestAmountsHaveTheDigitsOfTheirCurrency(t *testing.T) {
	for _, c := range []struct {
		currency string
		minor    int64
		want     string
	}{
		{"JPY", 1500, "1500"},
		{"XOF", 7, "7"},
		{"XOF", -7, "-7"},
		{"JPY", 0, "0"},
		{"ZAR", 0, "0.00"},
		{"ZAR", 5, "0.05"},
		{"ZAR", -5, "-0.05"},
		{"ZAR", 10, "0.10"},
		{"ZAR", 100, "1.00"},
		{"ZAR", -12345, "-123.45"},
		{"KWD", 1, "0.001"},
		{"KWD", 999, "0.999"},
		{"KWD", 1000, "1.000"},
		{"ZZZ", 1500, "1500"},
		{"XAU", -15, "-15"},
	} {
		l := line(1, "order-9", c.minor, time.Hour)
		l.Currency = c.currency
		_, _, found := reconciled(t, nil, []ports.SettlementLine{l}, func(q *report.Request) {
			q.Columns = []string{"settlementAmount", "currency"}
		})
		assert.Equal(t, []map[string]any{{"settlementAmount": c.want, "currency": c.currency}}, found)
	}
}

// The same holds for amounts of transactions: amounts without a minor unit are read and
// written without a point.
func TestAnAmountWithoutMinorUnitsHasNoPoint(t *testing.T) {
	for _, code := range []string{"JPY", "XOF"} {
		_, _, found := reconciled(t, []map[string]string{transaction(1, "amount", "1500", "currency", code)}, nil, func(q *report.Request) {
			q.Columns = []string{"expectedAmount", "expectedCurrency"}
		})
		assert.Equal(t, []map[string]any{{"expectedAmount": "1500", "expectedCurrency": code}}, found)
	}
}
