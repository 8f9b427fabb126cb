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
	{"the lines are those that the source holds", func(k *settlementKit) {
		k.Need(k.Lines != nil, "SettlementHoldings.Lines")
		want := slices.Clone(k.Lines)
		slices.SortFunc(want, func(a, b ports.SettlementLine) int { return cmp.Compare(a.Line, b.Line) })
		k.sameLines(k.all(), want, "the lines")
	}},
	{"each line has a number of its own, above 0", func(k *settlementKit) {
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
				k.Fatalf("a good line lacks something: %s", kit.Short(l))
			}
		}
	}},
	{"a bad line says why in a few words, without its content", func(k *settlementKit) {
		for _, l := range k.all() {
			switch {
			case l.Bad == "":
			case len(l.Bad) > mostWords || strings.ContainsAny(l.Bad, "\r\n\x00"):
				k.Fatalf("line %d says more than a few words: %s", l.Line, kit.Short(l.Bad))
			case l.Reference != "" && strings.Contains(l.Bad, l.Reference):
				k.Fatalf("line %d says what stands in it", l.Line)
			}
		}
	}},
	{"a bad line has an amount, with its currency, or says that it has none", func(k *settlementKit) {
		for _, l := range k.all() {
			switch {
			case l.Bad == "":
			case l.HasAmount && !kit.IsCurrency(l.Currency):
				k.Fatalf("the bad line %d has an amount of no currency", l.Line)
			case !l.HasAmount && l.Amount != 0:
				k.Fatalf("the bad line %d gives an amount, and says that it has none", l.Line)
			}
		}
	}},
	{"From is included and Until is not", settlesBounds},
	{"bad lines whose time cannot be read are always there", settlesUndated},
	{"no good line is another owner's or merchant's (I31)", settlesStrangers},
	{"the same query gives the same lines", func(k *settlementKit) {
		first := k.all()
		k.sameLines(k.all(), first, "asked again")
	}},
	{"columns and filters change nothing", func(k *settlementKit) {
		want := k.all()
		q := k.Query
		q.Columns = []string{"no such column"}
		q.Filters = []ports.Filter{{Column: ports.ColumnCurrency, OneOf: []string{"none"}}, {Column: "no such column", From: "z", To: "a"}}
		k.sameLines(k.lines(q), want, "with columns and filters")
	}},
	{"whoever stops early is left alone, and nothing is left behind", func(k *settlementKit) {
		want := k.all()
		stops(&k.Kit, func() iter.Seq2[ports.SettlementLine, error] { return k.Source.Lines(k.Context(), k.Query) })
		k.sameLines(k.all(), want, "after streams that were left early")
	}},
	{"a context that is over gives its own code", func(k *settlementKit) {
		ended(&k.Kit, "Lines", func(ctx context.Context) iter.Seq2[ports.SettlementLine, error] { return k.Source.Lines(ctx, k.Query) }, k.Now, k.Source.AsOf)
	}},
	{"a stream that its context cuts short says so", func(k *settlementKit) {
		cut(&k.Kit, len(k.all()), "Lines", func(ctx context.Context) iter.Seq2[ports.SettlementLine, error] { return k.Source.Lines(ctx, k.Query) })
	}},
	{"many may read at once", func(k *settlementKit) {
		want := map[int64]ports.SettlementLine{}
		for _, l := range k.all() {
			want[l.Line] = l
		}
		raced(&k.Kit, len(want), func(int) iter.Seq2[ports.SettlementLine, error] { return k.Source.Lines(k.Context(), k.Query) },
			func(_, _ int, l ports.SettlementLine) bool { return l == want[l.Line] })
	}},
	{"the data are complete up to now at most", func(k *settlementKit) { completeUpTo(&k.Kit, k.Now, k.Query, k.Source.AsOf) }},
}

// mostWords bounds what a bad line says of itself.
const mostWords = 100

func settlesBounds(k *settlementKit) {
	lines := k.all()
	at := k.instants(lines)
	if len(at) < 3 {
		k.Fatalf("the query of the harness gives lines of %d instants; the check needs 3", len(at))
	}
	if at[0].Before(k.Query.From) || !at[len(at)-1].Before(k.Query.Until) {
		k.Fatalf("a line lies outside the query")
	}
	kit.EachOf(k, map[string]time.Time{
		"the first instant": at[0], "the second instant": at[1], "the middle instant": at[len(at)/2], "the last instant": at[len(at)-1],
	}, func(name string, bound time.Time) {
		k.sameLines(k.during(bound, k.Query.Until), keepLines(lines, func(t time.Time) bool { return !t.Before(bound) }),
			"from the instant of a line on")
		k.sameLines(k.during(k.Query.From, bound), keepLines(lines, func(t time.Time) bool { return t.Before(bound) }),
			"until the instant of a line")
		k.sameLines(k.during(bound, bound), keepLines(lines, func(time.Time) bool { return false }), "a stretch of nothing")
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

// keepLines keeps the lines whose time passes, and those that are bad and have
// none.
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
		"no time at all":    {k.Query.From, k.Query.From},
	}, func(what string, bounds [2]time.Time) {
		lines := k.during(bounds[0], bounds[1])
		for _, number := range k.Undated {
			if !slices.ContainsFunc(lines, func(l ports.SettlementLine) bool { return l.Line == number && l.Bad != "" && l.At.IsZero() }) {
				k.Fatalf("the bad line %d, whose time cannot be read, is not among those of %s", number, what)
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
					k.Fatalf("line %d is given to two who have nothing to do with each other", l.Line)
				}
			}
		})
	}
}
