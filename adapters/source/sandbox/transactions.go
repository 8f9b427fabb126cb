package sandbox

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Transactions is a [ports.TransactionSource]. It applies filters by texts.
type Transactions struct{ books *Books }

// column is a column, with the transaction's text for it at now.
type column struct {
	ports.Column

	text func(t *transaction, now time.Time) string
}

var columns = []column{
	{text(ports.ColumnTransactionID, "the transaction's id"), func(t *transaction, _ time.Time) string { return "sbx-" + t.name }},
	{text(ports.ColumnMerchantReference, "the merchant's own reference"), func(t *transaction, _ time.Time) string { return t.reference() }},
	{text(ports.ColumnStatus, "PENDING, SUCCEEDED, FAILED or ERRORED"), func(t *transaction, now time.Time) string {
		status, _ := t.statusAt(now)
		return string(status)
	}},
	{text(ports.ColumnDirection, "payin or payout"), func(t *transaction, _ time.Time) string { return string(t.direction) }},
	{
		ports.Column{Name: ports.ColumnAmount, Type: ports.ColumnMoney, Currency: ports.ColumnCurrency, Meaning: "the amount in major units"},
		func(t *transaction, _ time.Time) string { return major(t) },
	},
	{text(ports.ColumnCurrency, "the amount's currency, ISO 4217"), func(t *transaction, _ time.Time) string { return t.market.currency }},
	{text(ports.ColumnMethod, "card, mobile_money or bank_transfer"), func(t *transaction, _ time.Time) string { return t.rail.method }},
	{text(ports.ColumnConnector, "the provider"), func(t *transaction, _ time.Time) string { return t.rail.connector }},
	{text(ports.ColumnCode, "why it failed or errored"), func(t *transaction, now time.Time) string {
		_, code := t.statusAt(now)
		return string(code)
	}},
	{
		ports.Column{Name: ports.ColumnCreatedAt, Type: ports.ColumnTime, Meaning: "when it was created, UTC"},
		func(t *transaction, _ time.Time) string { return ports.FormatTime(t.createdAt) },
	},
}

func text(name, meaning string) ports.Column {
	return ports.Column{Name: name, Type: ports.ColumnText, Meaning: meaning}
}

func (t *transaction) reference() string { return "ORD-" + t.name }

// major returns the amount in major units; every market's currency has minor units.
func major(t *transaction) string {
	text, _ := ports.FormatMinor(t.amount, t.market.currency)
	return text
}

// Columns returns the ten columns that every source has.
func (*Transactions) Columns() []ports.Column {
	out := make([]ports.Column, 0, len(columns))
	for _, c := range columns {
		out = append(out, c.Column)
	}
	return out
}

// Applies reports whether f lists texts of a text column.
func (*Transactions) Applies(f ports.Filter) bool {
	i := columnIndex(f.Column)
	return i >= 0 && columns[i].Type == ports.ColumnText && len(f.OneOf) > 0 && f.From == "" && f.To == ""
}

func columnIndex(name string) int {
	return slices.IndexFunc(columns, func(c column) bool { return c.Name == name })
}

// AsOf returns the clock's time, but at most now.
func (s *Transactions) AsOf(ctx context.Context, now time.Time) (time.Time, error) {
	return s.books.asOf(now), ctx.Err()
}

// Rows streams the owner's transactions. An unknown column, or a filter that is not
// applied, is [errcodes.InvalidRequest].
func (s *Transactions) Rows(ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		query, err := s.query(q)
		if err != nil {
			yield(nil, err)
			return
		}
		for d := range s.books.days(q.Owner, q.From, query.until) {
			if !query.day(ctx, &d, yield) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// query is a query in progress.
type query struct {
	now, from, until time.Time
	columns          []column
	filters          []filter
	row              []string
}

type filter struct {
	column column
	texts  []string
}

func (s *Transactions) query(q ports.RowQuery) (*query, error) {
	l := &query{now: s.books.clock.Now(), from: q.From, until: q.Until}
	if next := l.now.Add(1); next.Before(l.until) {
		l.until = next
	}
	for _, name := range q.Columns {
		i := columnIndex(name)
		if i < 0 {
			return nil, errcodes.New(errcodes.InvalidRequest, fmt.Sprintf("unknown column %.64q", name))
		}
		l.columns = append(l.columns, columns[i])
	}
	for _, f := range q.Filters {
		if !s.Applies(f) {
			return nil, errcodes.New(errcodes.InvalidRequest, fmt.Sprintf("the source does not apply this filter on column %.64q", f.Column))
		}
		l.filters = append(l.filters, filter{columns[columnIndex(f.Column)], f.OneOf})
	}
	l.row = make([]string, len(l.columns))
	return l, nil
}

// day returns the rows of one day; false ends the stream.
func (l *query) day(ctx context.Context, d *day, yield func([]string, error) bool) bool {
	for i := range d.count {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return false
		}
		t := d.transaction(i)
		if !t.createdAt.Before(l.until) {
			return true
		}
		if t.createdAt.Before(l.from) || !l.keeps(&t) {
			continue
		}
		for j, c := range l.columns {
			l.row[j] = c.text(&t, l.now)
		}
		if !yield(l.row, nil) {
			return false
		}
	}
	return true
}

func (l *query) keeps(t *transaction) bool {
	for _, f := range l.filters {
		if !slices.Contains(f.texts, f.column.text(t, l.now)) {
			return false
		}
	}
	return true
}
