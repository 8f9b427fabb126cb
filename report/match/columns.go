package match

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// Columns of an unmatched report.
const (
	columnReason     = "reason"
	columnReference  = "reference"
	columnLine       = "settlementLine"
	columnSettledAt  = "settledAt"
	columnLineAmount = "settlementAmount"
	columnCurrency   = "currency"
	columnSum        = "settledSum"
	columnDifference = "difference"
	columnCandidate  = "candidateTransactionId"
	columnWhy        = "candidateMatch"
	columnExpected   = "expectedAmount"
	columnExpectedIn = "expectedCurrency"
	columnAge        = "ageDays"
	columnDetail     = "detail"
)

var columns = []ports.Column{
	{Name: columnReason, Type: ports.ColumnText, Meaning: "why it does not match"},
	{Name: columnReference, Type: ports.ColumnText, Meaning: "the merchant's reference"},
	{Name: columnLine, Type: ports.ColumnInteger, Meaning: "the number of the settlement line; empty for a transaction"},
	{Name: columnSettledAt, Type: ports.ColumnTime, Meaning: "when the line was settled"},
	{Name: columnLineAmount, Type: ports.ColumnMoney, Currency: columnCurrency, Meaning: "the line's amount; empty if it cannot be read"},
	{Name: columnCurrency, Type: ports.ColumnText, Meaning: "the line's currency"},
	{Name: columnSum, Type: ports.ColumnMoney, Currency: columnCurrency, Meaning: "the total settled"},
	{Name: columnDifference, Type: ports.ColumnMoney, Currency: columnCurrency, Meaning: "the sum minus the expected amount"},
	{Name: ports.ColumnTransactionID, Type: ports.ColumnText, Meaning: "the transaction that was not settled"},
	{Name: columnCandidate, Type: ports.ColumnText, Meaning: "the transaction that the line most likely settles"},
	{Name: columnWhy, Type: ports.ColumnText, Meaning: "why: same_reference or similar_reference"},
	{Name: columnExpected, Type: ports.ColumnMoney, Currency: columnExpectedIn, Meaning: "the amount of that transaction"},
	{Name: columnExpectedIn, Type: ports.ColumnText, Meaning: "its currency"},
	{Name: ports.ColumnStatus, Type: ports.ColumnText, Meaning: "its status"},
	{Name: ports.ColumnCreatedAt, Type: ports.ColumnTime, Meaning: "when it was created"},
	{Name: columnAge, Type: ports.ColumnInteger, Meaning: "whole days since the line was settled or the transaction created"},
	{Name: columnDetail, Type: ports.ColumnText, Meaning: "what is wrong with a line that cannot be read"},
}

// Columns returns the columns of an unmatched report. A row is about a settlement line,
// or about a transaction that was not settled.
func Columns() []ports.Column { return slices.Clone(columns) }

// Rows returns the rows of an unmatched report as texts, in the order of [Columns]:
// amounts in major units, times in UTC in the form of ports.ColumnTime, age in whole
// days. A row is valid until the next one. An error of [Run] is yielded last.
func Rows(ctx context.Context, in Input) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		row := make([]string, len(columns))
		_, err := Run(ctx, in, func(u Unmatched) error {
			u.fill(row)
			if !yield(row, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

var errEnough = errors.New("enough")

// fill sets the texts of a row, in the order of columns.
func (u *Unmatched) fill(row []string) {
	clear(row)
	set := func(name, value string) { row[columnAt[name]] = value }
	set(columnReason, string(u.Reason))
	set(columnAge, strconv.FormatInt(int64(u.Age/(24*time.Hour)), 10))
	about := u.Candidate
	if u.Reason == MissingSettlement {
		about = u.Payment
		set(columnReference, u.Payment.Reference)
		set(ports.ColumnTransactionID, u.Payment.ID)
	} else {
		u.fillLine(set)
		set(columnCandidate, u.Candidate.ID)
		set(columnWhy, string(u.CandidateWhy))
	}
	if about.ID != "" {
		set(columnExpected, major(about.Amount, about.Currency))
		set(columnExpectedIn, about.Currency)
		set(ports.ColumnStatus, string(about.Status))
		set(ports.ColumnCreatedAt, instantText(about.CreatedAt))
	}
	if u.Reason == AmountMismatch || u.Reason == DuplicateSettlement {
		set(columnSum, major(u.Settled, u.Line.Currency))
		set(columnDifference, major(u.Difference, u.Line.Currency))
	}
}

func (u *Unmatched) fillLine(set func(name, value string)) {
	set(columnReference, u.Line.Reference)
	set(columnLine, strconv.FormatInt(u.Line.Line, 10))
	set(columnSettledAt, instantText(u.Line.At))
	set(columnCurrency, u.Line.Currency)
	set(columnDetail, u.Detail)
	if u.Line.Bad == "" || u.Line.HasAmount {
		set(columnLineAmount, major(u.Line.Amount, u.Line.Currency))
	}
}

func instantText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return ports.FormatTime(t)
}

var columnAt = func() map[string]int {
	m := make(map[string]int, len(columns))
	for i := range columns {
		m[columns[i].Name] = i
	}
	return m
}()

// major returns minor units as decimal text in major units, or unchanged if the currency
// is unknown.
func major(amount int64, code string) string {
	text, err := ports.FormatMinor(amount, code)
	if err != nil {
		return strconv.FormatInt(amount, 10)
	}
	return text
}
