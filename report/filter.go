package report

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"

	"github.com/corridor-go/corridor/internal/jsontext"
	"github.com/corridor-go/corridor/ports"
)

func checkFilters(asked []ports.Filter, columns []ports.Column) ([]ports.Filter, error) {
	var kept []ports.Filter
	seen := make(map[string]bool, len(columns))
	for _, f := range asked {
		if fault := faultOf(f.Column, columns, seen); fault != "" {
			return nil, unprocessable("filters", "must be on columns of the report, each once: "+fault)
		}
		if _, err := compile(f, columns[find(columns, f.Column)].Type); err != nil {
			return nil, err
		}
		f.OneOf = append([]string(nil), f.OneOf...)
		kept = append(kept, f)
	}
	return kept, nil
}

// test reports whether a value passes a filter.
type test func(value string) bool

// compile returns the test of a filter on a column of type t. It returns
// [errcodes.Unprocessable] if the filter does not fit the type.
func compile(f ports.Filter, t ports.ColumnType) (test, error) {
	ranged := f.From != "" || f.To != ""
	switch {
	case ranged == (len(f.OneOf) > 0):
		return nil, badFilter(f, "must have values or a range")
	case len(f.OneOf) > MaxOneOf:
		return nil, badFilter(f, "must have at most "+count(MaxOneOf)+" values")
	case ranged && t == ports.ColumnText:
		return nil, badFilter(f, "must not have a range of texts")
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

// compileNumbers compares values as numbers: 10 equals 10.00.
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

// decimal parses plain decimal text. Exponents are rejected because they could make huge
// numbers.
func decimal(text string) (*apd.Decimal, bool) {
	if text == "" || len(text) > maxDigits || strings.Trim(text, "-.0123456789") != "" {
		return nil, false
	}
	d, _, err := apd.NewFromString(text)
	return d, err == nil
}

// span is the meaning of a filter's text: an instant, or a day from its first instant to
// its last, in ports.TimeLayout. Both are "" for an empty text.
type span struct{ first, last string }

func spanOf(text string) (span, bool) {
	if text == "" {
		return span{}, true
	}
	if day, err := time.Parse(dayLayout, text); err == nil {
		return span{ports.FormatTime(day), ports.FormatTime(day.AddDate(0, 0, 1).Add(-time.Millisecond))}, true
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.UTC().Year() < firstYear || at.UTC().Year() > lastYear {
		return span{}, false
	}
	instant := ports.FormatTime(at)
	return span{instant, instant}, true
}

func (s span) day() bool { return s.first != s.last }

// compileTimes accepts RFC 3339 times and days. A day means all of it as a value, its
// first instant as From and its last as To.
func compileTimes(f ports.Filter) (test, error) {
	instants, days := map[string]bool{}, map[string]bool{}
	for _, text := range f.OneOf {
		switch s, ok := spanOf(text); {
		case !ok:
			return nil, badFilter(f, "must compare a time with times or dates")
		case s.day():
			days[text] = true
		default:
			instants[s.first] = true
		}
	}
	from, okFrom := spanOf(f.From)
	to, okTo := spanOf(f.To)
	switch {
	case !okFrom || !okTo:
		return nil, badFilter(f, "must bound a time by times or dates")
	case to.last != "" && to.last < from.first:
		return nil, badFilter(f, turned)
	}
	among := func(value string) bool { return instants[value] || days[value[:min(len(value), len(dayLayout))]] }
	return func(value string) bool {
		return value != "" && value >= from.first && (to.last == "" || value <= to.last) && (len(f.OneOf) == 0 || among(value))
	}, nil
}

// exact returns a valid filter in the form for sources: times in ports.TimeLayout, and a
// day as a bound replaced by its first or last instant. It reports false for a filter
// with a day as a value, which has no such form.
func exact(f ports.Filter, t ports.ColumnType) (ports.Filter, bool) {
	if t != ports.ColumnTime {
		return f, true
	}
	out := ports.Filter{Column: f.Column}
	for _, text := range f.OneOf {
		s, _ := spanOf(text)
		if s.day() {
			return f, false
		}
		out.OneOf = append(out.OneOf, s.first)
	}
	from, _ := spanOf(f.From)
	to, _ := spanOf(f.To)
	out.From, out.To = from.first, to.last
	return out, true
}

// filters are the tests of columns, by column index.
type filters []placed

type placed struct {
	at   int
	test test
}

func (f filters) and(one ports.Filter, names []string, columns []ports.Column) (filters, error) {
	t, err := compile(one, columns[find(columns, one.Column)].Type)
	if err != nil {
		return nil, err
	}
	return append(f, placed{slices.Index(names, one.Column), t}), nil
}

// all adds the tests of filters on rows with all columns.
func (f filters) all(asked []ports.Filter, columns []ports.Column) (filters, error) {
	var err error
	for _, one := range asked {
		if f, err = f.and(one, names(columns), columns); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// passing returns the rows that pass, cut to their first columns: the others were read
// only for the filters.
func (f filters) passing(rows iter.Seq2[[]string, error], columns int) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		for row, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			if f.pass(row) && !yield(row[:columns], nil) {
				return
			}
		}
	}
}

func (f filters) pass(row []string) bool {
	for _, p := range f {
		if !p.test(row[p.at]) {
			return false
		}
	}
	return true
}
