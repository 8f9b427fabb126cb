package ports

import (
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

// Row is one row of a report: a text for each column, in the columns' order. A
// row that an iterator gives is valid until the next is asked for; whoever keeps
// it copies it.
type Row []string

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
