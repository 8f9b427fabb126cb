package report_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/report"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

const (
	owner    = "acme"
	merchant = "merchant-1"
)

// columns are the columns of every source.
var columns = []ports.Column{
	{Name: "transactionId", Type: ports.ColumnText}, {Name: "merchantReference", Type: ports.ColumnText},
	{Name: "status", Type: ports.ColumnText}, {Name: "direction", Type: ports.ColumnText},
	{Name: "amount", Type: ports.ColumnMoney, Currency: "currency"}, {Name: "currency", Type: ports.ColumnText},
	{Name: "method", Type: ports.ColumnText}, {Name: "connector", Type: ports.ColumnText},
	{Name: "code", Type: ports.ColumnText}, {Name: "createdAt", Type: ports.ColumnTime},
}

// source returns its rows, or fails where the test says.
type source struct {
	rows    []map[string]string
	applies func(ports.Filter) bool
	before  func(ctx context.Context, row int) error // called before each row and after the last
	mu      sync.Mutex
	queries []ports.RowQuery
}

func (s *source) Columns() []ports.Column { return slices.Clone(columns) }

func (s *source) Applies(f ports.Filter) bool { return s.applies != nil && s.applies(f) }

func (s *source) AsOf(_ context.Context, now time.Time) (time.Time, error) { return now, nil }

func (s *source) Rows(ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
	s.mu.Lock()
	s.queries = append(s.queries, q)
	s.mu.Unlock()
	return func(yield func([]string, error) bool) {
		for i := range len(s.rows) + 1 {
			if s.before != nil {
				if err := s.before(ctx, i); err != nil {
					yield(nil, err)
					return
				}
			}
			if i == len(s.rows) {
				return
			}
			row := make([]string, len(q.Columns))
			for c, name := range q.Columns {
				row[c] = s.rows[i][name]
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// transaction returns a row of the source.
func transaction(i int, more ...string) map[string]string {
	row := map[string]string{
		"transactionId": fmt.Sprintf("tx-%04d", i), "merchantReference": fmt.Sprintf("order-%d", i), "status": "SUCCEEDED",
		"direction": "payin", "amount": fmt.Sprintf("%d.50", i), "currency": "ZAR", "method": "card", "connector": "paystack",
		"createdAt": noon.Add(time.Duration(i) * time.Second).Format(ports.TimeLayout),
	}
	for j := 0; j+1 < len(more); j += 2 {
		row[more[j]] = more[j+1]
	}
	return row
}

func transactions(n int) []map[string]string {
	rows := make([]map[string]string, n)
	for i := range rows {
		rows[i] = transaction(i)
	}
	return rows
}

// lines is a writer of an easily read format: fields separated by |.
type lines struct{}

func (lines) Format() string      { return "csv" }
func (lines) ContentType() string { return "text/csv" }
func (lines) Begin(w io.Writer, columns []ports.Column) (ports.RowWriter, error) {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}
	l := lineWriter{w}
	return l, l.Write(names)
}

type lineWriter struct{ w io.Writer }

func (l lineWriter) Write(row []string) error {
	_, err := io.WriteString(l.w, strings.Join(row, "|")+"\n")
	return err
}

func (lineWriter) Close() error { return nil }

// rig is a service with its ports.
type rig struct {
	t       *testing.T
	service *report.Service
	store   *memory.Store
	source  *source
	files   ports.ReportFiles
	clock   *portstest.Clock
	faults  map[string]error
	ended   []ports.ReportStatus
	config  report.Config
}

func newRig(t *testing.T, tune ...func(*report.Config)) *rig {
	t.Helper()
	r := &rig{t: t, source: &source{}, files: fake.NewFiles(), clock: portstest.NewClock(noon), faults: map[string]error{}}
	store, err := memory.New(&memory.Config{Faults: func(point string) error {
		err := r.faults[point]
		delete(r.faults, point)
		return err
	}})
	require.NoError(t, err)
	r.store = store
	r.config = report.Config{
		Clock: r.clock, LinkKey: []byte(strings.Repeat("k", 32)),
		Hooks: report.Hooks{Ended: func(_ context.Context, j ports.ReportJob, _ time.Duration) { r.ended = append(r.ended, j.Status) }},
	}
	for _, f := range tune {
		f(&r.config)
	}
	r.service = r.another()
	return r
}

// another returns a service of another process.
func (r *rig) another() *report.Service {
	r.t.Helper()
	s, err := report.New(report.Ports{
		Reports: r.store.Reports(), Transactions: r.source, Writers: []ports.ReportWriter{lines{}}, Files: r.files,
		Scratch: fake.NewScratch(),
	}, report.Policy{}, &r.config)
	require.NoError(r.t, err)
	return s
}

func asked() report.Request {
	return report.Request{
		MerchantID: merchant, Name: "November", Columns: []string{"transactionId", "amount"}, StartDate: "2026-11-20", EndDate: "2026-11-20",
	}
}

func (r *rig) create(q report.Request) ports.ReportJob {
	r.t.Helper()
	j, err := r.service.CreateTransactions(r.t.Context(), owner, q)
	require.NoError(r.t, err)
	return j
}

func (r *rig) get(id string) ports.ReportJob {
	r.t.Helper()
	j, err := r.service.Get(r.t.Context(), owner, id)
	require.NoError(r.t, err)
	return j
}

func (r *rig) tick() error { return r.service.Tick(r.t.Context(), r.clock.Now()) }

// file returns the content of the report's file.
func (r *rig) file(id string) string {
	r.t.Helper()
	f, err := r.service.Open(r.t.Context(), owner, id)
	require.NoError(r.t, err)
	text, err := io.ReadAll(f)
	require.NoError(r.t, err)
	require.NoError(r.t, f.Close())
	return string(text)
}

func (r *rig) nothingUnder(id string) {
	r.t.Helper()
	for attempt := range report.DefaultMaxAttempts + 1 {
		r.nothingOf(id, attempt+1)
	}
}

func (r *rig) nothingOf(id string, attempt int) {
	r.t.Helper()
	for _, name := range []string{"report.csv", "manifest.json", "rows.jsonl"} {
		_, err := r.files.Open(r.t.Context(), fmt.Sprintf("%s/%d/%s", id, attempt, name))
		require.ErrorIs(r.t, err, errcodes.NotFound, name)
	}
}

var points = map[string]string{"before commit": memory.BeforeCommit, "after commit": memory.AfterCommit}
