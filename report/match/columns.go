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
	{Name: columnLine, Type: ports.ColumnInteger, Meaning: "the line's place in what was settled; none for a transaction"},
	{Name: columnSettledAt, Type: ports.ColumnTime, Meaning: "when the line was settled"},
	{Name: columnLineAmount, Type: ports.ColumnMoney, Currency: columnCurrency, Meaning: "the line's amount; none where it cannot be read"},
	{Name: columnCurrency, Type: ports.ColumnText, Meaning: "the line's currency"},
	{Name: columnSum, Type: ports.ColumnMoney, Currency: columnCurrency, Meaning: "what has been settled in all"},
	{Name: columnDifference, Type: ports.ColumnMoney, Currency: columnCurrency, Meaning: "the sum less the expected amount"},
	{Name: ports.ColumnTransactionID, Type: ports.ColumnText, Meaning: "the transaction that was not settled"},
	{Name: columnCandidate, Type: ports.ColumnText, Meaning: "the transaction that the line is nearest to"},
	{Name: columnWhy, Type: ports.ColumnText, Meaning: "what speaks for it: same_reference, similar_reference"},
	{Name: columnExpected, Type: ports.ColumnMoney, Currency: columnExpectedIn, Meaning: "the amount of that transaction"},
	{Name: columnExpectedIn, Type: ports.ColumnText, Meaning: "its currency"},
	{Name: ports.ColumnStatus, Type: ports.ColumnText, Meaning: "its status"},
	{Name: ports.ColumnCreatedAt, Type: ports.ColumnTime, Meaning: "its creation"},
	{Name: columnAge, Type: ports.ColumnInteger, Meaning: "whole days since the line was settled or the transaction created"},
	{Name: columnDetail, Type: ports.ColumnText, Meaning: "what is wrong with a line that cannot be read"},
}

// Columns lists what an unmatched report may hold. A row is about a
// settlement line, or about a transaction that was not settled.
func Columns() []ports.Column { return slices.Clone(columns) }

// Rows streams what does not match as texts, in the order of [Columns]: amounts in
// major units, times in UTC as ports.ColumnTime has them, whole days of age. A row is
// valid until the next. An error of [Run] is the last that it yields.
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

// fill writes the texts of a row, in the order of columns.
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

// major writes minor units as decimal text: whole ones if the currency is unknown.
func major(amount int64, code string) string {
	text, err := ports.FormatMinor(amount, code)
	if err != nil {
		return strconv.FormatInt(amount, 10)
	}
	return text
}
