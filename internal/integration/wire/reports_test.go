package wire_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

// noReports is a service that always fails.
type noReports struct{ err error }

func (n noReports) CreateTransactions(context.Context, string, report.Request) (ports.ReportJob, error) {
	return ports.ReportJob{}, n.err
}

func (n noReports) CreateUnmatched(context.Context, string, report.Request) (ports.ReportJob, error) {
	return ports.ReportJob{}, n.err
}

func (n noReports) Get(context.Context, string, string) (ports.ReportJob, error) {
	return ports.ReportJob{}, n.err
}

func (n noReports) Rows(context.Context, string, string) ([]json.RawMessage, bool, error) {
	return nil, false, n.err
}

func (n noReports) LinkToken(context.Context, string, string) (string, time.Time, error) {
	return "", time.Time{}, n.err
}

func (n noReports) OpenLink(context.Context, string) (report.File, error) {
	return report.File{}, n.err
}

// fewRows is a source of some transactions of the day, with one column each.
type fewRows int

func (fewRows) Columns() []ports.Column {
	var columns []ports.Column
	for name := range strings.FieldsSeq("transactionId merchantReference status direction currency method connector code") {
		columns = append(columns, ports.Column{Name: name, Type: ports.ColumnText})
	}
	return append(columns, ports.Column{Name: "amount", Type: ports.ColumnMoney, Currency: "currency"},
		ports.Column{Name: "createdAt", Type: ports.ColumnTime})
}

func (fewRows) Applies(ports.Filter) bool { return false }

func (fewRows) AsOf(_ context.Context, now time.Time) (time.Time, error) { return now, nil }

func (n fewRows) Rows(_ context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		for i := range int(n) {
			row := make([]string, len(q.Columns))
			for c, name := range q.Columns {
				if row[c] = "é"; name == "createdAt" {
					row[c] = q.From.Add(time.Duration(i) * time.Second).Format(ports.TimeLayout)
				}
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

type textWriter struct{}

func (textWriter) Format() string      { return "csv" }
func (textWriter) ContentType() string { return "text/csv; charset=utf-8" }
func (textWriter) Begin(w io.Writer, _ []ports.Column) (ports.RowWriter, error) {
	return textRows{w}, nil
}

type textRows struct{ w io.Writer }

func (t textRows) Write(row []string) error {
	_, err := io.WriteString(t.w, strings.Join(row, ",")+"\n")
	return err
}

func (textRows) Close() error { return nil }

// reports returns a house whose source has the number of rows.
func reports(t testing.TB, p place, rows int) *house {
	t.Helper()
	return newHouse(t, p, httpserver.Config{PublicURL: "https://pay.example"}, func(h *house) { h.rows = rows })
}

const reportBody = `{"merchantId":"0d9c1a52-6a67-4b1c-8a55-0c7b8f7d2f10","name":"Novémber","columns":["status","createdAt"],` +
	`"parameters":{"dateRange":{"startDate":"2026-11-20","endDate":"2026-11-20"}},"filters":null}`

// The test covers SPEC 4.5 and the related routes.
func TestAReportIsCreatedAndDownloadedOverHTTP(t *testing.T) {
	at(t, aReportIsCreatedAndDownloadedOverHTTP, shared)
}

func aReportIsCreatedAndDownloadedOverHTTP(t *testing.T, p place) {
	a := reports(t, p, 2)
	w := a.do(post("/v1/reports/transactions", "tok-acme", reportBody))
	require.Equal(t, 201, w.Code, w.Body)
	var job map[string]any
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &job))
	id := job["id"].(string)
	assert.Equal(t, map[string]any{
		"id": id, "status": "RUNNING", "name": "Novémber", "type": "transactions",
		"createdAt": "2026-11-20T15:00:00.000Z", "updatedAt": "2026-11-20T15:00:00.000Z",
	}, job)
	get := request{method: "GET", path: "/v1/reports/transactions/" + id, token: "tok-acme"}
	for range p.servers {
		assert.Equal(t, w.Body.String(), a.do(get).Body.String())
	}

	a.clock.Advance(time.Second)
	require.NoError(t, a.next().reports.Tick(t.Context(), a.clock.Now()))
	for range p.servers {
		require.NoError(t, json.Unmarshal(a.do(get).Body.Bytes(), &job))
		assert.Equal(t, "COMPLETED", job["status"], "wherever it is asked for")
	}
	assert.Equal(t, "2026-11-20T15:00:01.000Z", job["generatedAt"])
	assert.Equal(t, []any{
		map[string]any{"status": "é", "createdAt": "2026-11-20T00:00:00.000Z"}, map[string]any{"status": "é", "createdAt": "2026-11-20T00:00:01.000Z"},
	}, job["rows"])
	url := job["downloadUrl"].(string)
	path, ok := strings.CutPrefix(url, "https://pay.example")
	require.True(t, ok, url)

	download := request{method: "GET", path: path}
	w = a.do(download)
	const file = "é,2026-11-20T00:00:00.000Z\né,2026-11-20T00:00:01.000Z\n"
	assert.Equal(t, 200, w.Code)
	assert.Equal(t, file, w.Body.String())
	for name, want := range map[string]string{
		"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": `attachment; filename="transactions-2026-11-20-2026-11-20.csv"`,
		"X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-store", "Accept-Ranges": "bytes",
	} {
		assert.Equal(t, want, w.Header().Get(name), name)
	}
	w = a.do(download.with("Range", "bytes=3-12"))
	assert.Equal(t, 206, w.Code)
	assert.Equal(t, file[3:13], w.Body.String())
	assert.Equal(t, 416, a.do(download.with("Range", "bytes=999-")).Code)
	assert.Equal(t, 304, a.do(download.with("If-None-Match", w.Header().Get("Etag"))).Code)

	for name, q := range map[string]request{
		"another client's":    {method: "GET", path: get.path, token: "tok-beta"},
		"of the other kind":   {method: "GET", path: "/v1/reports/unmatched-settlements/" + id, token: "tok-acme"},
		"an altered link":     {method: "GET", path: path[:len(path)-3] + "AAA"},
		"no link":             {method: "GET", path: "/v1/reports/files/x"},
		"below the link":      {method: "GET", path: path + "/x", token: "tok-acme"},
		"an unknown report":   {method: "GET", path: "/v1/reports/transactions/rep_x", token: "tok-acme"},
		"no settlements":      post("/v1/reports/unmatched-settlements", "tok-acme", reportBody),
		"the folder of links": {method: "GET", path: "/v1/reports/files/", token: "tok-acme"},
	} {
		assert.Equal(t, 404, a.do(q).Code, name)
	}
	assert.Equal(t, 401, a.do(request{method: "GET", path: get.path}).Code)
	assert.Equal(t, 401, a.do(request{method: "GET", path: "/v1/reports/files/"}).Code)
	assert.Equal(t, 405, a.do(post(path, "", "")).Code)
	a.clock.Advance(15 * time.Minute)
	assert.Equal(t, 404, a.do(download).Code, "the link has expired")
}

func TestManyRowsAreNotInline(t *testing.T) { at(t, manyRowsAreNotInline, shared) }

func manyRowsAreNotInline(t *testing.T, p place) {
	a := reports(t, p, 1001)
	w := a.do(post("/v1/reports/transactions?format=csv", "tok-acme", reportBody))
	require.NoError(t, a.next().reports.Tick(t.Context(), a.clock.Now()))
	var job map[string]any
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &job))
	require.NoError(t, json.Unmarshal(a.do(request{method: "GET", path: "/v1/reports/transactions/" + job["id"].(string), token: "tok-acme"}).Body.Bytes(), &job))
	assert.NotContains(t, job, "rows")
	assert.NotEmpty(t, job["downloadUrl"])
}

// The file is larger than the buffers of a connection.
func TestALargeFileCanBeDownloaded(t *testing.T) { at(t, aLargeFileCanBeDownloaded, shared) }

func aLargeFileCanBeDownloaded(t *testing.T, p place) {
	a := reports(t, p, 80_000)
	w := a.do(post("/v1/reports/transactions", "tok-acme", reportBody))
	require.Equal(t, 201, w.Code)
	var job map[string]any
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &job))
	require.NoError(t, a.next().reports.Tick(t.Context(), a.clock.Now()))
	j, err := a.next().reports.Get(t.Context(), "acme", job["id"].(string))
	require.NoError(t, err)
	require.Equal(t, ports.ReportCompleted, j.Status)
	token, _, err := a.next().reports.LinkToken(t.Context(), "acme", j.ID)
	require.NoError(t, err)
	srv := httptest.NewServer(a.h)
	defer srv.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+"/v1/reports/files/"+token, nil)
	require.NoError(t, err)
	answer, err := srv.Client().Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, answer.Body)
	require.NoError(t, err)
	assert.Equal(t, j.FileSize, n)
	assert.Equal(t, j.FileSHA256, hex.EncodeToString(sum.Sum(nil)))
}
