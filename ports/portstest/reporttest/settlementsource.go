package reporttest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// SettlementSourceHarness opens a source for [SettlementSource].
type SettlementSourceHarness struct {
	// Open returns a source and what it holds. It is called once for each
	// check and cleans up through tb.Cleanup.
	Open func(tb testing.TB) SettlementHoldings
	// Except names checks that the source cannot pass, each with the reason.
	Except map[string]string
}

// SettlementHoldings is an open source, with what the suite has to know of it.
type SettlementHoldings struct {
	Source ports.SettlementSource

	// Query names an owner, a merchant and a stretch of time with 6 to 10,000
	// lines, bad ones included, of at least 3 instants. Its Columns and Filters
	// are not used.
	Query ports.RowQuery
	// Now is the time that the source goes by; the zero time is the machine's.
	Now time.Time
	// Lines are all that the source must give for Query, in any order. Of Bad
	// only its emptiness is compared, of HasAmount only a bad line's. Nil leaves out the check that needs them.
	Lines []ports.SettlementLine
	// Undated are the numbers of Query's bad lines whose time cannot be read.
	// None leaves out the check that needs them.
	Undated []int64
	// Strangers are queries of other owners and merchants over the same stretch.
	// None of the good lines that they have is Query's. None leaves out the check
	// that needs them.
	Strangers []ports.RowQuery
}

// SettlementSource checks a ports.SettlementSource. Run it with -race: one of
// the checks asks from many goroutines at once.
func SettlementSource(t *testing.T, h SettlementSourceHarness) {
	t.Helper()
	kit.Run(t, h.Except, settlementChecks, func(t *testing.T) *settlementKit {
		return newSettlementKit(t, h)
	})
}

type settlementCheck kit.Check[*settlementKit]

type settlementKit struct {
	kit.Kit
	SettlementHoldings
}

func newSettlementKit(tb testing.TB, h SettlementSourceHarness) *settlementKit {
	k := &settlementKit{kit.Kit{TB: tb}, h.Open(tb)}
	if k.Now.IsZero() {
		k.Now = ports.SystemClock().Now()
	}
	return k
}

// fewestLines is how many lines tell a wrong bound.
const fewestLines = 6

func (k *settlementKit) lines(q ports.RowQuery) []ports.SettlementLine {
	var out []ports.SettlementLine
	for line, err := range k.Source.Lines(k.Context(), q) {
		if err != nil {
			k.Fatalf("Lines: %v", err)
		}
		out = append(out, line)
	}
	slices.SortStableFunc(out, func(a, b ports.SettlementLine) int { return cmp.Compare(a.Line, b.Line) })
	return out
}

func (k *settlementKit) all() []ports.SettlementLine {
	lines := k.lines(k.Query)
	if len(lines) < fewestLines || len(lines) > mostRows {
		k.Fatalf("the query of the harness gives %d lines; the checks need %d to %d", len(lines), fewestLines, mostRows)
	}
	return lines
}

func (k *settlementKit) during(from, until time.Time) []ports.SettlementLine {
	q := k.Query
	q.From, q.Until = from, until
	return k.lines(q)
}

// sameLines compares lines one by one, of Bad only whether there is any.
func (k *settlementKit) sameLines(got, want []ports.SettlementLine, what string) {
	sameList(&k.Kit, got, want, what, func(g, w ports.SettlementLine) bool {
		return g.Line == w.Line && g.Reference == w.Reference && g.Amount == w.Amount &&
			g.Currency == w.Currency && g.At.Equal(w.At) && (g.Bad == "") == (w.Bad == "") &&
			(g.Bad == "" || g.HasAmount == w.HasAmount)
	})
}
