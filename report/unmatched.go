package report

import (
	"context"
	"iter"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report/match"
)

// unmatched opens the rows of an unmatched report.
func (s *Service) unmatched(ctx context.Context, rec *ports.ReportJob) (content, error) {
	now := s.cfg.Clock.Now()
	settled, err := s.ports.Settlements.AsOf(ctx, now)
	if err != nil {
		return content{}, err
	}
	created, err := s.ports.Transactions.AsOf(ctx, now)
	if err != nil {
		return content{}, err
	}
	payments, err := s.payments(ctx, rec)
	if err != nil {
		return content{}, err
	}
	columns := match.Columns()
	here, err := filters{}.all(rec.Request.Filters, columns)
	if err != nil {
		return content{}, err
	}
	asOf := ports.Millis(earliest(settled, created))
	in := match.Input{
		Lines: ofTheDays(s.ports.Settlements.Lines(ctx, ports.RowQuery{
			Owner: rec.Owner, MerchantID: rec.Request.MerchantID,
			From: rec.Request.From.Add(-s.policy.SettleWithin), Until: rec.Request.Until().Add(s.policy.SettleWithin),
		}), rec),
		Payments: payments,
		Range:    match.Range{From: rec.Request.From, Until: rec.Request.Until(), Due: settled.Add(-s.policy.SettleWithin), AsOf: asOf},
		Policy:   match.Policy{Tolerance: s.policy.Tolerance},
		Limits:   match.Limits{MemoryBytes: s.cfg.Memory, Scratch: s.ports.Scratch},
	}
	rows := projected(here.passing(match.Rows(ctx, in), len(columns)), columns, rec.Request.Columns)
	return content{describe(rec.Request.Columns, columns), rows, asOf}, nil
}

// ofTheDays drops bad lines that are known to be outside the reported days. More days are
// read than reported, and no payment can match a bad line.
func ofTheDays(lines iter.Seq2[ports.SettlementLine, error], rec *ports.ReportJob) iter.Seq2[ports.SettlementLine, error] {
	return func(yield func(ports.SettlementLine, error) bool) {
		for l, err := range lines {
			other := l.Bad != "" && !l.At.IsZero() && (l.At.Before(rec.Request.From) || !l.At.Before(rec.Request.Until()))
			if (err != nil || !other) && !yield(l, err) {
				return
			}
		}
	}
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// paymentColumns are the columns that matching needs.
var paymentColumns = []string{
	ports.ColumnTransactionID, ports.ColumnMerchantReference, ports.ColumnStatus, ports.ColumnAmount, ports.ColumnCurrency,
	ports.ColumnCreatedAt, ports.ColumnDirection,
}

// settledDirections returns the filter for transactions that settlements contain.
func (p Policy) settledDirections() ports.Filter {
	f := ports.Filter{Column: ports.ColumnDirection}
	for _, d := range p.Directions {
		f.OneOf = append(f.OneOf, string(d))
	}
	if len(f.OneOf) == 0 {
		f.OneOf = []string{string(errcodes.Payin)}
	}
	return f
}

// payments streams the transactions that a report's settlement lines may settle: those of
// the reported days, and earlier ones that may be settled within them.
func (s *Service) payments(ctx context.Context, rec *ports.ReportJob) (iter.Seq2[match.Payment, error], error) {
	q := ports.RowQuery{
		Owner: rec.Owner, MerchantID: rec.Request.MerchantID, Columns: paymentColumns,
		From: rec.Request.From.Add(-s.policy.SettleWithin), Until: rec.Request.Until(),
	}
	var here filters
	if settled := s.policy.settledDirections(); s.ports.Transactions.Applies(settled) {
		q.Filters = []ports.Filter{settled}
	} else {
		var err error
		if here, err = here.and(settled, q.Columns, s.columns); err != nil {
			return nil, err
		}
	}
	rows := here.passing(ordered(ctx, s.ports.Transactions.Rows(ctx, q), &q), len(q.Columns))
	return func(yield func(match.Payment, error) bool) {
		for row, err := range rows {
			var p match.Payment
			if err == nil {
				p, err = payment(row)
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}, nil
}

func payment(row []string) (match.Payment, error) {
	amount, noAmount := ports.ParseMinor(row[3], row[4])
	at, noTime := time.Parse(ports.TimeLayout, row[5])
	if noAmount != nil || noTime != nil {
		return match.Payment{}, disordered("The source returned an amount or a time that is malformed")
	}
	return match.Payment{
		ID: row[0], Reference: row[1], Status: ports.TransactionStatus(row[2]), Amount: amount, Currency: row[4], CreatedAt: at,
	}, nil
}
