package ports

import (
	"context"
	"iter"
	"time"
)

// ColumnType says how the texts of a report's column are to be read. A report's
// values are texts, so that no decimal is ever rounded; "" is no value.
type ColumnType string

// The types.
const (
	ColumnText    ColumnType = "text"
	ColumnInteger ColumnType = "integer" // digits, with a minus in front when below zero; within int64
	ColumnMoney   ColumnType = "money"   // plain decimal text in major units; Column.Currency tells of what
	ColumnTime    ColumnType = "time"    // RFC 3339 in UTC with milliseconds: 2026-11-20T15:00:00.000Z
)

// Column describes a column of a report.
type Column struct {
	Name     string
	Type     ColumnType
	Currency string // of a ColumnMoney: the name of the column that holds its currency
	Meaning  string // for people, in the manifest
}

// Filter keeps the rows whose column has one of the texts, or lies in the range.
// It has either OneOf or a bound.
type Filter struct {
	Column string   `json:"column"`
	OneOf  []string `json:"oneOf,omitempty"` // money and integers are equal as numbers, all else as text
	From   string   `json:"from,omitempty"`  // of the column's type; included; "" is no bound
	To     string   `json:"to,omitempty"`    // likewise
}

// RowQuery asks a source for rows.
type RowQuery struct {
	Owner      string    // the client, whose rows alone are given
	MerchantID string    // likewise
	From       time.Time // the first instant
	Until      time.Time // the first instant after the last
	Columns    []string  // which columns, in this order; each is one of the source's
	Filters    []Filter  // those that the source says it applies
}

// Columns that every transaction source has.
const (
	ColumnTransactionID     = "transactionId"     // text; unique for an owner
	ColumnMerchantReference = "merchantReference" // text; what settlement lines name
	ColumnStatus            = "status"            // text: PENDING, SUCCEEDED, FAILED, ERRORED
	ColumnDirection         = "direction"         // text: payin, payout
	ColumnAmount            = "amount"            // money
	ColumnCurrency          = "currency"          // text, ISO 4217
	ColumnMethod            = "method"            // text
	ColumnConnector         = "connector"         // text
	ColumnCode              = "code"              // text: the code of SPEC 7.5, or none
	ColumnCreatedAt         = "createdAt"         // time
)

// TransactionSource gives the transactions that reports are about.
type TransactionSource interface {
	// Columns lists what the source can give, the ten named above among them.
	// It never changes.
	Columns() []Column

	// Applies reports whether Rows applies the filter. A filter that it does not
	// apply never reaches it.
	Applies(f Filter) bool

	// Rows streams the rows of the query's owner and merchant that were created
	// from From until before Until and pass the filters: each once, by rising
	// createdAt, then transactionId in the order of bytes. Whoever asks checks
	// that order. A row has a text for each of the query's columns, in their order,
	// and is valid until the next is asked for; whoever keeps it copies it. The
	// first error ends the stream; it has a code.
	Rows(ctx context.Context, q RowQuery) iter.Seq2[[]string, error]

	// AsOf gives the instant up to which the source's data are complete, at most
	// now.
	AsOf(ctx context.Context, now time.Time) (time.Time, error)
}

// SettlementLine is one line of what a provider has settled.
type SettlementLine struct {
	Line      int64     // its place in the source, above 0 and unique there: with it a person finds the line again
	Reference string    // the transaction's merchantReference
	Amount    int64     // in minor units; below zero takes money back
	Currency  string    // ISO 4217
	At        time.Time // when it was settled
	// Bad says, in a few words without the line's content, why the line cannot
	// be read; "" for a good one. What could be read of a bad one is there.
	Bad string
	// HasAmount says of a bad line that Amount could be read, with its currency,
	// be it 0; without it the line's amount is unknown, and Amount is 0. A good
	// line always has its amount, whatever stands here.
	HasAmount bool
}

// SettlementSource gives the lines that providers have settled.
type SettlementSource interface {
	// Lines streams the owner's and merchant's lines with From ≤ At < Until,
	// each once, in any order; bad lines whose time cannot be read are always
	// among them. Columns and Filters of the query are not used. A line that
	// cannot be read is a bad line, never an error; an error ends the stream, and
	// has a code.
	Lines(ctx context.Context, q RowQuery) iter.Seq2[SettlementLine, error]

	// AsOf gives the instant up to which the source's data are complete, at most
	// now.
	AsOf(ctx context.Context, now time.Time) (time.Time, error)
}
