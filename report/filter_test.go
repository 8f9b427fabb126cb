package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

// Filters that the source does not apply are applied by the service, without adding
// columns.
func TestFiltersThatTheSourceDoesNotApply(t *testing.T) {
	for name, c := range map[string]struct {
		filter ports.Filter
		want   string
	}{
		"one text":             {ports.Filter{Column: "connector", OneOf: []string{"mtnmomo"}}, "1"},
		"one of texts":         {ports.Filter{Column: "connector", OneOf: []string{"mtnmomo", "none", "paystack"}}, "0 1 2 3"},
		"a number as a number": {ports.Filter{Column: "amount", OneOf: []string{"2.5"}}, "2"},
		"a range of amounts":   {ports.Filter{Column: "amount", From: "1.50", To: "2.500"}, "1 2"},
		"from an amount on":    {ports.Filter{Column: "amount", From: "1.51"}, "2 3"},
		"a range of times":     {ports.Filter{Column: "createdAt", From: "2026-11-20T12:00:01Z", To: "2026-11-20T14:00:02+02:00"}, "1 2"},
		"a day":                {ports.Filter{Column: "createdAt", From: "2026-11-20", To: "2026-11-20"}, "0 1 2 3"},
		"before a day":         {ports.Filter{Column: "createdAt", To: "2026-11-19"}, ""},
		"a time":               {ports.Filter{Column: "createdAt", OneOf: []string{"2026-11-20T12:00:03Z"}}, "3"},
		"a day as a value":     {ports.Filter{Column: "createdAt", OneOf: []string{"2026-11-20"}}, "0 1 2 3"},
		"a day and a time":     {ports.Filter{Column: "createdAt", OneOf: []string{"2026-11-19", "2026-11-20T12:00:02Z"}}, "2"},
		"another day":          {ports.Filter{Column: "createdAt", OneOf: []string{"2026-11-19", "2026-11-21"}}, ""},
		"an empty value":       {ports.Filter{Column: "code", OneOf: []string{""}}, "0 2 3"},
		"an empty amount":      {ports.Filter{Column: "amount", From: "-99999"}, "0 1 2 3"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.source.rows = transactions(4)
			r.source.rows[1]["connector"], r.source.rows[1]["code"] = "mtnmomo", "timeout"
			q := asked()
			q.Columns, q.Filters = []string{"method", "transactionId"}, []ports.Filter{c.filter}
			j := r.create(q)
			require.NoError(t, r.tick())
			var want strings.Builder
			want.WriteString("method|transactionId\n")
			for n := range strings.FieldsSeq(c.want) {
				want.WriteString("card|tx-000" + n + "\n")
			}
			assert.Equal(t, want.String(), r.file(j.ID))
		})
	}
}

// A source that filters by time itself receives instants. A day as a value is not an
// instant and is filtered by the service.
func TestTimeFiltersOfASourceAreInstants(t *testing.T) {
	for name, c := range map[string]struct {
		asked, given ports.Filter
		here         bool
	}{
		"a day as both ends": {
			asked: ports.Filter{From: "2026-11-20", To: "2026-11-20"},
			given: ports.Filter{From: "2026-11-20T00:00:00.000Z", To: "2026-11-20T23:59:59.999Z"},
		},
		"one end":          {asked: ports.Filter{To: "2026-11-20T14:00:00+02:00"}, given: ports.Filter{To: "2026-11-20T12:00:00.000Z"}},
		"instants":         {asked: ports.Filter{OneOf: []string{"2026-11-20T12:00:00Z"}}, given: ports.Filter{OneOf: []string{"2026-11-20T12:00:00.000Z"}}},
		"a day as a value": {asked: ports.Filter{OneOf: []string{"2026-11-20"}}, here: true},
		"a day among instants": {
			asked: ports.Filter{OneOf: []string{"2026-11-20T12:00:00Z", "2026-11-20"}}, here: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.source.applies = func(f ports.Filter) bool { return f.Column == "createdAt" }
			q := asked()
			c.asked.Column, c.given.Column = "createdAt", "createdAt"
			q.Filters = []ports.Filter{c.asked}
			r.create(q)
			require.NoError(t, r.tick())
			require.Len(t, r.source.queries, 1)
			if c.here {
				require.Empty(t, r.source.queries[0].Filters)
				return
			}
			require.Equal(t, []ports.Filter{c.given}, r.source.queries[0].Filters)
		})
	}
}

// A range with equal ends is valid.
func TestARangeOfOneValueIsValid(t *testing.T) {
	for name, f := range map[string]ports.Filter{
		"an amount":                {Column: "amount", From: "2.50", To: "2.5"},
		"an instant":               {Column: "createdAt", From: "2026-11-20T14:00:02+02:00", To: "2026-11-20T12:00:02Z"},
		"an instant to its day":    {Column: "createdAt", From: "2026-11-20T12:00:02Z", To: "2026-11-20"},
		"the last instant and day": {Column: "createdAt", From: "2026-11-20T23:59:59.999Z", To: "2026-11-20"},
	} {
		q := asked()
		q.Filters = []ports.Filter{f}
		_, err := newRig(t).service.CreateTransactions(t.Context(), owner, q)
		require.NoError(t, err, name)
	}
}

// The instants of a filter must be in the years 2000 to 2999 of UTC, like the dates of a
// request.
func TestFiltersAreInTheYears2000To2999(t *testing.T) {
	for instant, taken := range map[string]bool{
		"1999-12-31T23:59:59Z": false, "2000-01-01T00:00:00+00:01": false, "2000-01-01T00:00:00Z": true,
		"2999-12-31T23:59:59Z": true, "2999-12-31T23:59:59-00:01": false, "3000-01-01T00:00:00Z": false,
	} {
		for name, f := range map[string]ports.Filter{
			"from": {Column: "createdAt", From: instant}, "to": {Column: "createdAt", To: instant},
			"value": {Column: "createdAt", OneOf: []string{instant}},
		} {
			q := asked()
			q.Filters = []ports.Filter{f}
			_, err := newRig(t).service.CreateTransactions(t.Context(), owner, q)
			if taken {
				require.NoError(t, err, "%s %s", name, instant)
			} else {
				require.ErrorIs(t, err, errcodes.Unprocessable, "%s %s", name, instant)
			}
		}
	}
}

// A filter's error names its column, but not its values.
func TestAFiltersErrorNamesItsColumn(t *testing.T) {
	for want, f := range map[string]ports.Filter{
		`filters on "amount" must not end before they start`:             {Column: "amount", From: "100", To: "-100"},
		`filters on "createdAt" must not end before they start`:          {Column: "createdAt", From: "2026-11-20", To: "2026-11-19T23:59:59Z"},
		`filters on "amount" must compare a number with numbers`:         {Column: "amount", OneOf: []string{"4111111111111111x"}},
		`filters on "amount" must bound a number by numbers`:             {Column: "amount", To: "4111111111111111x"},
		`filters on "createdAt" must compare a time with times or dates`: {Column: "createdAt", OneOf: []string{"Jane Doe"}},
		`filters on "createdAt" must bound a time by times or dates`:     {Column: "createdAt", From: "Jane Doe"},
		`filters on "code" must not have a range of texts`:               {Column: "code", From: "Jane Doe"},
		`filters on "code" must have values or a range`:                  {Column: "code"},
	} {
		q := asked()
		q.Filters = []ports.Filter{f}
		_, err := newRig(t).service.CreateTransactions(t.Context(), owner, q)
		var coded *errcodes.Error
		require.ErrorAs(t, err, &coded)
		assert.Equal(t, errcodes.Unprocessable, coded.Code())
		assert.Equal(t, want, coded.Message())
	}
}

// The error contains the wrong column, shortened and on one line, and the existing
// columns, but not the values of a filter.
func TestErrorsNameTheWrongColumn(t *testing.T) {
	const (
		columns = "columns must be columns of the report, each once: "
		filters = "filters must be on columns of the report, each once: "
		all     = " is not among transactionId, merchantReference, status, direction, amount, currency, method, connector, code, createdAt"
	)
	by := func(names ...string) func(*report.Request) {
		var f []ports.Filter
		for _, name := range names {
			f = append(f, ports.Filter{Column: name, OneOf: []string{"4111111111111111"}})
		}
		return filtered(f...)
	}
	of := func(names ...string) func(*report.Request) { return func(q *report.Request) { q.Columns = names } }
	for want, change := range map[string]func(*report.Request){
		columns + `"amounts"` + all:                            of("amount", "amounts", "shoe"),
		columns + `""` + all:                                   of(""),
		columns + `"amount" is repeated`:                       of("amount", "code", "amount", "shoe"),
		columns + `"` + strings.Repeat("x", 64) + `…"` + all:   of(strings.Repeat("x", 1<<20)),
		columns + `"a?b"` + all:                                of("a\nb"),
		columns + `"code" is repeated`:                         of(slices.Repeat([]string{"code"}, 10_000)...),
		filters + `"Amount"` + all:                             by("amount", "Amount"),
		filters + `"code" is repeated`:                         by("code", "method", "code"),
		filters + `"'?` + strings.Repeat("é", 31) + `…"` + all: by(`"` + "\x7f" + strings.Repeat("é", 40)),
	} {
		q := asked()
		change(&q)
		_, err := newRig(t).service.CreateTransactions(t.Context(), owner, q)
		var coded *errcodes.Error
		require.ErrorAs(t, err, &coded)
		assert.Equal(t, errcodes.Unprocessable, coded.Code())
		assert.Equal(t, want, coded.Message())
	}
}
