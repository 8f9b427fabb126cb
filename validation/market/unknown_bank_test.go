package market_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/banks"
	"github.com/corridor-go/corridor/validation/market"
)

// A code that the directory does not know may be a provider's own, for which no check
// digit can be computed: no account number fails or passes with it.
func TestTheRulesDoNotJudgeAnAccountOfAnUnknownBank(t *testing.T) {
	numbers := map[string][]string{
		"NGA": {"8012345678", "0012345677", "0012345678", "2001234565", "1234567895"},
		"ZAF": {"1234567890"}, "GHA": {"1234567890"}, "KEN": {"1234567890"},
	}
	for name, code := range map[string]struct{ country, code string }{
		"an aggregator's code of OPay":           {"NGA", "305"},
		"three digits that nobody uses":          {"NGA", "999"},
		"the form of another institution's code": {"NGA", "959999"},
		"the form of an instant-payment code":    {"NGA", "099999"},
		"a provider's own code":                  {"NGA", "999899"},
		"an unknown branch code":                 {"ZAF", "999999"},
		"an unknown institution":                 {"GHA", "990"},
		"an unknown Kenyan bank":                 {"KEN", "99"},
		"an unknown Kenyan bank with a branch":   {"KEN", "99001"},
	} {
		t.Run(name, func(t *testing.T) {
			_, known := banks.Find(code.country, code.code)
			require.False(t, known)
			for _, number := range numbers[code.country] {
				found, err := market.Check(good(code.country, ports.BankAccount, number, code.code))
				require.NoError(t, err)
				require.Equal(t, market.WellFormed, found.Verdict, number)
				require.Empty(t, found.Reason)
			}
		})
	}
}

// A single list may have a code of its own, so that a check digit that does not fit means
// nothing.
func TestTheRulesDoNotJudgeByACodeOfASingleList(t *testing.T) {
	judged := 0
	for _, bank := range banks.List("NGA") {
		for last := range 10 {
			found, err := market.Check(good("NGA", ports.BankAccount, fmt.Sprint("001234567", last), bank.Code))
			require.NoError(t, err)
			if found.Verdict != market.WellFormed {
				require.NotEqual(t, banks.Single, bank.Confidence, bank.Name)
				judged++
			}
		}
	}
	require.NotZero(t, judged)
}

// A merged bank's customers keep their numbers, whose check digit fits the old code.
func TestAMergedBankKeepsItsCheckDigit(t *testing.T) {
	for name, c := range map[string]struct {
		merged, successor, number string
	}{
		"Titan Trust, now Union Bank": {"102", "032", "0123456785"},
		"Diamond, now Access Bank":    {"063", "044", "0022728156"},
	} {
		t.Run(name, func(t *testing.T) {
			bank, known := banks.Find("NGA", c.merged)
			require.True(t, known)
			require.Contains(t, bank.Note, "("+c.successor+")")
			found, err := market.Check(good("NGA", ports.BankAccount, c.number, c.merged))
			require.NoError(t, err)
			require.Equal(t, market.CheckDigitPassed, found.Verdict)
			require.Equal(t, c.merged, found.Account.BankCode)
			found, err = market.Check(good("NGA", ports.BankAccount, c.number, c.successor))
			require.NoError(t, err)
			require.Equal(t, market.CheckDigitFailed, found.Verdict)
		})
	}
}
