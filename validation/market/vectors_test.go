package market_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

// vectors are published examples and invented numbers. The last element of a row is its
// source or purpose.
func vectors(t *testing.T, table string) [][]string {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	require.NoError(t, err)
	var all map[string][][]string
	require.NoError(t, json.Unmarshal(data, &all))
	require.NotEmpty(t, all[table])
	return all[table]
}

// verdictOf returns the verdict of a vector file.
func verdictOf(t *testing.T, found market.Finding, err error) string {
	t.Helper()
	if err != nil {
		require.Equal(t, []string{"accountIdentifier"}, badFields(t, err, errcodes.InvalidRequest))
		return "invalid"
	}
	switch found.Verdict {
	case market.CheckDigitFailed:
		require.NotEmpty(t, found.Reason)
		return "invalid"
	case market.CheckDigitPassed:
		require.Empty(t, found.Reason)
		return "valid"
	case market.WellFormed:
		require.Empty(t, found.Reason)
		return "inconclusive"
	default:
		t.Fatalf("verdict %q", found.Verdict)
		return ""
	}
}

func TestIBANVectors(t *testing.T) {
	for _, v := range vectors(t, "iban") {
		text, want, why := v[0], v[1], v[2]
		found, err := market.Check(good("EGY", ports.BankAccount, text, ""))
		require.Equal(t, want, verdictOf(t, found, err), why)
		canonical, verdict, ok := market.IBAN(text)
		require.Equal(t, err == nil, ok, why)
		require.Equal(t, found.Verdict, verdict, why)
		require.Equal(t, found.Account.Identifier, canonical, why)
	}
}

// The standard writes an institution's code as 9 followed by 5 digits. SPEC 2.7 does not
// allow the 5 digits without the 9.
func TestNUBANVectors(t *testing.T) {
	for _, v := range vectors(t, "nuban") {
		code, number, want, why := v[0], v[1], v[2], v[3]
		if len(code) == 5 {
			_, err := market.Check(good("NGA", ports.BankAccount, number, code))
			require.Equal(t, []string{"bankCode"}, badFields(t, err, errcodes.Unprocessable), why)
			code = "9" + code
		}
		_, verdict, ok := market.NUBAN(code, number)
		require.Equal(t, want, verdictText(verdict, ok), why)
		found, err := market.Check(good("NGA", ports.BankAccount, number, code))
		require.Contains(t, []string{want, "inconclusive"}, verdictOf(t, found, err), why)
		if len(code) == 3 {
			require.Equal(t, want, verdictOf(t, found, err), why)
		}
	}
}

func verdictText(verdict market.Verdict, ok bool) string {
	switch {
	case ok && verdict == market.CheckDigitPassed:
		return "valid"
	case ok && verdict == market.WellFormed:
		return "inconclusive"
	default:
		return "invalid"
	}
}

func TestMSISDNVectors(t *testing.T) {
	types := map[string]ports.AccountType{"KEN": ports.MobileMoney, "GHA": ports.MobileMoney, "ZWE": ports.InstitutionWallet}
	for _, v := range vectors(t, "msisdn") {
		country, text, want, why := v[0], v[1], v[2], v[3]
		canonical, ok := market.MSISDN(country, text)
		require.Equal(t, want == "valid", ok, why)
		found, err := market.Check(good(country, types[country], text, ""))
		require.Equal(t, ok, err == nil, why)
		require.Equal(t, canonical, found.Account.Identifier, why)
	}
}

func TestBankCodeVectors(t *testing.T) {
	for _, v := range vectors(t, "bankcode") {
		country, code, want, branch, why := v[0], v[1], v[2], v[3], v[4]
		found, err := market.Check(good(country, ports.BankAccount, anIdentifier[country], code))
		if want == "invalid" {
			require.Equal(t, []string{"bankCode"}, badFields(t, err, errcodes.Unprocessable), why)
			continue
		}
		require.NoError(t, err, why)
		require.Equal(t, want, found.Account.BankCode, why)
		require.Equal(t, branch, found.Account.Branch, why)
	}
}

func TestWalletVectors(t *testing.T) {
	for _, v := range vectors(t, "wallet") {
		text, want, why := v[0], v[1], v[2]
		found, err := market.Check(good("ZWE", ports.InstitutionWallet, text, ""))
		if want == "invalid" {
			require.Equal(t, []string{"accountIdentifier"}, badFields(t, err, errcodes.InvalidRequest), why)
			continue
		}
		require.NoError(t, err, why)
		require.Equal(t, market.WellFormed, found.Verdict, why)
		require.Equal(t, strings.NewReplacer(" ", "", "+", "").Replace(text), found.Account.Identifier, why)
	}
}
