package report

import (
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"

	"github.com/corridor-go/corridor/ports"
)

// TimeLayout is how times stand in reports: RFC 3339, UTC, milliseconds. Texts
// of it are in the order of their times.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// test reports whether a value passes a filter.
type test func(value string) bool

// compile makes the test of a filter on a column of the type. A filter that
// makes no sense there is Unprocessable.
func compile(f ports.Filter, t ports.ColumnType) (test, error) {
	ranged := f.From != "" || f.To != ""
	switch {
	case ranged == (len(f.OneOf) > 0):
		return nil, unprocessable("filters", "must hold values or a range")
	case len(f.OneOf) > MaxOneOf:
		return nil, unprocessable("filters", "must hold at most "+count(MaxOneOf)+" values")
	case ranged && t == ports.ColumnText:
		return nil, unprocessable("filters", "must not hold a range of texts")
	}
	switch t {
	case ports.ColumnMoney, ports.ColumnInteger:
		return compileNumbers(f)
	case ports.ColumnTime:
		return compileTimes(f)
	case ports.ColumnText:
		return oneOf(f.OneOf), nil
	default:
		return oneOf(f.OneOf), nil
	}
}

func oneOf(values []string) test {
	set := make(map[string]bool, len(values))
	for _, v := range values {
		set[v] = true
	}
	return func(value string) bool { return set[value] }
}

// compileNumbers compares as numbers: 10 is 10.00.
func compileNumbers(f ports.Filter) (test, error) {
	var wanted []*apd.Decimal
	for _, text := range f.OneOf {
		d, ok := decimal(text)
		if !ok {
			return nil, unprocessable("filters", "must compare a number with numbers")
		}
		wanted = append(wanted, d)
	}
	from, okFrom := bound(f.From)
	to, okTo := bound(f.To)
	if !okFrom || !okTo {
		return nil, unprocessable("filters", "must bound a number by numbers")
	}
	return func(value string) bool {
		d, ok := decimal(value)
		return ok && (from == nil || d.Cmp(from) >= 0) && (to == nil || d.Cmp(to) <= 0) && (wanted == nil || among(d, wanted))
	}, nil
}

func among(d *apd.Decimal, wanted []*apd.Decimal) bool {
	for _, w := range wanted {
		if d.Cmp(w) == 0 {
			return true
		}
	}
	return false
}

func bound(text string) (*apd.Decimal, bool) {
	if text == "" {
		return nil, true
	}
	return decimal(text)
}

const maxDigits = 40

// decimal reads plain decimal text: no exponent, so that none can blow up.
func decimal(text string) (*apd.Decimal, bool) {
	if text == "" || len(text) > maxDigits || strings.Trim(text, "-.0123456789") != "" {
		return nil, false
	}
	d, _, err := apd.NewFromString(text)
	return d, err == nil
}

// compileTimes takes RFC 3339 and days. A day is its first instant as a From,
// and its last as a To.
func compileTimes(f ports.Filter) (test, error) {
	wanted := make([]string, 0, len(f.OneOf))
	for _, text := range f.OneOf {
		at, ok := instant(text, false)
		if !ok {
			return nil, unprocessable("filters", "must compare a time with times")
		}
		wanted = append(wanted, at)
	}
	from, okFrom := instant(f.From, false)
	to, okTo := instant(f.To, true)
	if !okFrom || !okTo {
		return nil, unprocessable("filters", "must bound a time by times or dates")
	}
	among := oneOf(wanted)
	return func(value string) bool {
		return value != "" && value >= from && (to == "" || value <= to) && (len(wanted) == 0 || among(value))
	}, nil
}

func instant(text string, last bool) (string, bool) {
	if text == "" {
		return "", true
	}
	if day, err := time.Parse(dayLayout, text); err == nil {
		if last {
			day = day.AddDate(0, 0, 1).Add(-time.Millisecond)
		}
		return day.Format(TimeLayout), true
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.UTC().Year() < firstYear || at.UTC().Year() > lastYear {
		return "", false
	}
	return at.UTC().Format(TimeLayout), true
}

// plainInteger reports whether text is an integer within int64, as JSON writes
// it.
func plainInteger(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == text
}
