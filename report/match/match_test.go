package match_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/internal/docpage"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report/match"
)

// settled returns a line of the n-th day of the range, in USD.
func settled(number int64, reference string, amount int64, day int, more ...func(*ports.SettlementLine)) ports.SettlementLine {
	l := ports.SettlementLine{Line: number, Reference: reference, Amount: amount, Currency: "USD", At: matchDay.AddDate(0, 0, day-1)}
	for _, change := range more {
		change(&l)
	}
	return l
}

// paid returns a SUCCEEDED payment of the n-th day, in USD.
func paid(id, reference string, amount int64, day int, more ...func(*match.Payment)) match.Payment {
	p := match.Payment{
		ID: id, Reference: reference, Amount: amount, Currency: "USD", Status: ports.TransactionSucceeded, CreatedAt: matchDay.AddDate(0, 0, day-1),
	}
	for _, change := range more {
		change(&p)
	}
	return p
}

func inEuros(l *ports.SettlementLine)    { l.Currency = "EUR" }
func unreadable(l *ports.SettlementLine) { l.Bad = "the amount is no number" }
func undated(l *ports.SettlementLine)    { l.At = time.Time{} }
func failed(p *match.Payment)            { p.Status = ports.TransactionFailed }
func pending(p *match.Payment)           { p.Status = ports.TransactionPending }
func euros(p *match.Payment)             { p.Currency = "EUR" }

// matchCases are also part of the documentation: name, input, and the resulting rows.
// Days 1 to 3 are reported, payments before day 3 are due.
var matchCases = []struct {
	name string
	of   matchCase
	want []string
}{
	{"one line of the amount", matchCase{lines: some(settled(1, "A", 100, 1)), payments: some(paid("p", "A", 100, 1))}, nil},
	{"two captures", matchCase{lines: some(settled(1, "A", 60, 1), settled(2, "A", 40, 2)), payments: some(paid("p", "A", 100, 1))}, nil},
	{
		"a capture is lacking",
		matchCase{lines: some(settled(1, "A", 60, 1), settled(2, "A", 30, 2)), payments: some(paid("p", "A", 100, 1))},
		[]string{"line 2 amount_mismatch p settled 90 difference -10"},
	},
	{
		"too much", matchCase{lines: some(settled(1, "A", 100, 1), settled(2, "A", 50, 2)), payments: some(paid("p", "A", 100, 1))},
		[]string{"line 2 amount_mismatch p settled 150 difference 50"},
	},
	{"within the tolerance", matchCase{tolerance: 1, lines: some(settled(1, "A", 99, 1)), payments: some(paid("p", "A", 100, 1))}, nil},
	{
		"just beyond the tolerance", matchCase{tolerance: 1, lines: some(settled(1, "A", 98, 1)), payments: some(paid("p", "A", 100, 1))},
		[]string{"line 1 amount_mismatch p settled 98 difference -2"},
	},
	{
		"settled twice", matchCase{lines: some(settled(1, "A", 100, 1), settled(2, "A", 100, 2)), payments: some(paid("p", "A", 100, 1))},
		[]string{"line 2 duplicate_settlement p settled 100 difference 0"},
	},
	{"equal captures that add up to the amount", matchCase{lines: some(settled(1, "A", 50, 1), settled(2, "A", 50, 2)), payments: some(paid("p", "A", 100, 1))}, nil},
	{
		"equal captures, one too many",
		matchCase{lines: some(settled(1, "A", 50, 1), settled(2, "A", 50, 2), settled(3, "A", 50, 3)), payments: some(paid("p", "A", 100, 1))},
		[]string{"line 3 duplicate_settlement p settled 100 difference 0"},
	},
	{
		"settled twice, and one taken back",
		matchCase{lines: some(settled(1, "A", 100, 1), settled(2, "A", 100, 2), settled(3, "A", -100, 3)), payments: some(paid("p", "A", 100, 1))}, nil,
	},
	{"fully reversed", matchCase{lines: some(settled(1, "A", 100, 1), settled(2, "A", -100, 2)), payments: some(paid("p", "A", 100, 1))}, nil},
	{
		"taken back in part", matchCase{lines: some(settled(1, "A", 100, 1), settled(2, "A", -30, 2)), payments: some(paid("p", "A", 100, 1))},
		[]string{"line 2 amount_mismatch p settled 70 difference -30"},
	},
	{
		"taken back before it was settled",
		matchCase{lines: some(settled(1, "A", -100, 1), settled(2, "A", 100, 2)), payments: some(paid("p", "A", 100, 1))},
		[]string{"line 2 amount_mismatch p settled 0 difference -100"},
	},
	{
		"taken back twice",
		matchCase{lines: some(settled(1, "A", 100, 1), settled(2, "A", -100, 2), settled(3, "A", -100, 3)), payments: some(paid("p", "A", 100, 1))},
		[]string{"line 3 amount_mismatch p settled -100 difference -200"},
	},
	{
		"another currency", matchCase{lines: some(settled(1, "A", 100, 1, inEuros)), payments: some(paid("p", "A", 100, 1))},
		[]string{"line 1 currency_mismatch p"},
	},
	{
		"a payment that failed", matchCase{lines: some(settled(1, "A", 100, 1)), payments: some(paid("p", "A", 100, 1, failed))},
		[]string{"line 1 status_mismatch p"},
	},
	{
		"a pending payment of another currency", matchCase{lines: some(settled(1, "A", 100, 1)), payments: some(paid("p", "A", 100, 1, pending, euros))},
		[]string{"line 1 status_mismatch p"},
	},
	{"a second try succeeded", matchCase{lines: some(settled(1, "A", 100, 1)), payments: some(paid("p1", "A", 100, 1, failed), paid("p2", "A", 100, 1))}, nil},
	{"no payment", matchCase{lines: some(settled(1, "A", 100, 1)), payments: some(paid("p", "B", 100, 3))}, []string{"line 1 missing_transaction"}},
	{
		"a reference that was written otherwise",
		matchCase{lines: some(settled(1, "inv 123", 100, 1)), payments: some(paid("p", "INV-000123", 100, 3))},
		[]string{"line 1 missing_transaction p similar_reference"},
	},
	{"no reference on either side", matchCase{lines: some(settled(1, "", 100, 1)), payments: some(paid("p", "", 100, 3))}, []string{"line 1 missing_transaction"}},
	{"never settled", matchCase{payments: some(paid("p", "A", 100, 1))}, []string{"payment p missing_settlement"}},
	{"not due yet", matchCase{payments: some(paid("p", "A", 100, 3))}, nil},
	{"never settled, and failed", matchCase{payments: some(paid("p", "A", 100, 1, failed))}, nil},
	{
		"two payments of one reference, one line", matchCase{lines: some(settled(1, "A", 70, 1)), payments: some(paid("p1", "A", 100, 1), paid("p2", "A", 70, 1))},
		[]string{"payment p1 missing_settlement"},
	},
	{
		"two payments of one reference, captures",
		matchCase{lines: some(settled(1, "A", 70, 1), settled(2, "A", 60, 2), settled(3, "A", 40, 3)), payments: some(paid("p1", "A", 100, 1), paid("p2", "A", 70, 1))}, nil,
	},
	{
		"two payments of one reference, one taken back",
		matchCase{lines: some(settled(1, "A", 70, 1), settled(2, "A", -70, 2)), payments: some(paid("p1", "A", 100, 1), paid("p2", "A", 70, 1))},
		[]string{"payment p1 missing_settlement"},
	},
	{
		"three payments of one reference, two taken back",
		matchCase{
			lines:    some(settled(1, "A", 100, 1), settled(2, "A", -100, 1), settled(3, "A", 100, 2), settled(4, "A", -100, 2)),
			payments: some(paid("p1", "A", 100, 1), paid("p2", "A", 70, 1), paid("p3", "A", 100, 1)),
		},
		[]string{"payment p2 missing_settlement"},
	},
	{
		"equal captures, one beyond the tolerance",
		matchCase{tolerance: 2, lines: some(settled(1, "A", 51, 1), settled(2, "A", 51, 2), settled(3, "A", 51, 3)), payments: some(paid("p", "A", 100, 1))},
		[]string{"line 3 duplicate_settlement p settled 102 difference 2"},
	},
	{
		"a bad line", matchCase{lines: some(settled(1, "A", 0, 1, unreadable)), payments: some(paid("p", "A", 100, 3))},
		[]string{"line 1 unreadable_line"},
	},
	{"a bad line without a time", matchCase{lines: some(settled(1, "", 0, 1, unreadable, undated))}, []string{"line 1 unreadable_line"}},
	{"settled after the last day", matchCase{lines: some(settled(1, "A", 100, 4)), payments: some(paid("p", "A", 100, 2))}, nil},
	{"a payment before the first day", matchCase{lines: some(settled(1, "A", 100, 1)), payments: some(paid("p", "A", 100, -5))}, nil},
	{
		"a mismatch after the last day, which is in that day's report",
		matchCase{lines: some(settled(1, "A", 60, 3), settled(2, "A", 30, 4)), payments: some(paid("p", "A", 100, 2))}, nil,
	},
}

func some[T any](list ...T) []T { return list }

// brief returns a row in short form.
func brief(u match.Unmatched) string {
	if u.Reason == match.MissingSettlement {
		return fmt.Sprintf("payment %s %s", u.Payment.ID, u.Reason)
	}
	text := fmt.Sprintf("line %d %s", u.Line.Line, u.Reason)
	if u.CandidateWhy != match.NoCandidate {
		text += " " + u.Candidate.ID
	}
	if u.CandidateWhy == match.SimilarReference {
		text += " " + string(u.CandidateWhy)
	}
	if u.Reason == match.AmountMismatch || u.Reason == match.DuplicateSettlement {
		text += fmt.Sprintf(" settled %d difference %d", u.Settled, u.Difference)
	}
	return text
}

func TestEachCaseHasItsRows(t *testing.T) {
	for _, c := range matchCases {
		t.Run(c.name, func(t *testing.T) {
			rows, tally := c.of.all(t)
			var got []string
			for _, u := range rows {
				got = append(got, brief(u))
			}
			require.Equal(t, c.want, got)
			require.Equal(t, tally.Lines, tally.Matched+tally.UnmatchedLines)
			want, wantTally := c.of.model()
			require.Equal(t, want, rows)
			require.Equal(t, wantTally, tally)
		})
	}
}

func TestSettlementsPageIsFresh(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Unmatched settlements

Generated from the reasons and the test cases of package match (SPEC 2.6 and 4.6). The rules are in the comment of [match.Run](../../report/match/match.go).

## Reasons

| reason | a row is about | when |
|---|---|---|
`)
	for _, r := range match.Reasons() {
		fmt.Fprintf(&b, "| %s | a %s | %s |\n", r[0], r[1], r[2])
	}
	b.WriteString("\n## Columns\n\n| column | type | currency in | content |\n|---|---|---|---|\n")
	for _, c := range match.Columns() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.Name, c.Type, c.Currency, c.Meaning)
	}
	b.WriteString(`
## Cases

Days 1 to 3 are reported, and payments of days 1 and 2 are due. Each case is a test. Amounts are in minor units.

| case | payments | lines | unmatched |
|---|---|---|---|
`)
	for _, c := range matchCases {
		var payments, lines []string
		for _, p := range c.of.payments {
			payments = append(payments, fmt.Sprintf("%s: %s %d %s, %s, day %d", p.ID, cmp.Or(p.Reference, "none"), p.Amount, p.Currency, p.Status, dayOf(p.CreatedAt)))
		}
		for _, l := range c.of.lines {
			lines = append(lines, fmt.Sprintf("%d: %s %d %s, %s", l.Line, cmp.Or(l.Reference, "none"), l.Amount, l.Currency, dayOrNone(l.At)))
		}
		name := c.name
		if c.of.tolerance > 0 {
			name += fmt.Sprintf(" (%d)", c.of.tolerance)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, strings.Join(payments, "<br>"), strings.Join(lines, "<br>"), strings.Join(c.want, "<br>"))
	}
	b.WriteString(`
## Decisions

- A report contains only the lines and payments of its days. Lines and payments of other days are also read, so that a payment of the last day
  that settled the day after is not missing. Each mismatch is in one report: that of the day of the line that causes it.
- The candidate of a line without a payment must have a similar reference. Payments of the same amount are not candidates: they are spread
  over all partitions when a report does not fit into memory, and round amounts would match unrelated payments.
- At most 256 payments with similar references are considered, the first ones in order.
- A line and its reversal are matched and cancel out. The payment counts as settled: these data do not show whether the refund was due.
- What does not fit into memory is written to scratch files, partitioned by reference; the rows and their order are the same. If the lines and
  payments of one reference exceed the memory, they cannot be partitioned, and the report fails with ` + "`unprocessable`" + `.
`)
	docpage.Check(t, "../../internal/docs/settlements.md", b.String())
}

func dayOf(at time.Time) int { return int(at.Sub(matchDay)/(24*time.Hour)) + 1 }

func dayOrNone(at time.Time) string {
	if at.IsZero() {
		return "no day"
	}
	return fmt.Sprintf("day %d", dayOf(at))
}
