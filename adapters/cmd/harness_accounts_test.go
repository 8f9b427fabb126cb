package cmd

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// These are the clients in a shop's clients file. beta may use only one merchant.
const (
	acmeSecret    = "the secret of acme"
	betaSecret    = "the secret of beta"
	anyMerchantID = "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f"
	betaMerchant  = "11111111-2222-4333-8444-555555555555"
)

// clientsFile creates a clients file. It sets no environment variable, so that tests can
// run in parallel.
func clientsFile(t *testing.T) (path string) {
	t.Helper()
	hash := func(secret string) []secretEntry {
		sum := sha256.Sum256([]byte(secret))
		return []secretEntry{{SHA256: hex.EncodeToString(sum[:])}}
	}
	text, err := json.Marshal([]entry{
		{ID: "acme", Secrets: hash(acmeSecret), Merchants: []string{"*"}},
		{ID: "beta", Secrets: hash(betaSecret), Merchants: []string{betaMerchant}},
	})
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "clients.json")
	write(t, path, string(text))
	return path
}

// serveAccounts serves acme with the sandbox's accounts and rates.
func serveAccounts(t *testing.T, store string, args ...string) *running {
	t.Helper()
	return serveAcme(t, append([]string{"--sandbox", "--store", store}, args...)...)
}

// in returns the service for a subtest.
func (s *running) in(t *testing.T) *running {
	t.Helper()
	own := *s
	own.t = t
	return &own
}

// testMarket is a market with one of its banks.
type testMarket struct {
	name, country, kind, bank string
	ending                    func(end string) string // returns an identifier with this ending, of 4 digits or more
}

var markets = []testMarket{
	{"NGA bank_account", "NGA", "bank_account", "044", func(end string) string { return nubanEnding("044", lead("069017", end), end) }},
	{"EGY bank_account", "EGY", "bank_account", "", func(end string) string { return egyptianEnding(lead("001700010000001234567", end), end) }},
	{"ZAF bank_account", "ZAF", "bank_account", "632005", func(end string) string { return lead("405123", end) + end }},
	{"GHA bank_account", "GHA", "bank_account", "280", func(end string) string { return lead("104117302", end) + end }},
	{"KEN bank_account", "KEN", "bank_account", "01", func(end string) string { return lead("115227", end) + end }},
	{"KEN mobile_money", "KEN", "mobile_money", "", func(end string) string { return lead("25471234", end) + end }},
	{"GHA mobile_money", "GHA", "mobile_money", "", func(end string) string { return lead("23324123", end) + end }},
	{"ZWE institution_wallet", "ZWE", "institution_wallet", "", func(end string) string { return lead("26377234", end) + end }},
}

var nigeria, egypt, ghana, kenyaBank, kenyaMobile = markets[0], markets[1], markets[3], markets[4], markets[5]

// lead leaves room for an ending of more than 4 digits.
func lead(digits, end string) string { return digits[:len(digits)+4-len(end)] }

// nubanEnding increments the serial until the check digit equals the last digit of the
// ending: weights 3, 7, 3 over the bank's code and the serial.
func nubanEnding(bank, serial, end string) string {
	for from := number(serial); ; from++ {
		account := fmt.Sprintf("%0*d%s", len(serial), from, end)
		sum := 0
		for i, digit := range bank + account[:9] {
			sum += int(digit-'0') * []int{3, 7, 3}[i%3]
		}
		if (10-sum%10)%10 == int(account[9]-'0') {
			return account
		}
	}
}

func number(digits string) (n int) {
	_, err := fmt.Sscanf(digits, "%d", &n)
	if err != nil {
		panic(err)
	}
	return n
}

// egyptianEnding computes the two check digits of ISO 13616.
func egyptianEnding(lead, end string) string {
	rearranged, ok := new(big.Int).SetString(lead+end+"1416"+"00", 10)
	if !ok || len(lead+end) != 25 {
		panic("no account: " + lead + end)
	}
	check := 98 - new(big.Int).Mod(rearranged, big.NewInt(97)).Int64()
	return fmt.Sprintf("EG%02d%s%s", check, lead, end)
}

// asking is the body of a validation request. Empty fields are left out.
type asking struct {
	MerchantID        string `json:"merchantId,omitempty"`
	Country           string `json:"country,omitempty"`
	AccountType       string `json:"accountType,omitempty"`
	AccountIdentifier string `json:"accountIdentifier,omitempty"`
	BankCode          string `json:"bankCode,omitempty"`
	AccountHolderName string `json:"accountHolderName,omitempty"`
}

func (m testMarket) asking(end string) asking {
	return asking{MerchantID: anyMerchantID, Country: m.country, AccountType: m.kind, AccountIdentifier: m.ending(end), BankCode: m.bank}
}

func (a asking) named(name string) asking {
	a.AccountHolderName = name
	return a
}

// validate sends the request, whose status must be 200, and returns the result. On a busy
// machine the first response may be pending.
func (s *running) validate(a asking) map[string]any {
	s.t.Helper()
	status, body := s.ask(a)
	require.Equal(s.t, http.StatusOK, status, body)
	if body["status"] == "pending" {
		return s.ended(body["id"])
	}
	return body
}

// pending asks about accounts whose provider needs three seconds until a response is
// pending, as the first one is unless the machine is busy.
func (s *running) pending(m testMarket, name string) (asking, map[string]any) {
	s.t.Helper()
	for n := 9; n > 0; n-- {
		a := m.asking(strconv.Itoa(n) + "0002").named(name)
		status, body := s.ask(a)
		require.Equal(s.t, http.StatusOK, status, body)
		if body["status"] == "pending" {
			return a, body
		}
	}
	require.FailNow(s.t, "no response is pending")
	panic("unreachable")
}

func (s *running) ask(a asking) (int, map[string]any) {
	s.t.Helper()
	text, err := json.Marshal(a)
	require.NoError(s.t, err)
	return s.do(http.MethodPost, "/accounts/validate", string(text))
}

func (s *running) validation(id any) (int, map[string]any) {
	s.t.Helper()
	return s.do(http.MethodGet, "/accounts/validate/"+id.(string), "")
}

// ended polls a validation until it has ended.
func (s *running) ended(id any) (body map[string]any) {
	s.t.Helper()
	s.eventually(func() bool {
		var status int
		status, body = s.validation(id)
		require.Equal(s.t, http.StatusOK, status, body)
		return body["status"] != "pending"
	}, "still pending")
	return body
}

// requireResult compares all fields except id and expiresAt. id must be present, and
// expiresAt if kept is set.
func requireResult(t *testing.T, body map[string]any, kept bool, want map[string]any) {
	t.Helper()
	got := maps.Clone(body)
	require.Regexp(t, "^[0-9a-f-]{36}$", got["id"])
	delete(got, "id")
	if kept {
		require.Contains(t, got, "expiresAt")
		delete(got, "expiresAt")
	}
	require.Equal(t, want, got)
}

// requireUntold requires that the text contains no personal data.
func requireUntold(t *testing.T, text string, personal ...string) {
	t.Helper()
	folded := strings.ToLower(text)
	for _, p := range personal {
		require.NotContains(t, folded, strings.ToLower(p), "%s is printed", p)
	}
}
