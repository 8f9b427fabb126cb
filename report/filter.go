package report

import (
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/corridor-go/corridor/internal/jsontext"
	"github.com/corridor-go/corridor/ports"
)

// test reports whether a value passes a filter.
type test func(value string) bool

// compile makes the test of a filter on a column of the type. A filter that
// makes no sense there is Unprocessable.
func compile(f ports.Filter, t ports.ColumnType) (test, error) {
	ranged := f.From != "" || f.To != ""
	switch {
	case ranged == (len(f.OneOf) > 0):
		return nil, badFilter(f, "must hold values or a range")
	case len(f.OneOf) > MaxOneOf:
		return nil, badFilter(f, "must hold at most "+count(MaxOneOf)+" values")
	case ranged && t == ports.ColumnText:
		return nil, badFilter(f, "must not hold a range of texts")
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

const turned = "must not end before they start"

func badFilter(f ports.Filter, reason string) error {
	return unprocessable("filters", "on "+jsontext.Shown(f.Column)+" "+reason)
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
			return nil, badFilter(f, "must compare a number with numbers")
		}
		wanted = append(wanted, d)
	}
	from, okFrom := bound(f.From)
	to, okTo := bound(f.To)
	switch {
	case !okFrom || !okTo:
		return nil, badFilter(f, "must bound a number by numbers")
	case from != nil && to != nil && from.Cmp(to) > 0:
		return nil, badFilter(f, turned)
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

// plainInteger reports whether text is an integer within int64, as JSON writes
// it.
func plainInteger(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == text
}
