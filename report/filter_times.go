package report

import (
	"time"

	"github.com/corridor-go/corridor/ports"
)

// TimeLayout is how times stand in reports: RFC 3339, UTC, milliseconds. Texts
// of it are in the order of their times.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// span is what a filter's text means: an instant, or a day from its first
// instant to its last, as texts of TimeLayout. That of no text is empty.
type span struct{ first, last string }

func spanOf(text string) (span, bool) {
	if text == "" {
		return span{}, true
	}
	if day, err := time.Parse(dayLayout, text); err == nil {
		return span{day.Format(TimeLayout), day.AddDate(0, 0, 1).Add(-time.Millisecond).Format(TimeLayout)}, true
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.UTC().Year() < firstYear || at.UTC().Year() > lastYear {
		return span{}, false
	}
	instant := at.UTC().Format(TimeLayout)
	return span{instant, instant}, true
}

func (s span) day() bool { return s.first != s.last }

// compileTimes takes RFC 3339 and days. A day is the whole of it: as a value, its
// first instant as a From, and its last as a To.
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

// exact gives a filter as a source takes it: its times as texts of their column,
// a day as its ends. It is false where no such filter says the same, which is for
// a day as a value.
func exact(f ports.Filter, t ports.ColumnType) (ports.Filter, bool) {
	if t != ports.ColumnTime {
		return f, true
	}
	out := ports.Filter{Column: f.Column}
	for _, text := range f.OneOf {
		s, ok := spanOf(text)
		if !ok || s.day() {
			return f, false
		}
		out.OneOf = append(out.OneOf, s.first)
	}
	from, okFrom := spanOf(f.From)
	to, okTo := spanOf(f.To)
	out.From, out.To = from.first, to.last
	return out, okFrom && okTo
}
