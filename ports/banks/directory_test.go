package banks_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports/banks"
)

func everyBank() []banks.Bank {
	var all []banks.Bank
	for _, country := range banks.Countries() {
		all = append(all, banks.List(country)...)
	}
	return all
}

func codesOf(bank banks.Bank) []string { return append([]string{bank.Code}, bank.Aliases...) }

func drawBank(t *rapid.T) banks.Bank { return rapid.SampledFrom(everyBank()).Draw(t, "bank") }

func TestOnlyFourMarketsHaveATable(t *testing.T) {
	assert.Equal(t, []string{"GHA", "KEN", "NGA", "ZAF"}, banks.Countries())
	for _, country := range []string{"EGY", "ZWE", "ZZZ", "nga", ""} {
		assert.Empty(t, banks.List(country), country)
	}
	_, err := time.Parse(time.DateOnly, banks.Version)
	assert.NoError(t, err)
}

func TestABankIsFoundByEachOfItsCodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bank := drawBank(t)
		code := rapid.SampledFrom(codesOf(bank)).Draw(t, "code")
		found, ok := banks.Find(bank.Country, code)
		if !ok || !assert.ObjectsAreEqual(bank, found) {
			t.Fatalf("Find(%s, %s) = %+v, %v", bank.Country, code, found, ok)
		}
		if got := banks.Canonical(bank.Country, code); got != bank.Code {
			t.Fatalf("Canonical(%s, %s) = %s, want %s", bank.Country, code, got, bank.Code)
		}
		for provider, want := range bank.Providers {
			if got, ok := banks.Code(provider, bank.Country, code); !ok || got != want {
				t.Fatalf("Code(%s, %s, %s) = %s, %v, want %s", provider, bank.Country, code, got, ok, want)
			}
		}
	})
}

func TestACodeIsFoundInItsOwnMarketOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bank := drawBank(t)
		other := rapid.SampledFrom(append(banks.Countries(), "EGY", "ZZZ", "")).Draw(t, "other")
		found, ok := banks.Find(other, bank.Code)
		if ok && found.Country != other {
			t.Fatalf("Find(%q, %s) returned a bank of %s", other, bank.Code, found.Country)
		}
	})
}

func TestNoTwoBanksHaveTheSameProvidersCode(t *testing.T) {
	owners := map[[3]string]string{}
	for _, bank := range everyBank() {
		if strings.HasPrefix(bank.Note, "merged into ") {
			continue // its successor's code may serve it too
		}
		for provider := range bank.Providers {
			own, ok := banks.Code(provider, bank.Country, bank.Code)
			require.True(t, ok)
			owner, taken := owners[[3]string{provider, bank.Country, own}]
			assert.False(t, taken, "%s knows %s and %s as %s", provider, owner, bank.Name, own)
			owners[[3]string{provider, bank.Country, own}] = bank.Name
		}
	}
	assert.Greater(t, len(owners), 300)
}

func TestAnUnknownBankHasNoProvidersCode(t *testing.T) {
	for _, code := range []string{"", "999", "000999", "O44", " 044", "０４４", strings.Repeat("0", 10_000)} {
		_, ok := banks.Find("NGA", code)
		assert.False(t, ok, code)
		assert.Equal(t, code, banks.Canonical("NGA", code))
		own, ok := banks.Code("paystack", "NGA", code)
		assert.False(t, ok)
		assert.Empty(t, own)
	}
	_, ok := banks.Code("nobody", "NGA", "044")
	assert.False(t, ok, "an unknown provider")
}

func TestKenyasLongerFormsFindTheBank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bank := rapid.SampledFrom(banks.List("KEN")).Draw(t, "bank")
		branch := rapid.StringMatching(`[0-9]{3}`).Draw(t, "branch")
		for _, form := range []string{bank.Code, "00" + bank.Code, bank.Code + branch} {
			if got := banks.Canonical("KEN", form); got != bank.Code {
				t.Fatalf("Canonical(KEN, %s) = %s, want %s", form, got, bank.Code)
			}
		}
	})
	for _, code := range []string{"0", "680", "1068", "6800", "0068 ", "68A00", "68 00", "680000", "00680", "6８00"} {
		assert.Equal(t, code, banks.Canonical("KEN", code), "not a form of Equity's 68")
	}
}

// Banks whose codes are easily confused.
func TestConfusableCodesFindTheRightBank(t *testing.T) {
	for name, c := range map[string]struct {
		country, code, canonical, paystack, flutterwave string
	}{
		"Access":                            {"NGA", "044", "044", "044", "044"},
		"Access by its NIP code":            {"NGA", "000014", "044", "044", "044"},
		"NIP 000011 is Unity":               {"NGA", "000011", "215", "215", "215"},
		"CBN 011 is First Bank":             {"NGA", "011", "011", "011", "011"},
		"OPay by Paystack's code":           {"NGA", "999992", "100004", "999992", "100004"},
		"PalmPay by Paystack's code":        {"NGA", "999991", "100033", "999991", "100033"},
		"Kuda by its NIP code":              {"NGA", "090267", "950211", "50211", "090267"},
		"Moniepoint":                        {"NGA", "950515", "950515", "50515", "090405"},
		"Globus, which Paystack pads":       {"NGA", "103", "103", "00103", "000027"},
		"VFD by Paystack's code":            {"NGA", "566", "090110", "566", "090110"},
		"Stanbic IBTC by a clearing code":   {"NGA", "039", "221", "221", "221"},
		"Kuda by TransferZero's code":       {"NGA", "611", "950211", "50211", "090267"},
		"Moniepoint by TransferZero's code": {"NGA", "993", "950515", "50515", "090405"},
		"312 is claimed by two banks":       {"NGA", "312", "312", "", ""},
		"305 is claimed by two banks":       {"NGA", "305", "305", "", ""},
		"Heritage has closed":               {"NGA", "030", "030", "", ""},
		"030 is Absa in Ghana":              {"GHA", "030", "030", "030100", "GH030100"},
		"040 is GCB in Ghana":               {"GHA", "040", "040", "040100", "GH040100"},
		"031 is only a branch code of Absa": {"GHA", "031", "031", "", ""},
		"BSIC merged into OmniBSIC":         {"GHA", "270", "270", "360100", "GH360100"},
		"Standard Bank":                     {"ZAF", "051001", "051001", "051001", ""},
		"Titan Trust merged into Union":     {"NGA", "000025", "102", "102", "000025"},
		"Equity, a branch":                  {"KEN", "68000", "68", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.canonical, banks.Canonical(c.country, c.code))
			paystack, _ := banks.Code("paystack", c.country, c.code)
			assert.Equal(t, c.paystack, paystack)
			flutterwave, _ := banks.Code("flutterwave", c.country, c.code)
			assert.Equal(t, c.flutterwave, flutterwave)
		})
	}
}

// What became of banks that closed, merged, opened or changed their name.
func TestBanksThatClosedOrChanged(t *testing.T) {
	for name, c := range map[string]struct{ country, code, canonical, bank, note string }{
		"Titan Trust keeps its code":         {"NGA", "102", "102", "Titan Trust Bank", "merged into Union Bank of Nigeria (032) in 2025"},
		"Diamond keeps its code":             {"NGA", "063", "063", "Access Bank (Diamond)", "merged into Access Bank (044) in 2019"},
		"BSIC keeps its code":                {"GHA", "270", "270", "BSIC Ghana", "merged into OmniBSIC Bank (360) in 2019"},
		"GHL keeps its code":                 {"GHA", "390", "390", "GHL Bank", "merged into First National Bank Ghana (330) in 2020"},
		"Postbank has opened":                {"KEN", "62", "62", "Postbank Kenya", ""},
		"Postbank, a branch":                 {"KEN", "62001", "62", "Postbank Kenya", ""},
		"Old Mutual has opened":              {"ZAF", "462105", "462105", "Old Mutual Bank", "352000 on some lists"},
		"Old Mutual's other code":            {"ZAF", "352000", "352000", "OM Bank (Old Mutual)", "462105 on some lists"},
		"HBZ":                                {"ZAF", "570105", "570105", "HBZ Bank", ""},
		"Grindrod has a new owner and name":  {"ZAF", "584000", "584000", "African Bank Business", "formerly Grindrod Bank, bought by African Bank (430000) in 2022"},
		"Access is not rewritten":            {"ZAF", "410506", "410506", "Access Bank South Africa (formerly Bank of Athens)", "410105 on some lists"},
		"Access by the other code":           {"ZAF", "410105", "410105", "Access Bank South Africa", "410506 on some lists"},
		"Mercantile became Capitec Business": {"ZAF", "450905", "450105", "Capitec Business (Mercantile Bank)", "formerly Mercantile Bank; 450905 was its code"},
	} {
		t.Run(name, func(t *testing.T) {
			bank, ok := banks.Find(c.country, c.code)
			require.True(t, ok)
			assert.Equal(t, []string{c.canonical, c.bank, c.note}, []string{bank.Code, bank.Name, bank.Note})
		})
	}
	for name, closed := range map[string][]string{
		"ASO Savings": {"NGA", "090001", "401"}, "Heritage": {"NGA", "030", "000020"}, "Spire": {"KEN", "49", "49000"},
	} {
		for _, code := range closed[1:] {
			_, ok := banks.Find(closed[0], code)
			assert.False(t, ok, "%s by %s", name, code)
		}
	}
}

// Account numbers that are telephone numbers have no check digit.
func TestWalletsHavePhoneAccounts(t *testing.T) {
	for _, code := range []string{
		"100004", "999992", "100033", "999991", "100002", "327", "311",
		"120001", "120002", "120003", "120004", "120005", "946", "950515", "993",
	} {
		bank, ok := banks.Find("NGA", code)
		assert.True(t, ok && bank.PhoneAccounts, code)
	}
	for _, code := range []string{"044", "058", "950211", "214"} {
		bank, ok := banks.Find("NGA", code)
		assert.True(t, ok && !bank.PhoneAccounts, code)
	}
}

func TestListIsSortedByName(t *testing.T) {
	for _, country := range banks.Countries() {
		list := banks.List(country)
		assert.NotEmpty(t, list)
		assert.True(t, slices.IsSortedFunc(list, func(a, b banks.Bank) int {
			return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
		}), country)
	}
}

func TestListReturnsACopy(t *testing.T) {
	for _, bank := range banks.List("NGA") {
		if bank.Code == "044" {
			bank.Aliases[0], bank.Digits[0], bank.Providers["paystack"] = "spoiled", 0, "spoiled"
		}
	}
	bank, ok := banks.Find("NGA", "000014")
	require.True(t, ok)
	assert.Equal(t, []string{"000014"}, bank.Aliases)
	assert.Equal(t, []int{10}, bank.Digits)
	assert.Equal(t, "044", bank.Providers["paystack"])
}

func TestReadersShareTheDirectory(t *testing.T) {
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for _, bank := range everyBank() {
				if got := banks.Canonical(bank.Country, bank.Code); got != bank.Code {
					t.Errorf("Canonical(%s, %s) = %s", bank.Country, bank.Code, got)
				}
				bank.Providers["mine"] = "mine"
			}
		})
	}
	readers.Wait()
}

func FuzzFind(f *testing.F) {
	for _, seed := range [][2]string{
		{"NGA", "044"}, {"NGA", "000014"}, {"KEN", "68"}, {"KEN", "0068"}, {"KEN", "68000"}, {"KEN", "00"},
		{"GHA", "280"}, {"ZAF", "051001"}, {"EGY", "0019"}, {"", ""}, {"KEN", "\xff\xfe\xfd\xfc\xfb"}, {"NGA", "０４４"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, country, code string) {
		bank, ok := banks.Find(country, code)
		canonical := banks.Canonical(country, code)
		switch {
		case !ok && canonical != code:
			t.Errorf("Canonical(%q, %q) = %q of an unknown bank", country, code, canonical)
		case ok && (canonical != bank.Code || bank.Country != country):
			t.Errorf("Find(%q, %q) = %s %s, canonical %q", country, code, bank.Country, bank.Code, canonical)
		}
		if again := banks.Canonical(country, canonical); again != canonical {
			t.Errorf("Canonical is not idempotent: %q, then %q", canonical, again)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, _ = banks.Find("NGA", "000014")
	}
}
