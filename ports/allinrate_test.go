package ports_test

import (
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func TestAllInRateAddsTheMarkup(t *testing.T) {
	for _, c := range []struct {
		name, mid string
		bps       int
		want      string
	}{
		{"the sandbox's markup on a rand rate", "18.2500", 150, "18.52375"},
		{"no markup only removes trailing zeros", "18.2500", 0, "18.25"},
		{"a whole number stays whole", "655", 0, "655"},
		{"a markup that makes a whole number", "8", 2500, "10"},
		{"a small unit", "0.000629871", 200, "0.00064246842"},
		{"one hundred percent", "1.1", 10_000, "2.2"},
		{"nineteen digits exceed a machine word", "1234567.890123456789", 1, "1234691.3469124691346789"},
		{"thirty digits", "123456789012.345678901234567891", 37, "123913579131.6913579131691357921967"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ports.AllInRate(c.mid, c.bps)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestAllInRateRejectsOtherTextAndMarkups(t *testing.T) {
	for _, mid := range []string{
		"", "0", "0.000", "-1", "+1", "1e3", "1.", ".5", "1..2", "01.5", "NaN", "Inf", "١", "1,5", " 1", "1 ",
		"1000000000000", "0.000000000000999", strings.Repeat("1", 31), "0." + strings.Repeat("0", 30) + "1",
	} {
		_, err := ports.AllInRate(mid, 0)
		require.ErrorIs(t, err, errcodes.InvalidRequest, "%q", mid)
	}
	for _, bps := range []int{-1, ports.MaxMarkupBps + 1} {
		_, err := ports.AllInRate("1", bps)
		require.ErrorIs(t, err, errcodes.InvalidRequest)
	}
}

// I6, compared with rational numbers.
func TestAllInRateIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mid := drawRate(t)
		bps := rapid.IntRange(0, ports.MaxMarkupBps).Draw(t, "bps")
		checkExact(t, mid, bps)
	})
}

func drawRate(t *rapid.T) string {
	return rapid.StringMatching(`(0|[1-9][0-9]{0,11})(\.[0-9]{1,18})?`).
		Filter(func(text string) bool { return ports.CheckRate(text) == nil }).Draw(t, "rate")
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func checkExact(t failer, mid string, bps int) {
	t.Helper()
	got, err := ports.AllInRate(mid, bps)
	if err != nil {
		t.Fatalf("AllInRate(%q, %d): %v", mid, bps, err)
	}
	if strings.ContainsAny(got, "eE+-") || strings.HasSuffix(got, ".") {
		t.Fatalf("%q is not plain", got)
	}
	m, _ := new(big.Rat).SetString(mid)
	want := new(big.Rat).Mul(m, big.NewRat(int64(10_000+bps), 10_000))
	if have, ok := new(big.Rat).SetString(got); !ok || have.Cmp(want) != 0 || have.Sign() <= 0 {
		t.Fatalf("AllInRate(%q, %d) = %q, want %s", mid, bps, got, want)
	}
}

func FuzzDecimalText(f *testing.F) {
	for _, s := range []string{"1", "18.2500", "0.1", "1e5", "", "999999999999.999999999999999999", "00.1"} {
		f.Add(s, 150)
	}
	f.Fuzz(func(t *testing.T, text string, bps int) {
		if ports.CheckRate(text) != nil {
			if r, ok := new(big.Rat).SetString(text); ok && isRate(text, r) {
				t.Fatalf("%q is a rate and was rejected", text)
			}
			return
		}
		if n, err := strconv.Unquote(`"` + text + `"`); err != nil || strings.Trim(n, "0123456789.") != "" {
			t.Fatalf("%q is not a rate and was accepted", text)
		}
		checkExact(t, text, min(max(bps, 0), ports.MaxMarkupBps))
	})
}

// isRate is an independent definition of a rate.
func isRate(text string, r *big.Rat) bool {
	if strings.Trim(text, "0123456789.") != "" || strings.HasPrefix(text, ".") || strings.HasSuffix(text, ".") {
		return false
	}
	digits := len(strings.ReplaceAll(text, ".", ""))
	padded := len(text) > 1 && text[0] == '0' && text[1] != '.'
	low, _ := new(big.Rat).SetString("1e-12")
	high, _ := new(big.Rat).SetString("1e12")
	return digits <= ports.MaxRateDigits && !padded && r.Cmp(low) >= 0 && r.Cmp(high) < 0
}
