package sandbox

import (
	"context"
	"iter"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// Settlements is a [ports.SettlementSource]. Every line has a time, bad ones included.
type Settlements struct{ books *Books }

// slowest is the longest time from a transaction to its last line.
const slowest = 3 * oneDay

// AsOf returns the clock's time, but at most now.
func (s *Settlements) AsOf(ctx context.Context, now time.Time) (time.Time, error) {
	return s.books.asOf(now), ctx.Err()
}

// Lines streams the settlements in the order of the days of their transactions.
func (s *Settlements) Lines(ctx context.Context, q ports.RowQuery) iter.Seq2[ports.SettlementLine, error] {
	return func(yield func(ports.SettlementLine, error) bool) {
		until := q.Until
		if next := s.books.clock.Now().Add(1); next.Before(until) {
			until = next
		}
		for d := range s.books.days(q.Owner, q.From.Add(-slowest), until) {
			if !d.settlements(ctx, q.From, until, yield) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(ports.SettlementLine{}, err)
		}
	}
}

// settlements returns the lines of the day's transactions; false ends the stream.
func (d *day) settlements(ctx context.Context, from, until time.Time, yield func(ports.SettlementLine, error) bool) bool {
	var lines []ports.SettlementLine
	for i := range d.count {
		if err := ctx.Err(); err != nil {
			yield(ports.SettlementLine{}, err)
			return false
		}
		t := d.transaction(i)
		lines = t.lines(lines[:0])
		for n, l := range lines {
			l.Line = lineNumber(d.number, i, n)
			if !l.At.Before(from) && l.At.Before(until) && !yield(l, nil) {
				return false
			}
		}
	}
	return true
}

// lineNumber allows 2^22 transactions a day with three lines each.
func lineNumber(day, i int64, n int) int64 { return day<<24 | i<<2 | int64(n) + 1 }

const halfDay = oneDay / 2

// lines appends the lines of the transaction.
func (t *transaction) lines(out []ports.SettlementLine) []ports.SettlementLine {
	whole := ports.SettlementLine{Reference: t.reference(), Amount: t.amount, Currency: t.market.currency, At: t.settleAt}
	switch t.deviation {
	case neverSettled:
		return out
	case unknownReference:
		unknown := whole
		unknown.Reference += "-X"
		return append(out, whole, unknown)
	case settledLess:
		return append(out, withAmount(whole, t.amount-max(1, t.amount/50), 0))
	case settledElsewhere:
		whole.Currency = otherCurrency(whole.Currency)
		return append(out, whole)
	case settledThoughFailed:
		return append(out, whole)
	case settledTwice:
		return append(out, whole, withAmount(whole, t.amount, halfDay))
	case settledInParts:
		return append(out, withAmount(whole, t.amount/3, 0), withAmount(whole, t.amount-t.amount/3, halfDay))
	case settledAgain:
		return append(out, whole, withAmount(whole, -t.amount, halfDay/2), withAmount(whole, t.amount, halfDay))
	case unreadableLine:
		return append(out, whole, ports.SettlementLine{Currency: whole.Currency, At: whole.At, Bad: "no reference and no amount"})
	case noDeviation:
	}
	if t.status == ports.TransactionSucceeded {
		return append(out, whole)
	}
	return out
}

func withAmount(l ports.SettlementLine, amount int64, later time.Duration) ports.SettlementLine {
	l.Amount, l.At = amount, l.At.Add(later)
	return l
}

func otherCurrency(currency string) string {
	if currency == "USD" {
		return "EUR"
	}
	return "USD"
}
