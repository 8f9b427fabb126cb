package match_test

import (
	"context"
	"iter"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/report/match"
)

var matchDay = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

func fromSlice[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, one := range list {
			if !yield(one, nil) {
				return
			}
		}
	}
}

type matchCase struct {
	lines     []ports.SettlementLine
	payments  []match.Payment
	tolerance int64
}

var matchRange = match.Range{
	From: matchDay, Until: matchDay.AddDate(0, 0, 3), Due: matchDay.AddDate(0, 0, 2), AsOf: matchDay.AddDate(0, 0, 3),
}

func (c matchCase) input() match.Input {
	return match.Input{
		Lines: fromSlice(c.lines), Payments: fromSlice(c.payments), Range: matchRange,
		Policy: match.Policy{Tolerance: c.tolerance},
	}
}

// all returns the rows of Run.
func (c matchCase) all(t require.TestingT) ([]match.Unmatched, match.Tally) {
	var rows []match.Unmatched
	tally, err := match.Run(context.Background(), c.input(), func(u match.Unmatched) error { rows = append(rows, u); return nil })
	require.NoError(t, err)
	return rows, tally
}

// bounded is all with little memory.
func (c matchCase) bounded(t require.TestingT, records, rows int64, bits uint) ([]match.Unmatched, match.Tally, *fake.Scratch) {
	scratch := fake.NewScratch()
	in := c.input()
	in.Limits.Scratch = scratch
	var list []match.Unmatched
	tally, err := match.RunWithin(context.Background(), in, records, rows, bits, func(u match.Unmatched) error { list = append(list, u); return nil })
	require.NoError(t, err)
	require.Zero(t, scratch.Spaces())
	require.Zero(t, scratch.Files())
	return list, tally, scratch
}

func (c matchCase) model() ([]match.Unmatched, match.Tally) {
	m := matchModel{lines: slices.Clone(c.lines), payments: slices.Clone(c.payments), rng: matchRange, tolerance: c.tolerance}
	m.run()
	return m.rows, m.tally
}

var drawTime = rapid.Custom(func(t *rapid.T) time.Time {
	return matchDay.Add(time.Duration(rapid.IntRange(-4, 16).Draw(t, "quarters")) * 6 * time.Hour).Add(time.Duration(rapid.IntRange(0, 1).Draw(t, "ns")))
})

// drawMatch draws lines and payments with few references, so that many match.
func drawMatch(references []string, most int) *rapid.Generator[matchCase] {
	amountsOf := func(more ...int64) *rapid.Generator[int64] {
		return rapid.SampledFrom(append([]int64{100, 100, 100, 50, 50, 30, 70, 150, 0, 99, 101, 1, 200}, more...))
	}
	reference := rapid.SampledFrom(references)
	currency := rapid.SampledFrom([]string{"USD", "USD", "USD", "USD", "EUR", "ZAR", ""})
	return rapid.Custom(func(t *rapid.T) matchCase {
		c := matchCase{tolerance: rapid.SampledFrom([]int64{0, 0, 1, 2, 60}).Draw(t, "tolerance")}
		for i := range rapid.IntRange(0, most).Draw(t, "lines") {
			l := ports.SettlementLine{
				Line: int64(i + 1), Reference: reference.Draw(t, "reference"), Currency: currency.Draw(t, "currency"), At: drawTime.Draw(t, "at"),
				Amount: amountsOf(-100, -50, -30, -200, -70, -1, math.MaxInt64, math.MinInt64, -math.MaxInt64).Draw(t, "amount"),
			}
			if rapid.IntRange(0, 15).Draw(t, "bad") == 15 {
				l.Bad = "no amount"
				l.At = rapid.SampledFrom([]time.Time{{}, l.At}).Draw(t, "bad at")
			}
			c.lines = append(c.lines, l)
		}
		for i := range rapid.IntRange(0, most).Draw(t, "payments") {
			c.payments = append(c.payments, match.Payment{
				ID: "p" + strconv.Itoa(i), Reference: reference.Draw(t, "reference"), Currency: currency.Draw(t, "currency"),
				Amount: amountsOf(math.MaxInt64, -100).Draw(t, "amount"), CreatedAt: drawTime.Draw(t, "created"),
				Status: rapid.SampledFrom([]ports.TransactionStatus{
					ports.TransactionSucceeded, ports.TransactionSucceeded, ports.TransactionSucceeded, ports.TransactionSucceeded,
					ports.TransactionFailed, ports.TransactionErrored, ports.TransactionPending,
				}).Draw(t, "status"),
			})
		}
		return c
	})
}

var (
	oneReference   = []string{"A1"}
	someReferences = []string{"A1", "A1", "a1", "A-1", "A01", "B", "C", "", "0", "-"}
)

func TestRunEqualsTheModel(t *testing.T) {
	for name, draw := range map[string]*rapid.Generator[matchCase]{
		"one reference":   drawMatch(oneReference, 8),
		"some references": drawMatch(someReferences, 20),
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := draw.Draw(t, "case")
				rows, tally := c.all(t)
				want, wantTally := c.model()
				require.Equal(t, want, rows)
				require.Equal(t, wantTally, tally)
			})
		})
	}
}

// TestMatchedAndUnmatchedAddUp checks that each line in the range is either matched or
// unmatched, and that each unmatched line is one row.
func TestMatchedAndUnmatchedAddUp(t *testing.T) {
	draw := drawMatch(someReferences, 30)
	rapid.Check(t, func(t *rapid.T) {
		c := draw.Draw(t, "case")
		rows, tally := c.all(t)
		require.Equal(t, tally.Lines, tally.Matched+tally.UnmatchedLines)
		require.Len(t, rows, int(tally.UnmatchedLines+tally.Missing))
		lines, payments := map[int64]bool{}, map[string]bool{}
		for _, u := range rows {
			if u.Reason == match.MissingSettlement {
				require.False(t, payments[u.Payment.ID], "a payment is missing twice")
				payments[u.Payment.ID] = true
				continue
			}
			require.False(t, lines[u.Line.Line], "a line has two rows")
			lines[u.Line.Line] = true
		}
	})
}

func TestMatchDependsOnNeitherOrderNorMemory(t *testing.T) {
	references := slices.Clone(someReferences)
	for i := range 40 {
		references = append(references, "R"+strconv.Itoa(i))
	}
	draw := drawMatch(references, 60)
	rapid.Check(t, func(t *rapid.T) {
		c := draw.Draw(t, "case")
		want, wantTally := c.all(t)
		shuffled := matchCase{rapid.Permutation(c.lines).Draw(t, "lines"), rapid.Permutation(c.payments).Draw(t, "payments"), c.tolerance}
		rows, tally := shuffled.all(t)
		require.Equal(t, want, rows)
		require.Equal(t, wantTally, tally)
		rows, tally, _ = shuffled.bounded(t, rapid.Int64Range(6000, 8000).Draw(t, "records"), rapid.Int64Range(0, 2000).Draw(t, "rows"),
			rapid.UintRange(1, 6).Draw(t, "bits"))
		require.Equal(t, want, rows)
		require.Equal(t, wantTally, tally)
	})
}
