package reporttest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

var sourceRowChecks = []sourceCheck{
	{"the rows are those of the source", sourceGivesItsRows},
	{"no row belongs to another owner or merchant (I31)", sourceKeepsStrangersOut},
	// The bounds are the times of rows.
	{"From is included and Until is not", func(k *sourceKit) {
		rows := k.all()
		k.manyInstants(rows)
		kit.EachOf(k, map[string]int{
			"the first row": 0, "the second row": 1, "the middle row": len(rows) / 2, "the last row": len(rows) - 1,
		}, func(name string, i int) { k.boundedAt(rows, k.createdAt(rows[i])) })
		for _, row := range rows {
			if t := k.createdAt(row); t.Before(k.Query.From) || !t.Before(k.Query.Until) {
				k.Fatalf("a row of %s is outside the query", t)
			}
		}
	}},
	{"each row is returned once, by createdAt, then transactionId", sourceOrder},
	{"a row has the requested columns in the requested order", sourceProjects},
	{"the same query returns the same rows", func(k *sourceKit) {
		first := k.all()
		k.sameRows(k.all(), first, "the second time")
		narrow := k.ask(func(q *ports.RowQuery) { q.From = k.createdAt(first[len(first)/2]) })
		k.sameRows(k.rows(narrow), k.rows(narrow), "half of the columns the second time")
	}},
	{"the query is not changed", func(k *sourceKit) {
		rows := k.all()
		status := rows[0][k.column(ports.ColumnStatus)]
		query := func() ports.RowQuery {
			return k.ask(func(q *ports.RowQuery) {
				if f := (ports.Filter{Column: ports.ColumnStatus, OneOf: []string{status, "none", status}}); k.Source.Applies(f) {
					q.Filters = []ports.Filter{f}
				}
			})
		}
		asked := query()
		k.rows(asked)
		k.Same(asked, query(), "the query after the call")
	}},
}

func sourceGivesItsRows(k *sourceKit) {
	k.Need(k.Rows != nil, "TransactionHoldings.Rows")
	id, columns := k.column(ports.ColumnTransactionID), k.columns()
	got := map[string][]string{}
	for _, row := range k.all() {
		got[row[id]] = row
	}
	for _, want := range k.Rows {
		row := got[want[ports.ColumnTransactionID]]
		if row == nil {
			k.Fatalf("the row %s is missing", kit.Short(want))
		}
		for name, text := range want {
			k.Same(row[slices.Index(columns, name)], text, "the "+name+" of "+want[ports.ColumnTransactionID])
		}
	}
	k.Same(len(got), len(k.Rows), "the number of rows")
}

func sourceKeepsStrangersOut(k *sourceKit) {
	k.Need(len(k.Strangers) > 0, "TransactionHoldings.Strangers")
	id := k.column(ports.ColumnTransactionID)
	own := map[string]bool{}
	for _, row := range k.all() {
		own[row[id]] = true
	}
	for i, s := range k.Strangers {
		k.Case(fmt.Sprint("stranger ", i+1), func() {
			theirs := k.rows(k.ask(func(q *ports.RowQuery) { q.Owner, q.MerchantID = s.Owner, s.MerchantID }))
			if len(theirs) == 0 {
				k.Fatalf("the query of the stranger %q and the merchant %q has no rows", s.Owner, s.MerchantID)
			}
			for _, row := range theirs {
				if own[row[id]] {
					k.Fatalf("%s was returned for two unrelated queries", kit.Short(row[id]))
				}
			}
		})
	}
}

// boundedAt uses one time for each bound in turn.
func (k *sourceKit) boundedAt(rows [][]string, bound time.Time) {
	at := func(row []string) time.Time { return k.createdAt(row) }
	k.sameRows(k.rows(k.ask(func(q *ports.RowQuery) { q.From = bound })),
		keepRows(rows, func(r []string) bool { return !at(r).Before(bound) }), "From at the time of a row")
	k.sameRows(k.rows(k.ask(func(q *ports.RowQuery) { q.Until = bound })),
		keepRows(rows, func(r []string) bool { return at(r).Before(bound) }), "Until at the time of a row")
	k.sameRows(k.rows(k.ask(func(q *ports.RowQuery) { q.From, q.Until = bound, bound })), nil, "an empty period")
	k.sameRows(k.rows(k.ask(func(q *ports.RowQuery) { q.From, q.Until = bound, bound.Add(time.Millisecond) })),
		keepRows(rows, func(r []string) bool { return at(r).Equal(bound) }), "a period of one millisecond")
}

// manyInstants returns the rows' times: a bound must be able to separate rows.
func (k *sourceKit) manyInstants(rows [][]string) {
	instants := map[time.Time]bool{}
	for _, row := range rows {
		instants[k.createdAt(row)] = true
	}
	if len(instants) < 3 {
		k.Fatalf("the harness's query returned rows of %d different times; the check needs 3", len(instants))
	}
}

func (k *sourceKit) createdAt(row []string) time.Time {
	return kit.Got(time.Parse(ports.TimeLayout, row[k.column(ports.ColumnCreatedAt)])).OK(k, "createdAt")
}

func keepRows(rows [][]string, keep func([]string) bool) [][]string {
	return slices.DeleteFunc(slices.Clone(rows), func(r []string) bool { return !keep(r) })
}

func sourceOrder(k *sourceKit) {
	id, at := k.column(ports.ColumnTransactionID), k.column(ports.ColumnCreatedAt)
	rows := k.all()
	seen := map[string]bool{}
	for i, row := range rows {
		if seen[row[id]] {
			k.Fatalf("%s was returned twice", kit.Short(row[id]))
		}
		seen[row[id]] = true
		if i == 0 {
			continue
		}
		before := rows[i-1]
		if order := strings.Compare(before[at], row[at]); order > 0 || order == 0 && before[id] > row[id] {
			k.Fatalf("row %d, %s of %s, comes after %s of %s", i, kit.Short(row[id]), row[at], kit.Short(before[id]), before[at])
		}
	}
}

func sourceProjects(k *sourceKit) {
	names, rows := k.columns(), k.all()
	backwards := slices.Clone(names)
	slices.Reverse(backwards)
	lists := map[string][]string{
		"backwards": backwards, "the second half": names[len(names)/2:],
		"amount and transactionId": {ports.ColumnAmount, ports.ColumnTransactionID},
	}
	for _, name := range names {
		lists["only "+name] = []string{name}
	}
	kit.EachOf(k, lists, func(name string, list []string) {
		var want [][]string
		for _, row := range rows {
			want = append(want, project(row, names, list))
		}
		got := k.rows(k.ask(func(q *ports.RowQuery) { q.Columns = list }))
		k.sameRows(got, want, "the columns "+strings.Join(list, ", "))
	})
}

func project(row []string, names, list []string) []string {
	var out []string
	for _, name := range list {
		out = append(out, row[slices.Index(names, name)])
	}
	return out
}
