package match_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report/match"
)

// texts returns the rows of a case, each with its non-empty columns.
func (c matchCase) texts(t *testing.T) (rows []map[string]string) {
	t.Helper()
	for row, err := range match.Rows(t.Context(), c.input()) {
		require.NoError(t, err)
		require.Len(t, row, len(match.Columns()))
		texts := map[string]string{}
		for i, column := range match.Columns() {
			if row[i] != "" {
				texts[column.Name] = row[i]
			}
		}
		rows = append(rows, texts)
	}
	return rows
}

func TestRowsAsTexts(t *testing.T) {
	for name, c := range map[string]struct {
		of   matchCase
		want map[string]string
	}{
		"a sum that is too low": {
			matchCase{lines: some(settled(7, "A", 9_005, 2)), payments: some(paid("p", "A", 10_000, 1))},
			map[string]string{
				"reason": "amount_mismatch", "reference": "A", "settlementLine": "7", "settledAt": "2026-11-21T00:00:00.000Z", "settlementAmount": "90.05",
				"currency": "USD", "settledSum": "90.05", "difference": "-9.95", "candidateTransactionId": "p", "candidateMatch": "same_reference",
				"expectedAmount": "100.00", "expectedCurrency": "USD", "status": "SUCCEEDED", "createdAt": "2026-11-20T00:00:00.000Z", "ageDays": "2",
			},
		},
		"a payment that was not settled": {
			matchCase{payments: some(paid("p", "A", 5, 1, euros))},
			map[string]string{
				"reason": "missing_settlement", "reference": "A", "transactionId": "p", "expectedAmount": "0.05", "expectedCurrency": "EUR",
				"status": "SUCCEEDED", "createdAt": "2026-11-20T00:00:00.000Z", "ageDays": "3",
			},
		},
		"a bad line": {
			matchCase{lines: some(settled(1, "A", 5, 1, unreadable, undated))},
			map[string]string{"reason": "unreadable_line", "reference": "A", "settlementLine": "1", "currency": "USD", "ageDays": "0", "detail": "the amount is no number"},
		},
		"a bad line with an amount": {
			matchCase{lines: some(settled(1, "A", -5, 1, unreadable, undated, func(l *ports.SettlementLine) { l.HasAmount = true }))},
			map[string]string{
				"reason": "unreadable_line", "reference": "A", "settlementLine": "1", "settlementAmount": "-0.05", "currency": "USD", "ageDays": "0",
				"detail": "the amount is no number",
			},
		},
	} {
		require.Equal(t, []map[string]string{c.want}, c.of.texts(t), name)
	}
	mixed := matchCase{
		lines:    some(settled(1, "A", 90, 1), settled(2, "", 5, 1, unreadable), settled(3, "C", 7, 1)),
		payments: some(paid("p", "A", 100, 1), paid("q", "B", 100, 1)),
	}.texts(t)
	require.Len(t, mixed, 4)
	require.Equal(t, map[string]string{
		"reason": "missing_transaction", "reference": "C", "settlementLine": "3", "settledAt": "2026-11-20T00:00:00.000Z", "settlementAmount": "0.07",
		"currency": "USD", "ageDays": "3",
	}, mixed[2], "nothing of the row before")
	twice := matchCase{lines: some(settled(1, "A", 100, 1), settled(2, "A", 100, 2)), payments: some(paid("p", "A", 100, 1))}.texts(t)
	require.Len(t, twice, 1)
	require.Equal(t, "1.00", twice[0]["settledSum"])
	require.Equal(t, "0.00", twice[0]["difference"])
}

func TestAmountsInMajorUnits(t *testing.T) {
	for _, c := range []struct {
		currency string
		minor    int64
		want     string
	}{
		{"USD", 0, "0.00"}, {"USD", 5, "0.05"}, {"USD", 50, "0.50"}, {"USD", 100, "1.00"}, {"USD", -5, "-0.05"}, {"USD", -12345, "-123.45"},
		{"JPY", 5, "5"}, {"KWD", 5, "0.005"}, {"KWD", 1234, "1.234"}, {"???", 12, "12"},
	} {
		rows := matchCase{lines: some(settled(1, "A", c.minor, 1, func(l *ports.SettlementLine) { l.Currency = c.currency }))}.texts(t)
		require.Equal(t, c.want, rows[0]["settlementAmount"], c.currency)
	}
}

func TestTheLoopOverRowsCanBreak(t *testing.T) {
	rows := 0
	for _, err := range match.Rows(t.Context(), manyMatches(100).input()) {
		require.NoError(t, err)
		if rows++; rows == 3 {
			break
		}
	}
	require.Equal(t, 3, rows)
}

func TestTheErrorOfRowsComesLast(t *testing.T) {
	broken := errcodes.New(errcodes.Unavailable, "the source is down")
	in := manyMatches(100).input()
	in.Payments = failing(in.Payments, broken)
	var errs []error
	for row, err := range match.Rows(t.Context(), in) {
		require.Nil(t, row)
		errs = append(errs, err)
	}
	require.Equal(t, []error{broken}, errs)
}
