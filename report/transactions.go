package report

import (
	"context"
	"iter"
	"slices"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// transactions opens the rows of a transactions report.
func (s *Service) transactions(ctx context.Context, rec *ports.ReportJob) (content, error) {
	asOf, err := s.ports.Transactions.AsOf(ctx, s.cfg.Clock.Now())
	if err != nil {
		return content{}, err
	}
	r := &rec.Request
	q := ports.RowQuery{
		Owner: rec.Owner, MerchantID: r.MerchantID, From: r.From, Until: r.Until(), Columns: slices.Clone(r.Columns),
	}
	q.Columns = with(q.Columns, ports.ColumnCreatedAt)
	q.Columns = with(q.Columns, ports.ColumnTransactionID)
	var here filters
	for _, f := range r.Filters {
		if whole, ok := s.applied(f); ok {
			q.Filters = append(q.Filters, whole)
			continue
		}
		q.Columns = with(q.Columns, f.Column)
		if here, err = here.and(f, q.Columns, s.columns); err != nil {
			return content{}, err
		}
	}
	rows := ordered(ctx, s.ports.Transactions.Rows(ctx, q), &q)
	return content{describe(r.Columns, s.columns), here.passing(rows, len(r.Columns)), ports.Millis(asOf)}, nil
}

// applied returns the filter in the form for the source, and reports whether the source
// applies it.
func (s *Service) applied(f ports.Filter) (ports.Filter, bool) {
	whole, ok := exact(f, s.columns[find(s.columns, f.Column)].Type)
	return whole, ok && s.ports.Transactions.Applies(whole)
}

// ordered checks that the source returns each row once, in order and within the range.
// Otherwise it yields [errcodes.MalformedAnswer]: the report would repeat or lack rows
// unnoticed.
func ordered(ctx context.Context, rows iter.Seq2[[]string, error], q *ports.RowQuery) iter.Seq2[[]string, error] {
	at, id := slices.Index(q.Columns, ports.ColumnCreatedAt), slices.Index(q.Columns, ports.ColumnTransactionID)
	from, until := ports.FormatTime(q.From), ports.FormatTime(q.Until)
	return func(yield func([]string, error) bool) {
		var lastAt, lastID string
		for row, err := range rows {
			switch {
			case err != nil:
			case ctx.Err() != nil: // also checked while no row passes the filters
				err = context.Cause(ctx)
			case len(row) != len(q.Columns):
				err = disordered("The source returned a row with a wrong number of columns")
			case len(row[at]) != len(ports.TimeLayout) || row[at] < from || row[at] >= until:
				err = disordered("The source returned a row outside the range")
			case row[at] < lastAt || row[at] == lastAt && row[id] <= lastID:
				err = disordered("The source returned rows twice or out of order")
			default:
				lastAt, lastID = row[at], row[id]
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

func disordered(message string) error { return errcodes.New(errcodes.MalformedAnswer, message) }
