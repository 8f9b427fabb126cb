package ports

import (
	"context"
	"iter"
	"time"
)

// ColumnType is the type of a report's column. All values are text, so that no decimal
// is ever rounded; "" means that there is no value.
type ColumnType string

// The types.
const (
	ColumnText    ColumnType = "text"
	ColumnInteger ColumnType = "integer" // digits, after a minus sign if negative; fits an int64
	ColumnMoney   ColumnType = "money"   // plain decimal text in major units of the currency in the column Column.Currency
	ColumnTime    ColumnType = "time"    // RFC 3339 in UTC with milliseconds: 2026-11-20T15:00:00.000Z
)

// Column describes a column of a report.
type Column struct {
	Name     string
	Type     ColumnType
	Currency string // of a ColumnMoney: the name of the column with its currency
	Meaning  string // for people, in the manifest
}

// Filter selects the rows whose column has one of the texts, or is in the range. It has
// either OneOf or at least one bound.
type Filter struct {
	Column string   `json:"column"`
	OneOf  []string `json:"oneOf,omitempty"` // money and integers are compared as numbers, other types as text
	From   string   `json:"from,omitempty"`  // lowest value, of the column's type; "" means no bound
	To     string   `json:"to,omitempty"`    // highest value, of the column's type; "" means no bound
}

// RowQuery selects rows of a source.
type RowQuery struct {
	Owner      string // the client
	MerchantID string
	From       time.Time // the first instant
	Until      time.Time // the first instant after the range
	Columns    []string  // which of the source's columns, in this order
	Filters    []Filter  // filters for which Applies returned true
}

// Columns that every transaction source has.
const (
	ColumnTransactionID     = "transactionId"     // text; unique for an owner
	ColumnMerchantReference = "merchantReference" // text; settlement lines refer to it
	ColumnStatus            = "status"            // text: PENDING, SUCCEEDED, FAILED, ERRORED
	ColumnDirection         = "direction"         // text: payin, payout
	ColumnAmount            = "amount"            // money
	ColumnCurrency          = "currency"          // text, ISO 4217
	ColumnMethod            = "method"            // text
	ColumnConnector         = "connector"         // text
	ColumnCode              = "code"              // text: a code of SPEC 7.5, or ""
	ColumnCreatedAt         = "createdAt"         // time
)

// TransactionSource supplies transactions for reports.
type TransactionSource interface {
	// Columns returns the source's columns, including the ten named above. They
	// never change.
	Columns() []Column

	// Applies reports whether Rows can apply the filter. Queries contain no other
	// filters.
	Applies(f Filter) bool

	// Rows streams the rows of the query's owner and merchant with From ≤ createdAt
	// < Until that match the filters: each once, by rising createdAt, then by
	// transactionId in byte order, which the caller checks. A row has a text for each
	// of the query's columns, in their order, and is valid only until the next row.
	// The first error ends the stream.
	Rows(ctx context.Context, q RowQuery) iter.Seq2[[]string, error]

	// AsOf returns the instant up to which the source's data are complete, at most
	// now.
	AsOf(ctx context.Context, now time.Time) (time.Time, error)
}

// SettlementLine is one line of a provider's settlement.
type SettlementLine struct {
	Line      int64     // its number in the source, above 0 and unique, by which a person can find it
	Reference string    // the transaction's merchantReference
	Amount    int64     // in minor units; negative if the provider takes money back
	Currency  string    // ISO 4217
	At        time.Time // when it was settled
	// Bad says in a few words why the line cannot be read, without quoting it. It is
	// "" for a good line. The fields of a bad line are set as far as they can be read.
	Bad string
	// HasAmount reports for a bad line whether Amount and Currency could be read. If
	// it is false, the amount is unknown and Amount is 0. It has no meaning for a
	// good line, which always has its amount.
	HasAmount bool
}

// SettlementSource supplies the lines of providers' settlements.
type SettlementSource interface {
	// Lines streams the lines of the query's owner and merchant with From ≤ At <
	// Until, and all bad lines whose time cannot be read: each once, in any order. It
	// ignores the query's Columns and Filters. An unreadable line is a bad line and
	// not an error; the first error ends the stream.
	Lines(ctx context.Context, q RowQuery) iter.Seq2[SettlementLine, error]

	// AsOf returns the instant up to which the source's data are complete, at most
	// now.
	AsOf(ctx context.Context, now time.Time) (time.Time, error)
}
