package report

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Limits of a request.
const (
	MaxDays     = 366
	MaxName     = 200 // characters
	MaxMerchant = 128 // bytes
	MaxOwner    = 512 // limits the length of a link's token
	MaxOneOf    = 1000
	firstYear   = 2000
	lastYear    = 2999
)

// DefaultFormat is the file format of a request without one.
const DefaultFormat = "csv"

// Request is a client's request for a report (SPEC 2.5).
type Request struct {
	MerchantID string
	Name       string
	Columns    []string // required for transactions reports; in an unmatched report none means all
	StartDate  string   // YYYY-MM-DD in UTC, inclusive, like EndDate
	EndDate    string
	Filters    []ports.Filter // at most one per column; a date in place of a time means the whole day in UTC
	Format     string         // "" means DefaultFormat
}

const dayLayout = "2006-01-02"

// check returns the request to store. It returns [errcodes.InvalidRequest] for a missing
// or malformed field and for a format without a writer, and [errcodes.Unprocessable] for
// an unknown column or filter, an end before the start and more than MaxDays.
func (r *Request) check(columns []ports.Column, formats map[string]ports.ReportWriter, columnsRequired bool) (ports.ReportRequest, error) {
	kept := ports.ReportRequest{MerchantID: r.MerchantID, Name: r.Name, Format: r.Format}
	if kept.Format == "" {
		kept.Format = DefaultFormat
	}
	if err := r.checkForm(columnsRequired); err != nil {
		return kept, err
	}
	if formats[kept.Format] == nil {
		return kept, invalid("format", "must be one of "+strings.Join(slices.Sorted(maps.Keys(formats)), ", "))
	}
	var err error
	if kept.From, err = day("startDate", r.StartDate); err != nil {
		return kept, err
	}
	if kept.To, err = day("endDate", r.EndDate); err != nil {
		return kept, err
	}
	if err := checkRange(kept.From, kept.To); err != nil {
		return kept, err
	}
	if kept.Columns, err = checkColumns(r.Columns, columns); err != nil {
		return kept, err
	}
	kept.Filters, err = checkFilters(r.Filters, columns)
	return kept, err
}

func (r *Request) checkForm(columnsRequired bool) error {
	switch {
	case r.MerchantID == "" || len(r.MerchantID) > MaxMerchant || !printable(r.MerchantID):
		return invalid("merchantId", "must be 1 to 128 bytes of text")
	case strings.TrimSpace(r.Name) == "" || utf8.RuneCountInString(r.Name) > MaxName || !printable(r.Name):
		return invalid("name", "must be 1 to 200 characters of text")
	case columnsRequired && len(r.Columns) == 0:
		return invalid("columns", "must name at least one column")
	default:
		return nil
	}
}

func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

func day(name, text string) (time.Time, error) {
	t, err := time.Parse(dayLayout, text)
	if err != nil {
		return time.Time{}, invalid(name, "must be a date such as 2026-11-20")
	}
	return t, nil
}

func checkRange(from, to time.Time) error {
	switch {
	case from.Year() < firstYear || to.Year() > lastYear:
		return unprocessable("dateRange", "must be in the years 2000 to 2999")
	case to.Before(from):
		return unprocessable("dateRange", "must not end before it starts")
	case to.Sub(from) > (MaxDays-1)*24*time.Hour:
		return unprocessable("dateRange", "must not be longer than 366 days")
	default:
		return nil
	}
}

func invalid(name, reason string) error {
	return coded(errcodes.InvalidRequest, name, reason)
}

func unprocessable(name, reason string) error {
	return coded(errcodes.Unprocessable, name, reason)
}

func coded(code errcodes.Code, name, reason string) error {
	return errcodes.New(code, name+" "+reason).
		WithDetails(errcodes.FieldDetails{Fields: []errcodes.Field{{Name: name, Reason: reason}}})
}

func count(n int) string { return strconv.Itoa(n) }
