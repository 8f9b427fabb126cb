package sandbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
)

// payment is a transaction with its lines.
type payment struct {
	row   map[string]string
	minor int64
	lines []ports.SettlementLine
	day   int // of the month
}

func minor(t require.TestingT, row map[string]string) int64 {
	n := int64(0)
	for _, c := range row[ports.ColumnAmount] {
		if c != '.' {
			n = n*10 + int64(c-'0')
		}
	}
	require.Positive(t, n)
	return n
}

// judge returns what is wrong with a payment.
func judge(p payment) string {
	paid, sum := p.row[ports.ColumnStatus] == "SUCCEEDED", int64(0)
	for _, l := range p.lines {
		if l.Currency != p.row[ports.ColumnCurrency] {
			return "currency_mismatch"
		}
		sum += l.Amount
	}
	switch {
	case paid && len(p.lines) == 0:
		return "missing_settlement"
	case !paid && len(p.lines) > 0:
		return "status_mismatch"
	case !paid || sum == p.minor && len(p.lines) == 1:
		return ""
	case sum == p.minor && len(p.lines) == 2:
		return "in parts"
	case sum == p.minor && len(p.lines) == 3 && p.lines[1].Amount == -p.minor:
		return "taken back"
	case sum == 2*p.minor && len(p.lines) == 2:
		return "duplicate_settlement"
	case sum < p.minor && len(p.lines) == 1:
		return "amount_mismatch"
	default:
		return "?"
	}
}

// byDay is the table of the package comment, by the day of the month.
var byDay = map[int]string{
	3: "missing_settlement", 4: "amount_mismatch", 5: "currency_mismatch", 6: "status_mismatch",
	7: "duplicate_settlement", 8: "in parts", 9: "taken back",
}

// The test checks an owner's payments of a year, and all of their settlements.
func TestSettlementsFollowTheTable(t *testing.T) {
	t.Parallel()
	from := time.Date(2025, time.October, 1, 0, 0, 0, 0, time.UTC)
	until := from.AddDate(1, 0, 0)
	now := until.AddDate(0, 0, 8)
	b := open(t, now)
	payments := map[string]*payment{}
	for _, row := range rows(t, b, query("acme", from, until)) {
		at, err := time.Parse(time.RFC3339, row[ports.ColumnCreatedAt])
		require.NoError(t, err)
		payments[row[ports.ColumnMerchantReference]] = &payment{row: row, minor: minor(t, row), day: at.Day()}
	}
	unknown, bad := map[string]int{}, map[string]int{}
	for _, l := range lines(t, b, query("acme", from.AddDate(0, 0, 4), now)) {
		switch p := payments[l.Reference]; {
		case l.Bad != "":
			bad[l.At.AddDate(0, 0, -2).Month().String()]++
		case p != nil:
			p.lines = append(p.lines, l)
		case l.At.Before(until):
			unknown[l.At.Month().String()]++
		}
	}
	require.Len(t, unknown, 12, "missing_transaction")
	require.Len(t, bad, 12, "there are bad lines")
	for _, n := range unknown {
		require.LessOrEqual(t, n, 5, "there are few unknown references")
	}
	judged(t, payments, from.AddDate(0, 0, 4))
}

// judged compares each day's deviation with the table.
func judged(t *testing.T, payments map[string]*payment, whole time.Time) {
	t.Helper()
	odd := map[string]string{}
	for _, p := range payments {
		at, err := time.Parse(time.RFC3339, p.row[ports.ColumnCreatedAt])
		require.NoError(t, err)
		if at.Before(whole) {
			continue // some of its lines are before the interval
		}
		for _, l := range p.lines {
			require.GreaterOrEqual(t, l.At.Sub(at), 24*time.Hour)
			require.LessOrEqual(t, l.At.Sub(at), 72*time.Hour)
		}
		if is := judge(*p); is != "" {
			date := at.Format(time.DateOnly)
			require.Empty(t, odd[date], "%s has two deviations", date)
			odd[date] = is
			require.Equal(t, "payin", p.row[ports.ColumnDirection])
		}
	}
	for day := whole; day.Before(whole.AddDate(0, 11, 0)); day = day.AddDate(0, 0, 1) {
		want := byDay[day.Day()]
		if day.Day() > 14 && day.Day() <= 28 {
			want = byDay[day.Day()-14]
		}
		require.Equal(t, want, odd[day.Format(time.DateOnly)], "%s", day)
	}
}

func TestABadLineHasATime(t *testing.T) {
	t.Parallel()
	n := 0
	for _, l := range lines(t, open(t, noon), query("acme", noon.AddDate(0, 0, -30), noon)) {
		if l.Bad != "" {
			n++
			require.False(t, l.At.IsZero())
			require.Zero(t, l.Amount)
			require.False(t, l.HasAmount)
			require.Empty(t, l.Reference)
			require.NotEmpty(t, l.Currency)
		}
	}
	require.GreaterOrEqual(t, n, 2)
}

// If an interval is split, no line is lost or repeated, none comes before its time, and
// the line numbers are the same.
func TestAnIntervalCanBeSplit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		from := noon.Add(-time.Duration(rapid.Int64Range(0, int64(900*time.Hour)).Draw(rt, "from")))
		until := from.Add(time.Duration(rapid.Int64Range(0, int64(300*time.Hour)).Draw(rt, "length")))
		cut := from.Add(time.Duration(rapid.Int64Range(0, int64(until.Sub(from))).Draw(rt, "cut")))
		b := open(t, noon)
		seen := map[int64]ports.SettlementLine{}
		for _, part := range [][2]time.Time{{from, cut}, {cut, until}} {
			for _, l := range lines(t, b, query("acme", part[0], part[1])) {
				_, twice := seen[l.Line]
				require.False(rt, twice)
				require.False(rt, l.At.After(noon), "the line is from the future")
				seen[l.Line] = l
			}
		}
		whole := lines(t, b, query("acme", from, until))
		require.Len(rt, whole, len(seen))
		for _, l := range whole {
			require.Equal(rt, seen[l.Line], l)
		}
	})
}

func TestALineAppearsWhenTheClockReachesIt(t *testing.T) {
	t.Parallel()
	all := lines(t, open(t, noon), query("acme", noon.AddDate(0, 0, -2), noon))
	require.NotEmpty(t, all)
	for _, l := range all[:10] {
		require.Contains(t, lines(t, open(t, l.At), query("acme", noon.AddDate(0, 0, -2), noon)), l)
		require.NotContains(t, lines(t, open(t, l.At.Add(-1)), query("acme", noon.AddDate(0, 0, -2), noon)), l)
	}
}
