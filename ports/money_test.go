package ports_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func ExampleParseMinor() {
	fmt.Println(ports.ParseMinor("12.5", "USD"))
	fmt.Println(ports.ParseMinor("12.505", "USD"))
	// Output:
	// 1250 <nil>
	// 0 invalid_request: amount 12.505: USD has at most 2 decimal digits
}

func ExampleFormatMinor() {
	fmt.Println(ports.FormatMinor(1250, "USD"))
	fmt.Println(ports.FormatMinor(1250, "XOF"))
	// Output:
	// 12.50 <nil>
	// 1250 <nil>
}

func TestParseMinorReturnsMinorUnits(t *testing.T) {
	for _, c := range []struct {
		text, currency string
		want           int64
	}{
		{"0", "USD", 0},
		{"-0", "USD", 0},
		{"0.01", "USD", 1},
		{"-0.01", "USD", -1},
		{"12.500", "USD", 1250}, // zeros beyond the minor unit are ignored
		{"7.000", "XOF", 7},
		{"1.234", "KWD", 1234},
		{"1.2345", "CLF", 12345},
		{"92233720368547758.07", "USD", math.MaxInt64},
		{"-92233720368547758.08", "USD", math.MinInt64},
	} {
		got, err := ports.ParseMinor(c.text, c.currency)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, got, c.text)
	}
}

func TestParseMinorRejectsOtherText(t *testing.T) {
	for text, currency := range map[string]string{
		"0.001": "USD", "0.1": "XOF", "1.2345": "KWD", "92233720368547758.08": "USD", "-92233720368547758.09": "USD",
		"": "USD", "-": "USD", "--1": "USD", "+1": "USD", ".5": "USD", "1.": "USD", "1e2": "USD", "1,5": "USD", "01": "USD", "\t1": "USD",
		"1_0": "USD", "NaN": "USD", "1.5.0": "USD", strings.Repeat("9", 49): "USD", "1": "XAU", "2": "usd", "3": "",
	} {
		got, err := ports.ParseMinor(text, currency)
		require.ErrorIs(t, err, errcodes.InvalidRequest, "%q %q", text, currency)
		require.Zero(t, got)
	}
}

func TestFormatMinorRejectsCurrenciesWithoutAMinorUnit(t *testing.T) {
	for _, currency := range []string{"XAU", "usd", ""} {
		got, err := ports.FormatMinor(1, currency)
		require.ErrorIs(t, err, errcodes.InvalidRequest)
		require.Empty(t, got)
	}
}

func TestParseMinorReadsWhatFormatMinorWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		currency := rapid.SampledFrom([]string{"XOF", "USD", "KWD", "CLF"}).Draw(t, "currency")
		minor := rapid.Int64().Draw(t, "minor")
		text, err := ports.FormatMinor(minor, currency)
		require.NoError(t, err)
		require.Equal(t, 0, inMinor(t, text, currency).Cmp(new(big.Rat).SetInt64(minor)), text)
		digits, _ := ports.MinorDigits(currency)
		_, fraction, _ := strings.Cut(text, ".")
		require.Len(t, fraction, digits)
		again, err := ports.ParseMinor(text, currency)
		require.NoError(t, err)
		require.Equal(t, minor, again)
	})
}

// inMinor returns the exact amount in minor units.
func inMinor(t require.TestingT, text, currency string) *big.Rat {
	exact, ok := new(big.Rat).SetString(text)
	require.True(t, ok, text)
	digits, ok := ports.MinorDigits(currency)
	require.True(t, ok, currency)
	return exact.Mul(exact, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)))
}

func FuzzParseMinor(f *testing.F) {
	for _, text := range []string{"12.5", "-0.01", "92233720368547758.07", "01", "1e3", "7.000"} {
		f.Add(text, "USD")
		f.Add(text, "XOF")
	}
	f.Fuzz(func(t *testing.T, text, currency string) {
		minor, err := ports.ParseMinor(text, currency)
		plain := text != "" && strings.Trim(strings.TrimPrefix(text, "-"), "0123456789.") == ""
		if err != nil {
			require.ErrorIs(t, err, errcodes.InvalidRequest)
			return
		}
		require.True(t, plain, text)
		require.Equal(t, 0, inMinor(t, text, currency).Cmp(new(big.Rat).SetInt64(minor)), "%s is not %d", text, minor)
	})
}
