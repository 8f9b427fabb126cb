package sandbox_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/source/sandbox"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/reporttest"
)

const golden = "sbx-130a76222d44-20261101-0000000 2026-11-01T00:19:50.964Z 3507.95 EGP"

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(tb testing.TB, now time.Time) *sandbox.Books {
	tb.Helper()
	b, err := sandbox.New(&sandbox.Config{Clock: portstest.NewClock(now)})
	require.NoError(tb, err)
	return b
}

func query(owner string, from, until time.Time) ports.RowQuery {
	return ports.RowQuery{Owner: owner, MerchantID: "any", From: from, Until: until}
}

func TestTransactionsConform(t *testing.T) {
	t.Parallel()
	from := noon.AddDate(0, 0, -6)
	reporttest.TransactionSource(t, reporttest.TransactionSourceHarness{Open: func(tb testing.TB) reporttest.TransactionHoldings {
		return reporttest.TransactionHoldings{
			Source: open(tb, noon).Transactions(), Now: noon,
			Query: query("acme", from, noon), Strangers: []ports.RowQuery{query("rival", from, noon), query("", from, noon)},
		}
	}})
}

func TestSettlementsConform(t *testing.T) {
	t.Parallel()
	from := noon.AddDate(0, 0, -30)
	reporttest.SettlementSource(t, reporttest.SettlementSourceHarness{Open: func(tb testing.TB) reporttest.SettlementHoldings {
		return reporttest.SettlementHoldings{
			Source: open(tb, noon).Settlements(), Now: noon,
			Query: query("acme", from, noon), Strangers: []ports.RowQuery{query("rival", from, noon)},
		}
	}})
}

func names(columns []ports.Column) []string {
	var out []string
	for _, c := range columns {
		out = append(out, c.Name)
	}
	return out
}

// rows returns the rows of a query, by the columns' names.
func rows(tb testing.TB, b *sandbox.Books, q ports.RowQuery) []map[string]string {
	tb.Helper()
	q.Columns = names(b.Transactions().Columns())
	var out []map[string]string
	for row, err := range b.Transactions().Rows(tb.Context(), q) {
		require.NoError(tb, err)
		m := map[string]string{}
		for i, name := range q.Columns {
			m[name] = row[i]
		}
		out = append(out, m)
	}
	return out
}

func lines(tb testing.TB, b *sandbox.Books, q ports.RowQuery) []ports.SettlementLine {
	tb.Helper()
	var out []ports.SettlementLine
	for line, err := range b.Settlements().Lines(tb.Context(), q) {
		require.NoError(tb, err)
		out = append(out, line)
	}
	return out
}

func TestEveryDayHasFortyToEightyRows(t *testing.T) {
	t.Parallel()
	b := open(t, noon)
	seen := map[int]bool{}
	for day := range 400 {
		from := noon.Truncate(24*time.Hour).AddDate(0, 0, -1-day)
		n := len(rows(t, b, query("acme", from, from.AddDate(0, 0, 1))))
		require.True(t, n >= 40 && n <= 80, "%s has %d", from, n)
		seen[n] = true
	}
	require.Greater(t, len(seen), 30, "days must differ")
	first := time.Unix(0, 0).UTC()
	require.NotEmpty(t, rows(t, b, query("acme", first, first.AddDate(0, 0, 1))))
	require.Empty(t, rows(t, b, query("acme", first.AddDate(-9, 0, 0), first)))
}

func TestTodayGrowsWithTheClock(t *testing.T) {
	t.Parallel()
	today := noon.Truncate(24 * time.Hour)
	q := query("acme", today, today.AddDate(0, 0, 1))
	all := rows(t, open(t, today.AddDate(0, 0, 9)), q)
	for i, row := range all {
		at, err := time.Parse(time.RFC3339, row[ports.ColumnCreatedAt])
		require.NoError(t, err)
		require.Len(t, rows(t, open(t, at.Add(-1)), q), i, "just before its time")
		now := rows(t, open(t, at), q)
		require.Len(t, now, i+1, "at its time")
		require.Equal(t, "PENDING", now[i][ports.ColumnStatus])
		require.Empty(t, now[i][ports.ColumnCode])
		require.NotEqual(t, "PENDING", row[ports.ColumnStatus], "nine days later")
	}
}

// TestEndedTransactionsDoNotChange is I27: a later clock only changes pending rows, and
// only their status and code.
func TestEndedTransactionsDoNotChange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		from := time.Unix(rapid.Int64Range(0, noon.Unix()).Draw(rt, "from"), 0).UTC()
		early := from.Add(time.Duration(rapid.Int64Range(0, int64(72*time.Hour)).Draw(rt, "early")))
		late := early.Add(time.Duration(rapid.Int64Range(0, int64(72*time.Hour)).Draw(rt, "late")))
		q := query(rapid.String().Draw(rt, "owner"), from, from.Add(72*time.Hour))
		was, is := rows(t, open(t, early), q), rows(t, open(t, late), q)
		require.GreaterOrEqual(rt, len(is), len(was))
		for i, row := range was {
			if row[ports.ColumnStatus] == "PENDING" {
				row[ports.ColumnStatus], row[ports.ColumnCode] = is[i][ports.ColumnStatus], is[i][ports.ColumnCode]
			}
			require.Equal(rt, row, is[i])
		}
	})
}

func TestRowsHaveAllColumns(t *testing.T) {
	t.Parallel()
	seen := map[string]map[string]bool{}
	codes := map[string]bool{}
	for _, row := range rows(t, open(t, noon), query("acme", noon.AddDate(0, -2, 0), noon)) {
		for name, text := range row {
			if seen[name] == nil {
				seen[name] = map[string]bool{}
			}
			seen[name][text] = true
		}
		pattern := `^[1-9]\d*\.\d\d$`
		if row[ports.ColumnCurrency] == "XOF" {
			pattern = `^[1-9]\d*$`
		}
		require.Regexp(t, pattern, row[ports.ColumnAmount])
		if row[ports.ColumnMethod] == "card" {
			require.Equal(t, "payin", row[ports.ColumnDirection])
		} else {
			require.NotEqual(t, string(errcodes.FailureInvalidCard), row[ports.ColumnCode])
			require.False(t, errcodes.TransactionCode(row[ports.ColumnCode]).Row().CardOnly)
		}
		require.False(t, errcodes.TransactionCode(row[ports.ColumnCode]).Row().Deprecated)
		codes[row[ports.ColumnCode]] = true
	}
	has := func(column string, want ...string) {
		require.Equal(t, want, slices.Sorted(maps.Keys(seen[column])), column)
	}
	has(ports.ColumnStatus, "ERRORED", "FAILED", "PENDING", "SUCCEEDED")
	has(ports.ColumnDirection, "payin", "payout")
	has(ports.ColumnMethod, "bank_transfer", "card", "mobile_money")
	has(ports.ColumnConnector, "flutterwave", "mtnmomo", "paystack", "sandbox")
	has(ports.ColumnCurrency, "EGP", "EUR", "GBP", "GHS", "KES", "NGN", "USD", "XOF", "ZAR")
	require.Greater(t, len(codes), 25)
}

func TestOwnersAndMerchants(t *testing.T) {
	t.Parallel()
	b := open(t, noon)
	q := query("acme", noon.AddDate(0, 0, -3), noon)
	want := rows(t, b, q)
	q.MerchantID = "another"
	require.Equal(t, want, rows(t, b, q), "the data does not depend on the merchant")
	require.Equal(t, want, rows(t, open(t, noon), q), "another process has the same data")
	q.Owner = "Acme"
	require.NotEqual(t, want, rows(t, b, q))
}

// Screenshots of demonstrations, and the tests of users, depend on the data of earlier
// releases.
func TestTheDataStaysTheSame(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
	row := rows(t, open(t, noon), query("acme", from, from.AddDate(0, 0, 1)))[0]
	require.Regexp(t, `^sbx-[0-9a-f]{12}-20261101-0000000$`, row[ports.ColumnTransactionID])
	require.Equal(t, "sbx-"+row[ports.ColumnMerchantReference][4:], row[ports.ColumnTransactionID])
	require.Equal(t, golden, fmt.Sprint(row[ports.ColumnTransactionID], " ", row[ports.ColumnCreatedAt], " ", row[ports.ColumnAmount], " ", row[ports.ColumnCurrency]))
}

func TestUnknownFiltersAndColumnsAreRejected(t *testing.T) {
	t.Parallel()
	s := open(t, noon).Transactions()
	require.True(t, s.Applies(ports.Filter{Column: ports.ColumnStatus, OneOf: []string{"FAILED"}}))
	for _, f := range []ports.Filter{
		{Column: ports.ColumnAmount, OneOf: []string{"1"}},
		{Column: ports.ColumnCreatedAt, From: "2026-11-20T00:00:00.000Z"},
		{Column: ports.ColumnStatus, From: "A"},
		{Column: ports.ColumnStatus, OneOf: []string{"FAILED"}, To: "B"},
		{Column: ports.ColumnStatus},
	} {
		require.False(t, s.Applies(f), f)
		q := query("acme", noon.AddDate(0, 0, -1), noon)
		q.Filters = []ports.Filter{f}
		rejected(t, s, q)
	}
	q := query("acme", noon.AddDate(0, 0, -1), noon)
	q.Columns = []string{"iban"}
	rejected(t, s, q)
}

func rejected(t *testing.T, s *sandbox.Transactions, q ports.RowQuery) {
	t.Helper()
	n := 0
	for row, err := range s.Rows(t.Context(), q) {
		require.Nil(t, row)
		require.Equal(t, errcodes.InvalidRequest, errcodes.Of(err))
		n++
	}
	require.Equal(t, 1, n)
}

func TestNewRejectsAPerDayOutOfBounds(t *testing.T) {
	t.Parallel()
	for _, n := range []int{-1, sandbox.MinPerDay - 1, sandbox.MaxPerDay + 1} {
		_, err := sandbox.New(&sandbox.Config{PerDay: n})
		require.Equal(t, errcodes.Configuration, errcodes.Of(err), n)
		require.ErrorContains(t, err, "1000000")
	}
	_, err := sandbox.New(nil)
	require.NoError(t, err)
}

var full = flag.Bool("full", false, "also run what .ci/full runs: read a million rows and measure memory")

// Memory does not grow with the number of rows.
func TestMillionsOfRowsAreStreamed(t *testing.T) {
	if !*full {
		t.Skip("only .ci/full measures memory")
	}
	b, err := sandbox.New(&sandbox.Config{Clock: portstest.NewClock(noon), PerDay: sandbox.MaxPerDay})
	require.NoError(t, err)
	q := query("acme", noon.Truncate(24*time.Hour).AddDate(0, 0, -1), noon.Truncate(24*time.Hour))
	q.Columns = []string{ports.ColumnTransactionID}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n, last := 0, ""
	for row, err := range b.Transactions().Rows(t.Context(), q) {
		require.NoError(t, err)
		if row[0] <= last {
			t.Fatalf("%s after %s", row[0], last)
		}
		last = row[0]
		n++
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Greater(t, n, sandbox.MaxPerDay/2)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(8<<20))
}

func ExampleNew() {
	now := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	books, err := sandbox.New(&sandbox.Config{Clock: portstest.NewClock(now)})
	if err != nil {
		fmt.Println(err)
		return
	}
	failed := 0
	for row, err := range books.Transactions().Rows(context.Background(), ports.RowQuery{
		Owner: "acme", From: now.AddDate(0, 0, -7), Until: now,
		Columns: []string{ports.ColumnStatus, ports.ColumnCode},
		Filters: []ports.Filter{{Column: ports.ColumnStatus, OneOf: []string{"FAILED"}}},
	}) {
		if err != nil || row[0] != "FAILED" || row[1] == "" {
			fmt.Println(row, err)
			return
		}
		failed++
	}
	fmt.Println(failed > 0)
	// Output: true
}
