package report_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

const owner = "acme"

// source returns its own rows.
type source struct{ rows []map[string]string }

func (s *source) Columns() []ports.Column {
	return slices.Clone([]ports.Column{
		{Name: "transactionId", Type: ports.ColumnText}, {Name: "merchantReference", Type: ports.ColumnText},
		{Name: "status", Type: ports.ColumnText}, {Name: "direction", Type: ports.ColumnText},
		{Name: "amount", Type: ports.ColumnMoney, Currency: "currency"}, {Name: "currency", Type: ports.ColumnText},
		{Name: "method", Type: ports.ColumnText}, {Name: "connector", Type: ports.ColumnText},
		{Name: "code", Type: ports.ColumnText}, {Name: "createdAt", Type: ports.ColumnTime},
	})
}

func (*source) Applies(ports.Filter) bool { return false }

func (*source) AsOf(_ context.Context, now time.Time) (time.Time, error) { return now, nil }

func (s *source) Rows(_ context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		for _, values := range s.rows {
			row := make([]string, len(q.Columns))
			for c, name := range q.Columns {
				row[c] = values[name]
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

func transactions(n int) []map[string]string {
	rows := make([]map[string]string, n)
	for i := range rows {
		rows[i] = map[string]string{
			"transactionId": fmt.Sprintf("tx-%04d", i), "merchantReference": fmt.Sprintf("order-%d", i), "status": "SUCCEEDED",
			"direction": "payin", "amount": fmt.Sprintf("%d.50", i), "currency": "ZAR", "method": "card", "connector": "paystack",
			"createdAt": noon.Add(time.Duration(i) * time.Second).Format(ports.TimeLayout),
		}
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

func asked() report.Request {
	return report.Request{
		MerchantID: "merchant-1", Name: "November", Columns: []string{"transactionId", "amount"}, StartDate: "2026-11-20", EndDate: "2026-11-20",
	}
}
