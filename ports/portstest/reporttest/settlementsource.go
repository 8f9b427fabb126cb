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
	// Open returns a source and its contents. It is called once for each
	// check and cleans up through tb.Cleanup.
	Open func(tb testing.TB) SettlementHoldings
	// Except maps checks that the source cannot pass to the reason.
	Except map[string]string
}

// SettlementHoldings is an open source, with what the suite must know about it.
type SettlementHoldings struct {
	Source ports.SettlementSource

	// Query is for an owner, a merchant and a period with 6 to 10,000 lines, bad
	// ones included, of at least 3 different times. Its Columns and Filters are
	// not used.
	Query ports.RowQuery
	// Now is the source's time; the zero time means the machine's.
	Now time.Time
	// Lines are all lines that the source must return for Query, in any order. Bad
	// is compared only for emptiness, HasAmount only in bad lines. If Lines is
	// nil, the check that needs it is skipped.
	Lines []ports.SettlementLine
	// Undated are the numbers of Query's bad lines whose time cannot be read. If
	// it is empty, the check that needs it is skipped.
	Undated []int64
	// Strangers are queries of other owners and merchants over the same period,
	// which have no good lines in common with Query. If it is empty, the check that
	// needs them is skipped.
	Strangers []ports.RowQuery
}

// SettlementSource checks a ports.SettlementSource. Run it with -race: one of
// the checks calls the source from many goroutines.
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

// fewestLines is how many lines are needed to detect a wrong bound.
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
		k.Fatalf("the harness's query returned %d lines; the checks need %d to %d", len(lines), fewestLines, mostRows)
	}
	return lines
}

func (k *settlementKit) during(from, until time.Time) []ports.SettlementLine {
	q := k.Query
	q.From, q.Until = from, until
	return k.lines(q)
}

// sameLines compares lines one by one, Bad only for emptiness.
func (k *settlementKit) sameLines(got, want []ports.SettlementLine, what string) {
	sameList(&k.Kit, got, want, what, func(g, w ports.SettlementLine) bool {
		return g.Line == w.Line && g.Reference == w.Reference && g.Amount == w.Amount &&
			g.Currency == w.Currency && g.At.Equal(w.At) && (g.Bad == "") == (w.Bad == "") &&
			(g.Bad == "" || g.HasAmount == w.HasAmount)
	})
}
