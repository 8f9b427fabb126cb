package ports_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
)

// everyTriple calls f with each of the 26³ strings of three capital letters.
func everyTriple(f func(code string)) {
	for i := range 26 * 26 * 26 {
		f(string([]byte{'A' + byte(i/676), 'A' + byte(i/26%26), 'A' + byte(i%26)}))
	}
}

func TestMinorDigitsAreThoseOfISO4217(t *testing.T) {
	for code, want := range map[string]int{
		"USD": 2, "EUR": 2, "GBP": 2, "ZAR": 2, "NGN": 2, "KES": 2, "GHS": 2, "EGP": 2, "MGA": 2, "MRU": 2,
		"ZWG": 2, "XCG": 2, "SLE": 2, "VED": 2, "XAD": 2,
		"XOF": 0, "XAF": 0, "JPY": 0, "KRW": 0, "UGX": 0, "RWF": 0, "VND": 0, "ISK": 0, "UYI": 0,
		"KWD": 3, "BHD": 3, "TND": 3, "JOD": 3, "OMR": 3, "IQD": 3, "LYD": 3,
		"CLF": 4, "UYW": 4,
	} {
		if got, ok := ports.MinorDigits(code); got != want || !ok {
			t.Errorf("MinorDigits(%s) = %d, %v; want %d, true", code, got, ok, want)
		}
	}
}

func TestCodesWithoutAMinorUnitAreKnownAndHaveNoDigits(t *testing.T) {
	for _, code := range []string{
		"XAG", "XAU", "XBA", "XBB", "XBC", "XBD", "XDR", "XPD", "XPT", "XSU", "XTS", "XUA", "XXX",
	} {
		if !ports.KnownCurrency(code) {
			t.Errorf("KnownCurrency(%s) = false", code)
		}

		if digits, ok := ports.MinorDigits(code); ok || digits != 0 {
			t.Errorf("MinorDigits(%s) = %d, %v; want 0, false", code, digits, ok)
		}
	}
}

func TestWithdrawnAndUnassignedCodesAreUnknown(t *testing.T) {
	for _, code := range []string{
		"BGN", "HRK", "ZWL", "ANG", "SLL", "CUC", "VEF", "MRO", "STD", "BYR", "LTL", "DEM", "GHC", "ZMK",
		"BTC", "AAA", "ZZZ",
	} {
		wantUnknown(t, code)
	}
}

func TestOnlyThreeCapitalLettersAreACode(t *testing.T) {
	for _, code := range []string{
		"", "U", "US", "usd", "Usd", "USd", "USD ", " USD", "USD\x00", "USDX", "US\xff", "ＵＳＤ", "840", strings.Repeat("USD", 1000),
	} {
		wantUnknown(t, code)
	}
}

func wantUnknown(t *testing.T, code string) {
	t.Helper()

	if ports.KnownCurrency(code) {
		t.Errorf("KnownCurrency(%q) = true", code)
	}

	if digits, ok := ports.MinorDigits(code); ok || digits != 0 {
		t.Errorf("MinorDigits(%q) = %d, %v; want 0, false", code, digits, ok)
	}
}

// The counts are those of List One after amendment 180, so that a missing or an extra
// row is noticed.
func TestTheTableHasAsManyCodesAsListOne(t *testing.T) {
	known, byDigits := 0, map[int]int{}

	everyTriple(func(code string) {
		if ports.KnownCurrency(code) {
			known++
		}

		if digits, ok := ports.MinorDigits(code); ok {
			byDigits[digits]++
		}
	})

	if want := 178; known != want {
		t.Errorf("%d known codes, want %d", known, want)
	}

	if got, want := fmt.Sprint(byDigits), "map[0:17 2:139 3:7 4:2]"; got != want {
		t.Errorf("codes by digits: %s, want %s", got, want)
	}
}

func TestAnyOtherStringIsUnknown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.OneOf(
			rapid.String(),
			rapid.StringMatching(`[A-Za-z]{2,4}`),
			rapid.StringMatching(`[A-Z]{3}`),
		).Draw(t, "code")
		triple := len(code) == 3 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""

		if ports.KnownCurrency(code) && !triple {
			t.Fatalf("KnownCurrency(%q) = true", code)
		}

		digits, ok := ports.MinorDigits(code)
		if ok && !ports.KnownCurrency(code) {
			t.Fatalf("%q is unknown, but has minor digits", code)
		}

		if digits < 0 || digits > 4 || digits == 1 {
			t.Fatalf("MinorDigits(%q) = %d", code, digits)
		}
	})
}

// The results are stored here so that the compiler does not remove the calls.
var (
	sink   int
	sinkOK bool
)

func BenchmarkMinorDigits(b *testing.B) {
	codes := []string{"USD", "ZAR", "XOF", "KWD", "XAU", "BGN", "NGN", "KES"}

	b.ReportAllocs()

	for i := 0; b.Loop(); i++ {
		sink, sinkOK = ports.MinorDigits(codes[i%len(codes)])
	}
}

func ExampleMinorDigits() {
	for _, code := range []string{"ZAR", "XOF", "KWD", "XAU", "usd"} {
		digits, ok := ports.MinorDigits(code)
		fmt.Println(code, digits, ok)
	}
	// Output:
	// ZAR 2 true
	// XOF 0 true
	// KWD 3 true
	// XAU 0 false
	// usd 0 false
}

func ExampleKnownCurrency() {
	fmt.Println(ports.KnownCurrency("XCG"), ports.KnownCurrency("ANG"), ports.KnownCurrency("zar"))
	// Output: true false false
}
