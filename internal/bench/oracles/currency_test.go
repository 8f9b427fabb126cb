package oracles_test

import (
	"testing"

	"github.com/Rhymond/go-money"
	"github.com/go-playground/validator/v10"

	"github.com/corridor-go/corridor/ports"
)

// laggards are the active codes for which validator v10.30.6 is behind List One of ISO
// 4217, with the list's digits and amendment.
var laggards = map[string]struct {
	active bool
	since  string
}{
	"BGN": {active: false, since: "withdrawn on 2026-01-01, amendment 180"},
	"XAD": {active: true, since: "added on 2025-05-12, amendment 179"},
}

func TestKnownCodesAgreeWithValidator(t *testing.T) {
	peer := validator.New()

	everyTriple(func(code string) {
		ours, theirs := ports.KnownCurrency(code), peer.Var(code, "iso4217") == nil
		laggard, behind := laggards[code]

		switch {
		case behind && ours == theirs:
			t.Errorf("%s: validator agrees now; strike the difference (%s)", code, laggard.since)
		case behind && ours != laggard.active:
			t.Errorf("%s: KnownCurrency = %v, but it was %s", code, ours, laggard.since)
		case !behind && ours != theirs:
			t.Errorf("%s: KnownCurrency = %v, validator says %v", code, ours, theirs)
		}
	})
}

// go-money includes withdrawn codes and lacks fund codes, so only common codes are
// compared.
func TestMinorDigitsAgreeWithGoMoney(t *testing.T) {
	compared := 0

	everyTriple(func(code string) {
		digits, ok := ports.MinorDigits(code)
		peer := money.GetCurrency(code)

		if !ok || peer == nil {
			return
		}

		compared++

		if digits != peer.Fraction {
			t.Errorf("%s: %d digits, go-money says %d", code, digits, peer.Fraction)
		}
	})

	if compared < 150 {
		t.Errorf("%d currencies compared, want at least 150", compared)
	}
}

// everyTriple calls f with each of the 26³ strings of three capital letters.
func everyTriple(f func(code string)) {
	for i := range 26 * 26 * 26 {
		f(string([]byte{'A' + byte(i/676), 'A' + byte(i/26%26), 'A' + byte(i%26)}))
	}
}
