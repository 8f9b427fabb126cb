package report_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/report"
)

// statement returns given lines.
type statement struct {
	lines   []ports.SettlementLine
	queries []ports.RowQuery
}

func (s *statement) AsOf(_ context.Context, now time.Time) (time.Time, error) { return now, nil }

func (s *statement) Lines(_ context.Context, q ports.RowQuery) iter.Seq2[ports.SettlementLine, error] {
	s.queries = append(s.queries, q)
	return func(yield func(ports.SettlementLine, error) bool) {
		for _, l := range s.lines {
			if (l.Bad != "" || !l.At.Before(q.From) && l.At.Before(q.Until)) && !yield(l, nil) {
				return
			}
		}
	}
}

// A service copies its policy; later changes of the caller's slice have no effect.
func TestThePolicysDirectionsAreCopied(t *testing.T) {
	r := newRig(t)
	r.source.applies = func(ports.Filter) bool { return true }
	directions := []errcodes.Direction{errcodes.Payout}
	service, err := report.New(report.Ports{
		Reports: r.store.Reports(), Transactions: r.source, Settlements: &statement{}, Writers: []ports.ReportWriter{linesWriter{}},
		Files: r.files, Scratch: fake.NewScratch(),
	}, report.Policy{Directions: directions}, &r.config)
	require.NoError(t, err)
	directions[0] = errcodes.Payin
	q := asked()
	q.Columns = nil
	_, err = service.CreateUnmatched(t.Context(), owner, q)
	require.NoError(t, err)
	require.NoError(t, service.Tick(t.Context(), r.clock.Now()))
	require.Equal(t, []ports.Filter{{Column: "direction", OneOf: []string{"payout"}}}, r.source.queries[0].Filters)
}

// reconciled makes the unmatched report of 20 November a week later.
func reconciled(t *testing.T, rows []map[string]string, lines []ports.SettlementLine, more ...func(*report.Request)) (*rig, *statement, []map[string]any) {
	t.Helper()
	r := newRig(t)
	from := &statement{lines: lines}
	r.source.rows = rows
	var err error
	r.service, err = report.New(report.Ports{
		Reports: r.store.Reports(), Transactions: r.source, Settlements: from, Writers: []ports.ReportWriter{linesWriter{}},
		Files: r.files, Scratch: fake.NewScratch(),
	}, report.Policy{SettleWithin: 3 * 24 * time.Hour, Tolerance: 1}, &r.config)
	require.NoError(t, err)
	r.clock.Set(noon.AddDate(0, 0, 7))
	q := asked()
	q.Columns = nil
	for _, f := range more {
		f(&q)
	}
	j, err := r.service.CreateUnmatched(t.Context(), owner, q)
	require.NoError(t, err)
	require.NoError(t, r.tick())
	objects, few, err := r.service.Rows(t.Context(), owner, j.ID)
	require.NoError(t, err)
	require.True(t, few)
	found := []map[string]any{}
	for _, o := range objects {
		var row map[string]any
		require.NoError(t, json.Unmarshal(o, &row))
		found = append(found, row)
	}
	return r, from, found
}

type linesWriter = lines

func line(n int64, reference string, amount int64, after time.Duration) ports.SettlementLine {
	return ports.SettlementLine{Line: n, Reference: reference, Amount: amount, Currency: "ZAR", At: noon.Add(after)}
}

func TestAnUnmatchedReportHasTheDifferences(t *testing.T) {
	rows := transactions(4)
	rows[3]["direction"] = "payout"
	_, from, found := reconciled(t, rows, []ports.SettlementLine{
		line(1, "order-0", 51, time.Hour),     // 0.50, within the tolerance of a cent
		line(2, "order-1", 100, 2*time.Hour),  // of 1.50
		line(3, "order-9", 700, 3*time.Hour),  // matches nothing
		{Line: 4, Bad: "invalid amount"},      // unreadable
		line(5, "order-2", 999, 48*time.Hour), // after the range: it settles order-2 and is not reported
	})
	assert.Equal(t, []map[string]any{
		{"reason": "unreadable_line", "settlementLine": 4.0, "ageDays": 0.0, "detail": "invalid amount"},
		{
			"reason": "amount_mismatch", "reference": "order-1", "settlementLine": 2.0, "settledAt": "2026-11-20T14:00:00.000Z",
			"settlementAmount": "1.00", "currency": "ZAR", "settledSum": "1.00", "difference": "-0.50", "candidateTransactionId": "tx-0001",
			"candidateMatch": "same_reference", "expectedAmount": "1.50", "expectedCurrency": "ZAR", "status": "SUCCEEDED",
			"createdAt": "2026-11-20T12:00:01.000Z", "ageDays": 6.0,
		},
		{
			"reason": "missing_transaction", "reference": "order-9", "settlementLine": 3.0, "settledAt": "2026-11-20T15:00:00.000Z",
			"settlementAmount": "7.00", "currency": "ZAR", "ageDays": 6.0,
		},
	}, found)
	require.Len(t, from.queries, 1)
	assert.Equal(t, time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC), from.queries[0].Until, "lines that come later may settle the days' transactions")
}

// A transaction is missing only after it should have been settled.
func TestASettlementIsMissingOnceItIsDue(t *testing.T) {
	r, _, found := reconciled(t, transactions(1), nil)
	require.Len(t, found, 1)
	assert.Equal(t, "missing_settlement", found[0]["reason"])
	assert.Equal(t, "tx-0000", found[0]["transactionId"])
	assert.Equal(t, "order-0", found[0]["reference"])
	assert.InDelta(t, 7, found[0]["ageDays"], 0)

	r.clock.Set(noon.Add(71 * time.Hour))
	j, err := r.service.CreateUnmatched(t.Context(), owner, asked0())
	require.NoError(t, err)
	require.NoError(t, r.tick())
	assert.Zero(t, r.get(j.ID).Rows, "it may still come")
}

func asked0() report.Request {
	q := asked()
	q.Columns = nil
	return q
}

// Captures of earlier days count, but are not reported.
func TestACaptureOfTheDayBeforeCounts(t *testing.T) {
	before := transaction(1, "createdAt", "2026-11-18T00:00:00.000Z")
	_, from, found := reconciled(t, []map[string]string{before}, []ports.SettlementLine{
		line(1, "order-1", 100, -24*time.Hour), line(2, "order-1", 50, 0), line(3, "order-7", 1, -24*time.Hour),
	})
	assert.Empty(t, found)
	assert.Equal(t, time.Date(2026, 11, 17, 0, 0, 0, 0, time.UTC), from.queries[0].From)
}

// More days are read than reported: a bad line of another day is not in this report.
func TestABadLineOfAnotherDayIsNotReported(t *testing.T) {
	bad := func(n int64, after time.Duration) ports.SettlementLine {
		l := line(n, "", 0, after)
		l.Bad = "no reference"
		return l
	}
	_, _, found := reconciled(t, nil, []ports.SettlementLine{
		bad(1, -13*time.Hour), bad(2, -12*time.Hour), bad(3, 12*time.Hour-time.Millisecond), bad(4, 12*time.Hour),
	})
	require.Len(t, found, 2)
	assert.InDelta(t, 2, found[0]["settlementLine"], 0)
	assert.InDelta(t, 3, found[1]["settlementLine"], 0)
}

// A report does not invent amounts: an unreadable one is an empty cell, and a readable
// one is shown, even 0, whatever else the line lacks.
func TestABadLinesAmountIsShownIfReadable(t *testing.T) {
	var lines []ports.SettlementLine
	bad := func(amount int64, has bool, currency string) {
		l := line(int64(len(lines)+1), "", amount, time.Hour)
		l.Bad, l.HasAmount, l.Currency = "no reference", has, currency
		lines = append(lines, l)
	}
	bad(0, false, "ZAR")
	bad(0, true, "ZAR")
	bad(-1250, true, "ZAR")
	bad(0, false, "")
	bad(7, true, "JPY")
	_, _, found := reconciled(t, nil, lines, func(q *report.Request) { q.Columns = []string{"settlementAmount", "currency"} })
	assert.Equal(t, []map[string]any{
		{"currency": "ZAR"}, {"settlementAmount": "0.00", "currency": "ZAR"}, {"settlementAmount": "-12.50", "currency": "ZAR"},
		{}, {"settlementAmount": "7", "currency": "JPY"},
	}, found)

	_, _, found = reconciled(t, nil, lines, func(q *report.Request) {
		q.Filters = []ports.Filter{{Column: "settlementAmount", From: "-100", To: "5"}}
	})
	assert.Len(t, found, 2, "an amount that is not known lies in no range")
}

// A line of the first day may settle a transaction of an earlier day.
func TestATransactionOfAnEarlierDayCanBeSettled(t *testing.T) {
	before := transaction(1, "createdAt", "2026-11-18T00:00:00.000Z")
	_, _, found := reconciled(t, []map[string]string{before}, []ports.SettlementLine{line(1, "order-1", 150, 0)})
	assert.Empty(t, found)
}

func TestAnUnmatchedReportHasColumnsAndFilters(t *testing.T) {
	r, _, found := reconciled(t, nil, []ports.SettlementLine{line(1, "a", 100, 0), line(2, "b", 200, 0), line(3, "c", 300, 0)},
		func(q *report.Request) {
			q.Columns = []string{"settlementAmount", "settlementLine"}
			q.Filters = []ports.Filter{{Column: "settlementAmount", From: "2"}, {Column: "reference", OneOf: []string{"a", "b"}}}
		})
	assert.Equal(t, []map[string]any{{"settlementAmount": "2.00", "settlementLine": 2.0}}, found)
	_, err := r.service.CreateUnmatched(t.Context(), owner, asked())
	require.ErrorIs(t, err, errcodes.Unprocessable, "the columns are the report's own")
}

func TestWithoutSettlementsThereIsNoUnmatchedReport(t *testing.T) {
	_, err := newRig(t).service.CreateUnmatched(t.Context(), owner, asked0())
	require.ErrorIs(t, err, errcodes.NotFound)
}

// Invalid amounts of a source fail the report.
func TestInvalidAmountsFailTheReport(t *testing.T) {
	for _, amount := range []string{"", "1.234", "ten", "1e3", "99999999999999999999", "1.2.3"} {
		r := newRig(t)
		r.source.rows = []map[string]string{transaction(1, "amount", amount)}
		var err error
		r.service, err = report.New(report.Ports{
			Reports: r.store.Reports(), Transactions: r.source, Settlements: &statement{}, Writers: []ports.ReportWriter{lines{}},
			Files: r.files, Scratch: fake.NewScratch(),
		}, report.Policy{}, &r.config)
		require.NoError(t, err)
		j, err := r.service.CreateUnmatched(t.Context(), owner, asked0())
		require.NoError(t, err)
		for range report.DefaultMaxAttempts {
			_ = r.tick()
			r.clock.Advance(time.Minute)
		}
		assert.Equal(t, string(errcodes.MalformedAnswer), r.get(j.ID).Reason, strings.TrimSpace(amount))
	}
}
