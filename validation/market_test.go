package validation_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation"
)

// SPEC 2.7, transcribed.
func TestMarketsAreThoseOfTheSpecification(t *testing.T) {
	served := map[string][]string{}
	for _, rule := range validation.Markets() {
		served[string(rule.Type)] = append(served[string(rule.Type)], rule.Country)
	}
	require.Equal(t, map[string][]string{
		"bank_account":       {"ZAF", "NGA", "EGY", "GHA", "KEN"},
		"mobile_money":       {"KEN", "GHA"},
		"institution_wallet": {"ZWE"},
	}, served)
}

func TestMarketsDescribeTheirRules(t *testing.T) {
	for _, rule := range validation.Markets() {
		require.NotEmpty(t, rule.Identifier.Text)
		require.NotPanics(t, func() { regexp.MustCompile(rule.Identifier.Pattern) })
		required := rule.Type == ports.BankAccount && rule.Country != "EGY"
		require.Equal(t, required, rule.BankCode.Text != "", rule.Market)
		require.Equal(t, required, rule.BankCode.Pattern != "", rule.Market)
	}
	_, err := time.Parse(time.DateOnly, validation.TablesVersion)
	require.NoError(t, err)
}

// A market's check digit shows in the verdicts, and only there.
func TestCheckDigitsAreWhereTheTableSaysSo(t *testing.T) {
	seen := map[ports.Market]bool{}
	rapid.Check(t, func(t *rapid.T) {
		for _, rule := range validation.Markets() { // each: else one of them may come up too rarely
			found, err := validation.Check(good(rule.Country, rule.Type, drawIdentifier(t, rule.Market), drawBankCode(t, rule.Market)))
			if err == nil && found.Verdict != validation.WellFormed {
				seen[rule.Market] = true
			}
		}
	})
	for _, rule := range validation.Markets() {
		require.Equal(t, rule.CheckDigit, seen[rule.Market], rule.Market)
	}
}

// A bank code is taken exactly if it matches the published pattern.
func TestBankCodePatternsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := rapid.SampledFrom(validation.Markets()).Draw(t, "market")
		if rule.BankCode.Pattern == "" {
			t.Skip("ignored here")
		}
		code := rapid.OneOf(rapid.StringMatching(`0{0,2}[0-9]{1,7}`), rapid.StringMatching(`[ 0-9A-Z]{1,7}`)).Draw(t, "code")
		req := good(rule.Country, rule.Type, anIdentifier[rule.Country], code)
		_, err := validation.Check(req)
		taken := errcodes.Of(err) != errcodes.Unprocessable
		require.Equal(t, regexp.MustCompile(rule.BankCode.Pattern).MatchString(code), taken, "%v", err)
	})
}

func TestCallersCannotChangeTheTable(t *testing.T) {
	table := validation.Markets()
	table[0].Country = "ATA"
	require.Equal(t, "ZAF", validation.Markets()[0].Country)
}
