package report_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

func TestAReportIsCreatedMadeAndDownloaded(t *testing.T) {
	r := newRig(t)
	r.source.rows = transactions(3)
	j := r.create(asked())
	assert.Equal(t, ports.ReportRunning, j.Status)
	assert.Equal(t, int64(-1), j.Total, "unknown")
	assert.True(t, strings.HasPrefix(j.ID, report.IDPrefix))
	_, err := r.service.Open(t.Context(), owner, j.ID)
	require.ErrorIs(t, err, errcodes.Conflict)
	r.clock.Advance(time.Second)
	require.NoError(t, r.tick())

	j = r.get(j.ID)
	assert.Equal(t, ports.ReportCompleted, j.Status)
	assert.Equal(t, int64(3), j.Rows)
	assert.Equal(t, noon.Add(time.Second), j.EndedAt)
	assert.Equal(t, noon.Add(time.Second), j.AsOf)
	const want = "transactionId|amount\ntx-0000|0.50\ntx-0001|1.50\ntx-0002|2.50\n"
	assert.Equal(t, want, r.file(j.ID))
	sum := sha256.Sum256([]byte(want))
	assert.Equal(t, hex.EncodeToString(sum[:]), j.FileSHA256)
	assert.Equal(t, int64(len(want)), j.FileSize)

	rows, few, err := r.service.Rows(t.Context(), owner, j.ID)
	require.NoError(t, err)
	assert.True(t, few)
	assert.Equal(t, []json.RawMessage{
		json.RawMessage(`{"transactionId":"tx-0000","amount":"0.50"}`), json.RawMessage(`{"transactionId":"tx-0001","amount":"1.50"}`),
		json.RawMessage(`{"transactionId":"tx-0002","amount":"2.50"}`),
	}, rows)
	m, err := r.service.Manifest(t.Context(), owner, j.ID)
	require.NoError(t, err)
	assert.Equal(t, report.Manifest{
		Schema: report.ManifestSchema, ID: j.ID, Type: "transactions", Name: "November", MerchantID: merchant,
		From: "2026-11-20T00:00:00.000Z", Until: "2026-11-21T00:00:00.000Z", TimeZone: "UTC",
		AsOf: "2026-11-20T12:00:01.000Z", GeneratedAt: "2026-11-20T12:00:01.000Z", File: "report.csv", Format: "csv", ContentType: "text/csv",
		Rows: 3, Bytes: j.FileSize, SHA256: j.FileSHA256,
		Columns: []report.ManifestColumn{
			{Name: "transactionId", Type: "text"}, {Name: "amount", Type: "money", Unit: "major units, decimal text"},
		},
	}, m)
	assert.Equal(t, []ports.ReportStatus{ports.ReportCompleted}, r.ended)
}

func TestTheQueryHasTheOwnerAndTheRange(t *testing.T) {
	r := newRig(t)
	r.source.applies = func(f ports.Filter) bool { return f.Column == "status" }
	q := asked()
	q.StartDate, q.EndDate = "2026-10-01", "2026-10-31"
	q.Filters = []ports.Filter{{Column: "status", OneOf: []string{"FAILED"}}, {Column: "method", OneOf: []string{"card"}}}
	r.create(q)
	require.NoError(t, r.tick())
	require.Len(t, r.source.queries, 1)
	got := r.source.queries[0]
	assert.Equal(t, ports.RowQuery{
		Owner: owner, MerchantID: merchant, From: time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
		Columns: []string{"transactionId", "amount", "createdAt", "method"}, Filters: q.Filters[:1],
	}, got)
}

// SPEC 2.5: malformed requests are 400, those that violate a rule 422. Neither creates a
// job.
func TestBadRequestsAreRejected(t *testing.T) {
	long := make([]string, 10_000)
	for name, c := range map[string]struct {
		change func(*report.Request)
		code   errcodes.Code
	}{
		"no merchant":                {func(q *report.Request) { q.MerchantID = "" }, errcodes.InvalidRequest},
		"a merchant of 129 bytes":    {func(q *report.Request) { q.MerchantID = strings.Repeat("m", 129) }, errcodes.InvalidRequest},
		"no name":                    {func(q *report.Request) { q.Name = " " }, errcodes.InvalidRequest},
		"a name of 201 characters":   {func(q *report.Request) { q.Name = strings.Repeat("é", 201) }, errcodes.InvalidRequest},
		"a name with a NUL":          {func(q *report.Request) { q.Name = "a\x00" }, errcodes.InvalidRequest},
		"no columns":                 {func(q *report.Request) { q.Columns = nil }, errcodes.InvalidRequest},
		"an unknown column":          {func(q *report.Request) { q.Columns = []string{"amounts"} }, errcodes.Unprocessable},
		"a column twice":             {func(q *report.Request) { q.Columns = []string{"amount", "amount"} }, errcodes.Unprocessable},
		"10,000 columns":             {func(q *report.Request) { q.Columns = long }, errcodes.Unprocessable},
		"no start":                   {func(q *report.Request) { q.StartDate = "" }, errcodes.InvalidRequest},
		"30 February":                {func(q *report.Request) { q.StartDate = "2026-02-30" }, errcodes.InvalidRequest},
		"a time":                     {func(q *report.Request) { q.EndDate = "2026-11-20T00:00:00Z" }, errcodes.InvalidRequest},
		"a blank":                    {func(q *report.Request) { q.EndDate = " 2026-11-20" }, errcodes.InvalidRequest},
		"reversed":                   {func(q *report.Request) { q.EndDate = "2026-11-19" }, errcodes.Unprocessable},
		"year 1":                     {func(q *report.Request) { q.StartDate, q.EndDate = "0001-01-01", "0001-01-01" }, errcodes.Unprocessable},
		"year 9999":                  {func(q *report.Request) { q.StartDate, q.EndDate = "9999-12-31", "9999-12-31" }, errcodes.Unprocessable},
		"367 days":                   {func(q *report.Request) { q.StartDate = "2025-11-19" }, errcodes.Unprocessable},
		"an unknown format":          {func(q *report.Request) { q.Format = "pdf" }, errcodes.InvalidRequest},
		"an unknown filter":          {filtered(ports.Filter{Column: "shoe", OneOf: []string{"1"}}), errcodes.Unprocessable},
		"a filter twice":             {filtered(ports.Filter{Column: "code", OneOf: []string{"1"}}, ports.Filter{Column: "code", OneOf: []string{"1"}}), errcodes.Unprocessable},
		"an empty filter":            {filtered(ports.Filter{Column: "code"}), errcodes.Unprocessable},
		"values and a range":         {filtered(ports.Filter{Column: "amount", OneOf: []string{"1"}, From: "1"}), errcodes.Unprocessable},
		"a range of texts":           {filtered(ports.Filter{Column: "code", From: "a"}), errcodes.Unprocessable},
		"a text for a number":        {filtered(ports.Filter{Column: "amount", OneOf: []string{"ten"}}), errcodes.Unprocessable},
		"an exponent":                {filtered(ports.Filter{Column: "amount", From: "1e9999999"}), errcodes.Unprocessable},
		"a bound that is not a time": {filtered(ports.Filter{Column: "createdAt", From: "yesterday"}), errcodes.Unprocessable},
		"an inverted range":          {filtered(ports.Filter{Column: "amount", From: "10", To: "9.99"}), errcodes.Unprocessable},
		"an inverted range of times": {filtered(ports.Filter{Column: "createdAt", From: "2026-11-20T12:00:00Z", To: "2026-11-20T11:59:59.999Z"}), errcodes.Unprocessable},
		"an inverted range of days":  {filtered(ports.Filter{Column: "createdAt", From: "2026-11-21", To: "2026-11-20"}), errcodes.Unprocessable},
		"too many values":            {filtered(ports.Filter{Column: "code", OneOf: make([]string, 1001)}), errcodes.Unprocessable},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			q := asked()
			c.change(&q)
			_, err := r.service.CreateTransactions(t.Context(), owner, q)
			require.ErrorIs(t, err, c.code)
			_, err = r.store.Reports().ClaimReport(t.Context(), "anybody", noon, time.Minute)
			require.ErrorIs(t, err, errcodes.NotFound, "a job was left behind")
		})
	}
}

func filtered(f ...ports.Filter) func(*report.Request) {
	return func(q *report.Request) { q.Filters = f }
}

// An error names the field and its bound.
func TestARequestsErrorNamesItsField(t *testing.T) {
	for want, change := range map[string]func(*report.Request){
		"merchantId must be 1 to 128 bytes of text":       func(q *report.Request) { q.MerchantID = "" },
		"name must be 1 to 200 characters of text":        func(q *report.Request) { q.Name = "" },
		"columns must name at least one column":           func(q *report.Request) { q.Columns = nil },
		"format must be one of csv":                       func(q *report.Request) { q.Format = "pdf" },
		"startDate must be a date such as 2026-11-20":     func(q *report.Request) { q.StartDate = "today" },
		"endDate must be a date such as 2026-11-20":       func(q *report.Request) { q.EndDate = "" },
		"dateRange must be in the years 2000 to 2999":     func(q *report.Request) { q.StartDate = "1999-12-31" },
		"dateRange must not end before it starts":         func(q *report.Request) { q.EndDate = "2026-11-19" },
		"dateRange must not be longer than 366 days":      func(q *report.Request) { q.EndDate = "2027-11-21" },
		`filters on "code" must have at most 1000 values`: filtered(ports.Filter{Column: "code", OneOf: make([]string, 1001)}),
	} {
		q := asked()
		change(&q)
		_, err := newRig(t).service.CreateTransactions(t.Context(), owner, q)
		assert.Equal(t, want, errcodes.MessageOf(err))
	}
}

func TestTheLongestRangeIs366Days(t *testing.T) {
	q := asked()
	q.StartDate = "2025-11-20"
	newRig(t).create(q)
}

// I22, I31: another client cannot find the report.
func TestReportsOfOthersAreNotFound(t *testing.T) {
	r := newRig(t)
	j := r.create(asked())
	require.NoError(t, r.tick())
	for name, call := range map[string]func() error{
		"get":      func() error { _, err := r.service.Get(t.Context(), "beta", j.ID); return err },
		"open":     func() error { _, err := r.service.Open(t.Context(), "beta", j.ID); return err },
		"rows":     func() error { _, _, err := r.service.Rows(t.Context(), "beta", j.ID); return err },
		"link":     func() error { _, _, err := r.service.LinkToken(t.Context(), "beta", j.ID); return err },
		"manifest": func() error { _, err := r.service.Manifest(t.Context(), "beta", j.ID); return err },
		"cancel":   func() error { _, err := r.service.Cancel(t.Context(), "beta", j.ID); return err },
	} {
		require.ErrorIs(t, call(), errcodes.NotFound, name)
	}
}

func TestAListIsNeverTruncated(t *testing.T) {
	for n, few := range map[int]bool{0: true, 1000: true, 1001: false} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			r := newRig(t)
			r.source.rows = transactions(n)
			j := r.create(asked())
			require.NoError(t, r.tick())
			rows, got, err := r.service.Rows(t.Context(), owner, j.ID)
			require.NoError(t, err)
			assert.Equal(t, few, got)
			if few {
				assert.Len(t, rows, n)
			}
			assert.Equal(t, n+1, strings.Count(r.file(j.ID), "\n"))
		})
	}
}

// A report fails if its source violates its contract: rows would be repeated or missing
// unnoticed.
func TestASourceThatViolatesItsContractFailsTheReport(t *testing.T) {
	for name, rows := range map[string][]map[string]string{
		"a row twice":        {transaction(1), transaction(1)},
		"out of order":       {transaction(2), transaction(1)},
		"an id out of order": {transaction(2), transaction(1, "createdAt", transaction(2)["createdAt"])},
		"before the range":   {transaction(1, "createdAt", "2026-11-19T23:59:59.999Z")},
		"after the range":    {transaction(1, "createdAt", "2026-11-21T00:00:00.000Z")},
		"no time":            {transaction(1, "createdAt", "")},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.source.rows = rows
			j := r.create(asked())
			for range report.DefaultMaxAttempts {
				_ = r.tick()
				r.clock.Advance(time.Minute)
			}
			j = r.get(j.ID)
			assert.Equal(t, ports.ReportFailed, j.Status)
			assert.Equal(t, string(errcodes.MalformedAnswer), j.Reason)
			r.nothingUnder(j.ID)
		})
	}
}

func TestASourceThatFailsInTheMiddleIsRetried(t *testing.T) {
	r := newRig(t)
	r.source.rows = transactions(5)
	failures := 1
	r.source.before = func(_ context.Context, row int) error {
		if row == 3 && failures > 0 {
			failures--
			return errcodes.New(errcodes.Unavailable, "down")
		}
		return nil
	}
	j := r.create(asked())
	require.ErrorIs(t, r.tick(), errcodes.Unavailable)
	assert.Equal(t, ports.ReportRunning, r.get(j.ID).Status)
	r.nothingUnder(j.ID)
	r.clock.Advance(time.Second)
	require.NoError(t, r.tick())
	assert.Equal(t, ports.ReportCompleted, r.get(j.ID).Status, "the next attempt mends it")
	assert.Equal(t, 6, strings.Count(r.file(j.ID), "\n"), "no row is doubled")

	failures = 100
	again := r.create(asked())
	for range report.DefaultMaxAttempts {
		_ = r.tick()
		r.clock.Advance(time.Minute)
	}
	again = r.get(again.ID)
	assert.Equal(t, ports.ReportFailed, again.Status)
	assert.Equal(t, string(errcodes.Unavailable), again.Reason)
	r.nothingUnder(again.ID)
}

func TestCancelEndsAReportOnce(t *testing.T) {
	r := newRig(t)
	j := r.create(asked())
	c, err := r.service.Cancel(t.Context(), owner, j.ID)
	require.NoError(t, err)
	assert.Equal(t, ports.ReportFailed, c.Status)
	assert.Equal(t, string(errcodes.Canceled), c.Reason)
	require.NoError(t, r.tick())
	assert.Equal(t, c, r.get(j.ID), "terminal statuses are final (I22)")
	again, err := r.service.Cancel(t.Context(), owner, j.ID)
	require.NoError(t, err)
	assert.Equal(t, c, again)
	r.nothingUnder(j.ID)
}

// The lease of a dead process runs out. Then another one claims the report, at most
// MaxAttempts times in all.
func TestTheReportOfADeadProcessIsTakenOver(t *testing.T) {
	r := newRig(t)
	r.source.rows = transactions(2)
	j := r.create(asked())
	for i := range report.DefaultMaxAttempts {
		_, err := r.store.Reports().ClaimReport(t.Context(), "dead", r.clock.Now(), report.DefaultLease)
		require.NoError(t, err)
		require.NoError(t, r.tick())
		assert.Equal(t, ports.ReportRunning, r.get(j.ID).Status, "its lease holds, attempt %d", i)
		r.clock.Advance(report.DefaultLease)
	}
	require.NoError(t, r.tick())
	j = r.get(j.ID)
	assert.Equal(t, ports.ReportFailed, j.Status)
	assert.Equal(t, string(errcodes.Unavailable), j.Reason)

	once := r.create(asked())
	_, err := r.store.Reports().ClaimReport(t.Context(), "dead", r.clock.Now(), report.DefaultLease)
	require.NoError(t, err)
	r.clock.Advance(report.DefaultLease)
	require.NoError(t, r.another().Tick(t.Context(), r.clock.Now()))
	assert.Equal(t, ports.ReportCompleted, r.get(once.ID).Status)
}
