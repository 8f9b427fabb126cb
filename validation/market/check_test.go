package market_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/banks"
	"github.com/corridor-go/corridor/validation/market"
)

const aMerchant = "7f9c24e8-3b12-4fef-91e0-56a2d7c8b9a0"

// anIdentifier returns a well-formed identifier of the market that fits aBank.
var anIdentifier = map[string]string{
	"ZAF": "1234567890", "NGA": "1234567895", "EGY": "EG380019000500000000263180002",
	"GHA": "1234567890123", "KEN": "1234567890",
}

// aBank returns a bank code of the market that fits anIdentifier.
var aBank = map[string]string{"ZAF": "470010", "NGA": "044", "EGY": "", "GHA": "040", "KEN": "68"}

func good(country string, accountType ports.AccountType, identifier, bankCode string) market.Request {
	return market.Request{
		MerchantID: aMerchant, Country: country, AccountType: string(accountType),
		AccountIdentifier: identifier, BankCode: bankCode,
	}
}

// badFields returns the fields in an error, after checking the error's form.
func badFields(t require.TestingT, err error, code errcodes.Code) []string {
	require.Error(t, err)
	require.Equal(t, code, errcodes.Of(err), "%v", err)
	var details errcodes.FieldDetails
	require.ErrorAs(t, err, &details)
	require.NotEmpty(t, details.Fields)
	var names []string
	for _, f := range details.Fields {
		require.NotEmpty(t, f.Reason)
		names = append(names, f.Name)
	}
	first := details.Fields[0]
	require.Equal(t, first.Name+" "+first.Reason, errcodes.MessageOf(err))
	return names
}

func TestCheckReportsEveryBadFieldOfTheStatus(t *testing.T) {
	_, err := market.Check(market.Request{})
	require.Equal(t, []string{"merchantId", "country", "accountType", "accountIdentifier"},
		badFields(t, err, errcodes.InvalidRequest))
	require.Equal(t, "merchantId is missing", errcodes.MessageOf(err))

	_, err = market.Check(market.Request{
		MerchantID: "x", Country: "ken", AccountType: "iban", AccountIdentifier: "\x00", AccountHolderName: "7",
	})
	require.Equal(t, []string{"merchantId", "country", "accountType", "accountIdentifier", "accountHolderName"},
		badFields(t, err, errcodes.InvalidRequest))
}

func TestMalformedTakesPrecedenceOverUnprocessable(t *testing.T) {
	req := good("UGA", ports.BankAccount, "1234567890", "")
	_, err := market.Check(req)
	require.Equal(t, []string{"country"}, badFields(t, err, errcodes.Unprocessable))
	req.AccountHolderName = "12"
	_, err = market.Check(req)
	require.Equal(t, []string{"accountHolderName"}, badFields(t, err, errcodes.InvalidRequest))

	_, err = market.Check(good("NGA", ports.BankAccount, "123", "1"))
	require.Equal(t, []string{"accountIdentifier"}, badFields(t, err, errcodes.InvalidRequest))
}

// A wallet bank's account number is a phone number, whose last digit is not a check
// digit.
func TestPhoneAccountsHaveNoCheckDigit(t *testing.T) {
	phones := 0
	for _, bank := range banks.List("NGA") {
		if !bank.PhoneAccounts {
			continue
		}
		phones++
		for last := range 10 {
			found, err := market.Check(good("NGA", ports.BankAccount, fmt.Sprint("803000000", last), bank.Code))
			require.NoError(t, err)
			require.Equal(t, market.WellFormed, found.Verdict, bank.Name)
		}
	}
	require.NotZero(t, phones)
}

func TestSouthAfricanLengthsDependOnTheBank(t *testing.T) {
	known := 0
	for _, bank := range append(banks.List("ZAF"), banks.Bank{Code: "999999"}) {
		lengths := map[int]bool{}
		for n := 5; n <= 13; n++ {
			lengths[n] = len(bank.Digits) == 0
		}
		for _, n := range bank.Digits {
			lengths[n] = true
			known++
		}
		for n := 1; n <= 20; n++ {
			found, err := market.Check(good("ZAF", ports.BankAccount, strings.Repeat("1", n), bank.Code))
			require.Equal(t, lengths[n], err == nil, "%s, %d digits", bank.Name, n)
			if err == nil {
				require.Equal(t, market.WellFormed, found.Verdict)
			}
		}
	}
	require.NotZero(t, known)
}

func TestAccountLengths(t *testing.T) {
	for _, c := range []struct {
		country   string
		low, high int
	}{{"NGA", 10, 10}, {"GHA", 8, 20}, {"KEN", 6, 16}} {
		for n := 1; n <= 64; n++ {
			number := strings.Repeat("1", n)
			_, err := market.Check(good(c.country, ports.BankAccount, number, aBank[c.country]))
			require.Equal(t, c.low <= n && n <= c.high, err == nil, "%s, %d digits", c.country, n)
			for _, rule := range market.Rules() {
				if rule.Country == c.country && rule.Type == ports.BankAccount {
					require.Equal(t, err == nil, regexp.MustCompile(rule.Identifier.Pattern).MatchString(number), "%s, %d digits", c.country, n)
				}
			}
		}
	}
}

func TestACommonWrongFormOfABankCodeIsExplained(t *testing.T) {
	for _, c := range []struct{ country, code, message string }{
		{"NGA", "50547", "bankCode must be 3 or 6 digits: write a 5-digit code with a 9 before it"},
		{"NGA", "5054", "bankCode must be a central-bank code of 3 or 6 digits"},
		{"NGA", "0ABC0", "bankCode must be a central-bank code of 3 or 6 digits"},
		{"GHA", "040101", "bankCode must be 3 digits: a 6-digit sort code names a branch"},
		{"GHA", "04010", "bankCode must be the central bank's institution code of 3 digits"},
		{"ZAF", "47001", "bankCode must be the bank's universal branch code of 6 digits"},
		{"KEN", "680", "bankCode must be a bank's code of 2 digits, or 00NN, or NNBBB with the branch"},
		{"KEN", "6B", "bankCode must be a bank's code of 2 digits, or 00NN, or NNBBB with the branch"},
		{"KEN", "", "bankCode is required in this market"},
	} {
		_, err := market.Check(good(c.country, ports.BankAccount, anIdentifier[c.country], c.code))
		require.Equal(t, c.message, errcodes.MessageOf(err))
	}
}

// A bank's alias codes become its canonical code.
func TestAnAliasBecomesTheCanonicalBankCode(t *testing.T) {
	aliases := 0
	for _, country := range banks.Countries() {
		for _, bank := range banks.List(country) {
			for _, alias := range append(bank.Aliases, bank.Code) {
				number := anIdentifier[country]
				if len(bank.Digits) > 0 {
					number = strings.Repeat("1", bank.Digits[0])
				}
				found, err := market.Check(good(country, ports.BankAccount, number, alias))
				require.NoError(t, err, bank.Name)
				require.Equal(t, bank.Code, found.Account.BankCode)
				aliases++
			}
		}
	}
	require.Greater(t, aliases, 285)
}

// I21: the market ignores the bank code.
func TestIgnoredBankCodesAreNotChecked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := rapid.SampledFrom(market.Rules()).Draw(t, "market")
		if rule.BankCode != (market.Form{}) {
			t.Skip("required here")
		}
		req := good(rule.Country, rule.Type, drawIdentifier(t, rule.Market), "")
		want, wantErr := market.Check(req)
		req.BankCode = rapid.OneOf(rapid.String(), rapid.StringMatching(`[0-9]{2,6}`)).Draw(t, "code")
		got, err := market.Check(req)
		require.Equal(t, want, got)
		require.Equal(t, wantErr, err)
		require.Empty(t, got.Account.BankCode)
		require.Empty(t, got.Account.Branch)
	})
}

// Checking a found account again finds the same account.
func TestCheckIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := rapid.SampledFrom(market.Rules()).Draw(t, "market")
		req := good(rule.Country, rule.Type, respell(t, rule.Market, drawIdentifier(t, rule.Market)), drawBankCode(t, rule.Market))
		found, err := market.Check(req)
		if err != nil {
			t.Skip("no account")
		}
		require.Regexp(t, rule.Identifier.Pattern, found.Account.Identifier)
		req.AccountIdentifier, req.BankCode = found.Account.Identifier, found.Account.BankCode+found.Account.Branch
		again, err := market.Check(req)
		require.NoError(t, err)
		require.Equal(t, found.Account, again.Account)
	})
}

func TestSpacesCaseAndPlusDoNotChangeTheResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := rapid.SampledFrom(market.Rules()).Draw(t, "market")
		id := drawIdentifier(t, rule.Market)
		req := good(rule.Country, rule.Type, id, drawBankCode(t, rule.Market))
		want, wantErr := market.Check(req)
		req.AccountIdentifier = respell(t, rule.Market, id)
		got, err := market.Check(req)
		require.Equal(t, want, got)
		require.Equal(t, wantErr, err)
	})
}

func FuzzCheck(f *testing.F) {
	for _, rule := range market.Rules() {
		for _, id := range hostile {
			f.Add(aMerchant, rule.Country, string(rule.Type), id, aBank[rule.Country], "")
		}
	}
	f.Add(aMerchant, "NGA", "bank_account", "123 456 7895", "000014", "Ngozi")
	f.Add(aMerchant, "KEN", "bank_account", "0170197176640", "68000", "\xff")
	f.Add(aMerchant, "EGY", "bank_account", "eg38 0019 0005 0000 0000 2631 8000 2", "x", "محمد")
	f.Add(aMerchant, "ZWE", "institution_wallet", "+263 77 123 4567", "", "")
	f.Add("", "", "", "", "", "")
	f.Fuzz(func(t *testing.T, merchant, country, accountType, identifier, bankCode, name string) {
		req := market.Request{
			MerchantID: merchant, Country: country, AccountType: accountType,
			AccountIdentifier: identifier, BankCode: bankCode, AccountHolderName: name,
		}
		found, err := market.Check(req)
		if err != nil {
			require.Zero(t, found)
			if errors.Is(err, errcodes.Unprocessable) {
				badFields(t, err, errcodes.Unprocessable)
			} else {
				badFields(t, err, errcodes.InvalidRequest)
			}
			return
		}
		require.Equal(t, country, found.Account.Country)
		require.Equal(t, found.Verdict == market.CheckDigitFailed, found.Reason != "")
		req.AccountIdentifier, req.BankCode = found.Account.Identifier, found.Account.BankCode+found.Account.Branch
		again, err := market.Check(req)
		require.NoError(t, err)
		require.Equal(t, found.Account, again.Account)
	})
}
