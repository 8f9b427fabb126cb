package market_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/banks"
	"github.com/corridor-go/corridor/validation/market"
)

func TestIBANsBuiltByTheRegistryPass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		iban := drawIBAN(t)
		canonical, verdict, ok := market.IBAN(iban)
		require.True(t, ok)
		require.Equal(t, market.CheckDigitPassed, verdict)
		require.Equal(t, iban, canonical)
	})
}

// The test uses big integers for each possible remainder of a BBAN: of 100 pairs of check
// digits exactly one is right.
func TestIBANVerdictIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		front := rapid.StringMatching(`[0-9]{23}`).Draw(t, "front")
		for back := range 97 {
			bban, passed := fmt.Sprintf("%s%02d", front, back), 0
			base, _ := new(big.Int).SetString(bban+"141600", 10)
			remainder := int(base.Mod(base, big.NewInt(97)).Int64())
			for check := range 100 {
				_, verdict, ok := market.IBAN(fmt.Sprintf("EG%02d%s", check, bban))
				exact := (remainder+check)%97 == 1 && check >= 2 && check <= 98
				if !ok || exact != (verdict == market.CheckDigitPassed) {
					t.Fatalf("EG%02d%s: %s", check, bban, verdict)
				}
				if exact {
					passed++
				}
			}
			require.Equal(t, 1, passed)
		}
	})
}

func TestIBANDetectsEveryWrongDigitAndEverySwap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		iban := drawIBAN(t)
		for i := 2; i < len(iban); i++ {
			for _, wrong := range wrongDigits(iban, i) {
				_, verdict, ok := market.IBAN(wrong)
				require.True(t, ok)
				require.Equal(t, market.CheckDigitFailed, verdict, wrong)
			}
			if i+1 == len(iban) || iban[i] == iban[i+1] {
				continue
			}
			_, verdict, _ := market.IBAN(swap(iban, i))
			require.Equal(t, market.CheckDigitFailed, verdict, swap(iban, i))
		}
	})
}

func TestIBANAcceptsOnlyOneForm(t *testing.T) {
	const iban = "EG380019000500000000263180002"
	for _, text := range []string{
		"", "E", "EG", iban[:28], iban + "0", iban[:28] + "A", "GE" + iban[2:], "FG" + iban[2:], "Eg" + iban[2:27] + "eg",
		"EG3A" + iban[4:], "EG-3" + iban[4:], "EGA8" + iban[4:], iban[:10] + "\t" + iban[11:], "EG" + iban,
		"ſG" + iban[2:28], "EG38" + strings.Repeat("\xff", 25), "E\xff" + iban[2:],
	} {
		canonical, verdict, ok := market.IBAN(text)
		require.False(t, ok, text)
		require.Empty(t, canonical)
		require.Empty(t, verdict)
	}
	for _, text := range []string{"eg" + iban[2:], "Eg" + iban[2:], "eG" + iban[2:], " E G" + iban[2:], iban + "   "} {
		canonical, verdict, ok := market.IBAN(text)
		require.True(t, ok, text)
		require.Equal(t, iban, canonical)
		require.Equal(t, market.CheckDigitPassed, verdict)
	}
}

// nubanDigit computes the check digit as the standard defines it: weights 3, 7, 3 over
// code and serial, subtracted from the next ten.
func nubanDigit(code, serial string) byte {
	sum := 0
	for i, c := range code + serial {
		sum += int(c-'0') * [3]int{3, 7, 3}[i%3]
	}
	return byte('0' + (10-sum%10)%10)
}

func drawNUBAN(t *rapid.T) (code, number string) {
	code = rapid.StringMatching(`[0-9]{3}|9[0-8][0-9]{4}`).Draw(t, "code")
	serial := rapid.StringMatching(`[0-9]{9}`).Draw(t, "serial")
	return code, serial + string(nubanDigit(code, serial))
}

func TestNUBANsBuiltByTheStandardPass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code, number := drawNUBAN(t)
		canonical, verdict, ok := market.NUBAN(code, number)
		require.True(t, ok)
		require.Equal(t, market.CheckDigitPassed, verdict)
		require.Equal(t, number, canonical)
	})
}

// A bank's code of 3 digits is the revised standard's code with 000 in front.
func TestNUBANDetectsWrongDigitsAndTheDocumentedSwaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code, number := drawNUBAN(t)
		for i := range number {
			for _, wrong := range wrongDigits(number, i) {
				_, verdict, ok := market.NUBAN(code, wrong)
				require.True(t, ok)
				require.Equal(t, market.CheckDigitFailed, verdict, wrong)
			}
			if i+1 == len(number) {
				continue
			}
			apart := int(number[i]) - int(number[i+1])
			missed := apart%5 == 0 || i == 2 || i == 5
			_, verdict, _ := market.NUBAN(code, swap(number, i))
			require.Equal(t, missed, verdict == market.CheckDigitPassed, "%s, swapped at %d", number, i)
		}
	})
}

func TestNUBANChecksOnlyCentralBankCodes(t *testing.T) {
	for code, judged := range map[string]bool{
		"044": true, "000": true, "999": true, "950547": true, "900000": true, "999989": true,
		"000014": false, "090405": false, "100004": false, "120001": false, "999991": false, "999992": false, "999999": false,
	} {
		seen := map[string]int{}
		for last := range 10 {
			_, verdict, ok := market.NUBAN(code, fmt.Sprint("803000000", last))
			require.True(t, ok)
			seen[string(verdict)]++
		}
		want := map[string]int{"well_formed": 10}
		if judged {
			want = map[string]int{"check_digit_passed": 1, "check_digit_failed": 9}
		}
		require.Equal(t, want, seen, code)
	}
}

func TestNUBANAcceptsOnlyOneForm(t *testing.T) {
	for _, c := range [][2]string{
		{"", "1234567895"}, {"44", "1234567895"}, {"0044", "1234567895"}, {"50547", "1234567895"}, {"0000044", "1234567895"},
		{"04A", "1234567895"}, {"0/4", "1234567895"}, {"0:4", "1234567895"}, {"044", "123456789"}, {"044", "12345678950"},
		{"044", "123456789A"}, {"044", "A234567895"}, {"044", "12345 678-5"}, {"044", ""}, {"000014", "12345678a5"},
	} {
		canonical, verdict, ok := market.NUBAN(c[0], c[1])
		require.False(t, ok, "%q", c)
		require.Empty(t, canonical)
		require.Empty(t, verdict)
	}
}

// Any character may be in the place of a digit.
func TestOnlyDigitsAreDigits(t *testing.T) {
	const iban, code, number, msisdn = "EG380019000500000000263180002", "950547", "0000214579", "254712345678"
	for c := range 256 {
		other := string([]byte{byte(c)})
		if c >= '0' && c <= '9' {
			continue
		}
		for i := 2; i < len(iban); i++ {
			_, _, ok := market.IBAN(iban[:i] + other + iban[i+1:])
			require.False(t, ok, "%q", c)
		}
		for i := range number {
			_, _, ok := market.NUBAN(code, number[:i]+other+number[i+1:])
			require.False(t, ok, "%q", c)
		}
		for i := range code {
			_, _, ok := market.NUBAN(code[:i]+other+code[i+1:], number)
			require.False(t, ok, "%q", c)
		}
		for i := range msisdn {
			_, ok := market.MSISDN("KEN", msisdn[:i]+other+msisdn[i+1:])
			require.False(t, ok, "%q", c)
		}
		_, err := market.Check(good("ZWE", ports.InstitutionWallet, "INB44"+other+"1", ""))
		require.Equal(t, c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.ContainsRune(" .-_", rune(c)), err == nil, "%q", c)
	}
}

// wrongDigits returns text with each other digit at i.
func wrongDigits(text string, i int) []string {
	var out []string
	for c := byte('0'); c <= '9'; c++ {
		if c != text[i] {
			out = append(out, text[:i]+string(c)+text[i+1:])
		}
	}
	return out
}

func swap(text string, i int) string {
	return text[:i] + string(text[i+1]) + string(text[i]) + text[i+2:]
}

// A provider's own three-digit code is an alias: check digits are computed with the
// central bank's code.
func TestAnAliasIsCheckedWithItsBanksCode(t *testing.T) {
	req := market.Request{
		MerchantID: "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f", Country: "NGA", AccountType: "bank_account", BankCode: "566",
	}
	bank, known := banks.Find("NGA", "566")
	require.True(t, known)
	require.NotEqual(t, "566", bank.Code, "an alias")
	for last := '0'; last <= '9'; last++ {
		req.AccountIdentifier = "100000000" + string(last)
		found, err := market.Check(req)
		require.NoError(t, err)
		_, want, ok := market.NUBAN(bank.Code, req.AccountIdentifier)
		require.True(t, ok)
		require.Equal(t, want, found.Verdict, "and never that of 566")
	}
}
