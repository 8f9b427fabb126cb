package market_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

// The table is transcribed from SPEC 2.7.
func TestMarketsAreThoseOfTheSpecification(t *testing.T) {
	served := map[string][]string{}
	for _, rule := range market.Rules() {
		served[string(rule.Type)] = append(served[string(rule.Type)], rule.Country)
	}
	require.Equal(t, map[string][]string{
		"bank_account":       {"ZAF", "NGA", "EGY", "GHA", "KEN"},
		"mobile_money":       {"KEN", "GHA"},
		"institution_wallet": {"ZWE"},
	}, served)
}

func TestMarketsDescribeTheirRules(t *testing.T) {
	for _, rule := range market.Rules() {
		require.NotEmpty(t, rule.Identifier.Text)
		require.NotPanics(t, func() { regexp.MustCompile(rule.Identifier.Pattern) })
		required := rule.Type == ports.BankAccount && rule.Country != "EGY"
		require.Equal(t, required, rule.BankCode.Text != "", rule.Market)
		require.Equal(t, required, rule.BankCode.Pattern != "", rule.Market)
	}
	_, err := time.Parse(time.DateOnly, market.TablesVersion)
	require.NoError(t, err)
}

// Verdicts about check digits occur in exactly the markets with check digits.
func TestCheckDigitVerdictsMatchTheTable(t *testing.T) {
	seen := map[ports.Market]bool{}
	rapid.Check(t, func(t *rapid.T) {
		for _, rule := range market.Rules() { // drawing could reach one of them too rarely
			found, err := market.Check(good(rule.Country, rule.Type, drawIdentifier(t, rule.Market), drawBankCode(t, rule.Market)))
			if err == nil && found.Verdict != market.WellFormed {
				seen[rule.Market] = true
			}
		}
	})
	for _, rule := range market.Rules() {
		require.Equal(t, rule.CheckDigit, seen[rule.Market], rule.Market)
	}
}

// A bank code is accepted exactly if it matches the published pattern.
func TestBankCodePatternsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := rapid.SampledFrom(market.Rules()).Draw(t, "market")
		if rule.BankCode.Pattern == "" {
			t.Skip("ignored here")
		}
		code := rapid.OneOf(rapid.StringMatching(`0{0,2}[0-9]{1,7}`), rapid.StringMatching(`[ 0-9A-Z]{1,7}`)).Draw(t, "code")
		req := good(rule.Country, rule.Type, anIdentifier[rule.Country], code)
		_, err := market.Check(req)
		taken := errcodes.Of(err) != errcodes.Unprocessable
		require.Equal(t, regexp.MustCompile(rule.BankCode.Pattern).MatchString(code), taken, "%v", err)
	})
}

func TestRulesReturnsACopy(t *testing.T) {
	table := market.Rules()
	table[0].Country = "ATA"
	require.Equal(t, "ZAF", market.Rules()[0].Country)
}
