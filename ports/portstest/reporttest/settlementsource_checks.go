package reporttest

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

var settlementChecks = []settlementCheck{
	{"the lines are those of the source", func(k *settlementKit) {
		k.Need(k.Lines != nil, "SettlementHoldings.Lines")
		want := slices.Clone(k.Lines)
		slices.SortFunc(want, func(a, b ports.SettlementLine) int { return cmp.Compare(a.Line, b.Line) })
		k.sameLines(k.all(), want, "the lines")
	}},
	{"each line has a unique number above 0", func(k *settlementKit) {
		lines := k.all()
		for i, l := range lines {
			if l.Line <= 0 {
				k.Fatalf("a line has the number %d", l.Line)
			}
			if i > 0 && lines[i-1].Line == l.Line {
				k.Fatalf("two lines have the number %d", l.Line)
			}
		}
	}},
	{"a good line has a reference, a currency and a time", func(k *settlementKit) {
		for _, l := range k.all() {
			if l.Bad == "" && (l.Reference == "" || !kit.IsCurrency(l.Currency) || l.At.IsZero()) {
				k.Fatalf("a good line lacks a reference, a currency or a time: %s", kit.Short(l))
			}
		}
	}},
	{"a bad line has a short reason without its content", func(k *settlementKit) {
		for _, l := range k.all() {
			switch {
			case l.Bad == "":
			case len(l.Bad) > mostWords || strings.ContainsAny(l.Bad, "\r\n\x00"):
				k.Fatalf("the Bad text of line %d is too long: %s", l.Line, kit.Short(l.Bad))
			case l.Reference != "" && strings.Contains(l.Bad, l.Reference):
				k.Fatalf("the Bad text of line %d contains the line's content", l.Line)
			}
		}
	}},
	{"a bad line has an amount with a currency, or HasAmount is false", func(k *settlementKit) {
		for _, l := range k.all() {
			switch {
			case l.Bad == "":
			case l.HasAmount && !kit.IsCurrency(l.Currency):
				k.Fatalf("the bad line %d has an amount without a currency", l.Line)
			case !l.HasAmount && l.Amount != 0:
				k.Fatalf("the bad line %d has an amount, but HasAmount is false", l.Line)
			}
		}
	}},
	{"From is included and Until is not", settlesBounds},
	{"bad lines whose time cannot be read are in every result", settlesUndated},
	{"no good line belongs to another owner or merchant (I31)", settlesStrangers},
	{"the same query returns the same lines", func(k *settlementKit) {
		first := k.all()
		k.sameLines(k.all(), first, "the second time")
	}},
	{"columns and filters change nothing", func(k *settlementKit) {
		want := k.all()
		q := k.Query
		q.Columns = []string{"no such column"}
		q.Filters = []ports.Filter{{Column: ports.ColumnCurrency, OneOf: []string{"none"}}, {Column: "no such column", From: "z", To: "a"}}
		k.sameLines(k.lines(q), want, "with columns and filters")
	}},
	{"a stream that is abandoned stops and leaves nothing running", func(k *settlementKit) {
		want := k.all()
		stops(&k.Kit, func() iter.Seq2[ports.SettlementLine, error] { return k.Source.Lines(k.Context(), k.Query) })
		k.sameLines(k.all(), want, "after streams that were left early")
	}},
	{"a done context returns its code", func(k *settlementKit) {
		ended(&k.Kit, "Lines", func(ctx context.Context) iter.Seq2[ports.SettlementLine, error] { return k.Source.Lines(ctx, k.Query) }, k.Now, k.Source.AsOf)
	}},
	{"a stream cut short by its context yields an error", func(k *settlementKit) {
		cut(&k.Kit, len(k.all()), "Lines", func(ctx context.Context) iter.Seq2[ports.SettlementLine, error] { return k.Source.Lines(ctx, k.Query) })
	}},
	{"concurrent reads are safe", func(k *settlementKit) {
		want := map[int64]ports.SettlementLine{}
		for _, l := range k.all() {
			want[l.Line] = l
		}
		raced(&k.Kit, len(want), func(int) iter.Seq2[ports.SettlementLine, error] { return k.Source.Lines(k.Context(), k.Query) },
			func(_, _ int, l ports.SettlementLine) bool { return l == want[l.Line] })
	}},
	{"AsOf is not in the future", func(k *settlementKit) { completeUpTo(&k.Kit, k.Now, k.Query, k.Source.AsOf) }},
}

// mostWords bounds the length of Bad in bytes.
const mostWords = 100

func settlesBounds(k *settlementKit) {
	lines := k.all()
	at := k.instants(lines)
	if len(at) < 3 {
		k.Fatalf("the harness's query returned lines of %d different times; the check needs 3", len(at))
	}
	if at[0].Before(k.Query.From) || !at[len(at)-1].Before(k.Query.Until) {
		k.Fatalf("a line's time is outside the query")
	}
	kit.EachOf(k, map[string]time.Time{
		"the first instant": at[0], "the second instant": at[1], "the middle instant": at[len(at)/2], "the last instant": at[len(at)-1],
	}, func(name string, bound time.Time) {
		k.sameLines(k.during(bound, k.Query.Until), keepLines(lines, func(t time.Time) bool { return !t.Before(bound) }),
			"From at the time of a line")
		k.sameLines(k.during(k.Query.From, bound), keepLines(lines, func(t time.Time) bool { return t.Before(bound) }),
			"Until at the time of a line")
		k.sameLines(k.during(bound, bound), keepLines(lines, func(time.Time) bool { return false }), "an empty period")
	})
}

func (k *settlementKit) instants(lines []ports.SettlementLine) []time.Time {
	var out []time.Time
	for _, l := range lines {
		if !l.At.IsZero() {
			out = append(out, l.At)
		}
	}
	slices.SortFunc(out, time.Time.Compare)
	return slices.CompactFunc(out, time.Time.Equal)
}

// keepLines returns the lines whose time passes and the bad lines without a
// time.
func keepLines(lines []ports.SettlementLine, keep func(time.Time) bool) []ports.SettlementLine {
	return slices.DeleteFunc(slices.Clone(lines), func(l ports.SettlementLine) bool {
		return !keep(l.At) && (l.Bad == "" || !l.At.IsZero())
	})
}

func settlesUndated(k *settlementKit) {
	k.Need(len(k.Undated) > 0, "SettlementHoldings.Undated")
	kit.EachOf(k, map[string][2]time.Time{
		"the query":         {k.Query.From, k.Query.Until},
		"a century later":   {k.Query.From.AddDate(100, 0, 0), k.Query.Until.AddDate(100, 0, 0)},
		"a century earlier": {k.Query.From.AddDate(-100, 0, 0), k.Query.Until.AddDate(-100, 0, 0)},
		"an empty period":   {k.Query.From, k.Query.From},
	}, func(what string, bounds [2]time.Time) {
		lines := k.during(bounds[0], bounds[1])
		for _, number := range k.Undated {
			if !slices.ContainsFunc(lines, func(l ports.SettlementLine) bool { return l.Line == number && l.Bad != "" && l.At.IsZero() }) {
				k.Fatalf("the bad line %d, whose time cannot be read, is missing from the lines of %s", number, what)
			}
		}
	})
}

func settlesStrangers(k *settlementKit) {
	k.Need(len(k.Strangers) > 0, "SettlementHoldings.Strangers")
	own := map[int64]ports.SettlementLine{}
	for _, l := range k.all() {
		own[l.Line] = l
	}
	for i, s := range k.Strangers {
		k.Case(fmt.Sprint("stranger ", i+1), func() {
			q := k.Query
			q.Owner, q.MerchantID = s.Owner, s.MerchantID
			for _, l := range k.lines(q) {
				if was, ok := own[l.Line]; ok && l.Bad == "" && was.Reference == l.Reference {
					k.Fatalf("line %d was returned for two unrelated queries", l.Line)
				}
			}
		})
	}
}
