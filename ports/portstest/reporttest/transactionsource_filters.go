package reporttest

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

var sourceFilterChecks = []sourceCheck{
	{"a filter by texts selects the rows with one of them", func(k *sourceKit) {
		rows := k.all()
		for _, c := range k.Source.Columns() {
			texts := k.values(rows, c)
			for name, list := range kit.ByName(oneOfs(c, texts)) {
				k.Case(c.Name+", "+name, func() { k.filtered(rows, ports.Filter{Column: c.Name, OneOf: list}) })
			}
		}
	}},
	{"a filter by a range includes both ends", func(k *sourceKit) {
		rows := k.all()
		for _, c := range k.Source.Columns() {
			texts := k.values(rows, c)
			if len(texts) == 0 {
				continue
			}
			for name, f := range kit.ByName(rangesOf(c, texts)) {
				k.Case(c.Name+", "+name, func() { k.filtered(rows, f) })
			}
		}
	}},
	{"filters apply together, also to columns that were not requested", sourceFiltersTogether},
	{"a filter of an unknown column is not applied", func(k *sourceKit) {
		for _, name := range []string{"", "no such column", strings.ToUpper(ports.ColumnStatus), ports.ColumnStatus + " "} {
			if slices.Contains(k.columns(), name) {
				continue
			}
			k.Case(kit.Name(name), func() {
				if k.Source.Applies(ports.Filter{Column: name, OneOf: []string{"x"}}) {
					k.Fatalf("Filters reports that the source applies a filter of the unknown column %q", name)
				}
			})
		}
	}},
}

// filtered checks that filters that the source applies select the same rows as
// filtering afterwards. The caller applies filters that the source does not.
func (k *sourceKit) filtered(rows [][]string, filters ...ports.Filter) {
	for _, f := range filters {
		if !k.Source.Applies(f) {
			return
		}
	}
	want := keepRows(rows, func(r []string) bool {
		return !slices.ContainsFunc(filters, func(f ports.Filter) bool { return !k.keeps(f, r) })
	})
	got := k.rows(k.ask(func(q *ports.RowQuery) { q.Filters = filters }))
	k.sameRows(got, want, "the filter "+kit.Short(filters))
}

func (k *sourceKit) keeps(f ports.Filter, row []string) bool {
	c := k.Source.Columns()[k.column(f.Column)]
	text := row[k.column(f.Column)]
	if f.OneOf != nil {
		return slices.ContainsFunc(f.OneOf, func(want string) bool { return compareTexts(c.Type, text, want) == 0 })
	}
	return text != "" &&
		(f.From == "" || compareTexts(c.Type, text, f.From) >= 0) &&
		(f.To == "" || compareTexts(c.Type, text, f.To) <= 0)
}

// compareTexts orders two texts of a type: numbers by value, all others by bytes,
// which orders times too.
func compareTexts(t ports.ColumnType, a, b string) int {
	if t == ports.ColumnMoney || t == ports.ColumnInteger {
		x, ok := new(big.Rat).SetString(a)
		y, ok2 := new(big.Rat).SetString(b)
		if ok && ok2 {
			return x.Cmp(y)
		}
	}
	return strings.Compare(a, b)
}

func (k *sourceKit) values(rows [][]string, c ports.Column) []string {
	var out []string
	for _, row := range rows {
		if text := row[k.column(c.Name)]; text != "" {
			out = append(out, text)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	slices.SortStableFunc(out, func(a, b string) int { return compareTexts(c.Type, a, b) })
	return out
}

// oneOfs returns named lists of a column's texts and of texts that a source might
// confuse with them.
func oneOfs(c ports.Column, texts []string) map[string][]string {
	if len(texts) == 0 {
		return nil
	}
	one, two := texts[0], texts[len(texts)-1]
	lists := map[string][]string{"the first": {one}, "the last": {two}, "both": {one, two}, "both, and one twice": {two, one, one}}
	switch c.Type {
	case ports.ColumnText:
		maps.Copy(lists, map[string][]string{
			"no text": {""}, "a text of no row": {"none of these"}, "the first and a text of no row": {one, "none of these"},
			"a space after": {one + " "}, "lower case": {strings.ToLower(one)}, "upper case": {strings.ToUpper(one)},
			"an SQL pattern": {one[:1] + "%"}, "an asterisk": {"*"},
		})
	case ports.ColumnMoney:
		maps.Copy(lists, map[string][]string{
			"other digits": {otherDigits(one)}, "other digits of both": {otherDigits(two), otherDigits(one)}, "an extra digit": {two + "1"},
		})
	case ports.ColumnInteger, ports.ColumnTime:
	}
	return lists
}

// otherDigits writes the same amount with other digits.
func otherDigits(text string) string {
	switch {
	case strings.HasSuffix(text, ".00"):
		return strings.TrimSuffix(text, ".00")
	case strings.Contains(text, "."):
		return text + "0"
	default:
		return text + ".0"
	}
}

// rangesOf returns named ranges whose ends are texts of rows.
func rangesOf(c ports.Column, texts []string) map[string]ports.Filter {
	low, high := texts[len(texts)/3], texts[2*len(texts)/3]
	out := map[string]ports.Filter{
		"from and to":    {Column: c.Name, From: low, To: high},
		"from":           {Column: c.Name, From: low},
		"to":             {Column: c.Name, To: high},
		"one text":       {Column: c.Name, From: low, To: low},
		"first and last": {Column: c.Name, From: texts[0], To: texts[len(texts)-1]},
	}
	if compareTexts(c.Type, low, high) < 0 {
		out["reversed"] = ports.Filter{Column: c.Name, From: high, To: low}
	}
	if c.Type == ports.ColumnMoney {
		out["other digits"] = ports.Filter{Column: c.Name, From: otherDigits(low), To: otherDigits(high)}
	}
	return out
}

func sourceFiltersTogether(k *sourceKit) {
	rows := k.all()
	row := rows[len(rows)/2]
	status := ports.Filter{Column: ports.ColumnStatus, OneOf: []string{row[k.column(ports.ColumnStatus)]}}
	direction := ports.Filter{Column: ports.ColumnDirection, OneOf: []string{row[k.column(ports.ColumnDirection)]}}
	amount := ports.Filter{Column: ports.ColumnAmount, From: row[k.column(ports.ColumnAmount)]}
	currency := ports.Filter{Column: ports.ColumnCurrency, OneOf: []string{row[k.column(ports.ColumnCurrency)]}}
	k.Case("status and direction", func() { k.filtered(rows, status, direction) })
	k.Case("currency and amount", func() { k.filtered(rows, currency, amount) })
	k.Case("all four", func() { k.filtered(rows, status, direction, currency, amount) })
	if !k.Source.Applies(status) {
		return
	}
	got := k.rows(k.ask(func(q *ports.RowQuery) {
		q.Columns, q.Filters = []string{ports.ColumnTransactionID}, []ports.Filter{status}
	}))
	var want [][]string
	for _, r := range keepRows(rows, func(r []string) bool { return k.keeps(status, r) }) {
		want = append(want, project(r, k.columns(), []string{ports.ColumnTransactionID}))
	}
	k.sameRows(got, want, "filtered by a column that was not requested")
}
