package wire_test

import (
	"net/http/httptest"
	"regexp"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

// Services choose ids and tokens, but a test's requests contain them in advance. If there
// is a house behind the servers, fixture names stand for the actual ones in the store.
// the store under another.
const (
	acmesToken = "tok-acme"
	betasToken = "tok-beta"
	acmesLock  = "rl_1"
)

// real replaces the fixtures in text by the actual values.
func (a *api) real(text string) string {
	a.t.Helper()
	if a.house == nil {
		return text
	}
	names := []string{acmesToken, betasToken}
	if a.fixtures {
		names = append(names, acmesLock, validationID)
	}
	for _, name := range names {
		if upper := strings.ToUpper(name); strings.Contains(strings.ToUpper(text), upper) {
			known := a.known(name)
			text = strings.NewReplacer(name, known, upper, strings.ToUpper(known)).Replace(text)
		}
	}
	return text
}

// known creates what a fixture stands for when it first occurs, directly at the first
// server.
func (a *api) known(fixture string) (made string) {
	a.t.Helper()
	if made, ok := a.made[fixture]; ok {
		return made
	}
	one, ctx := a.house.processes[0], a.t.Context()
	switch fixture {
	case acmesLock:
		lock, _, err := one.locks.Create(ctx, "acme", usdZAR)
		require.NoError(a.t, err)
		made = lock.ID
	case validationID:
		v, err := one.accounts.Validate(ctx, "acme", market.Request{
			MerchantID: "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f", Country: "NGA", AccountType: "bank_account",
			AccountIdentifier: "0690000032", BankCode: "044",
		})
		require.NoError(a.t, err)
		made = v.ID
	default:
		token, _, err := one.auth.Issue(ctx, strings.TrimPrefix(fixture, "tok-"), "s3cret")
		require.NoError(a.t, err)
		made = token
	}
	if a.made == nil {
		a.made = map[string]string{}
	}
	a.made[fixture] = made
	return made
}

// fill leaves no place for another lock of acme.
func (a *api) fill() {
	a.t.Helper()
	a.locks.minted = false
	for range ports.MaxLiveLocks {
		if a.house != nil {
			_, minted, err := a.house.next().locks.Create(a.t.Context(), "acme", usdZAR)
			require.NoError(a.t, err)
			require.True(a.t, minted)
		}
	}
}

// chosen are the parts of a response that services choose. A lock's time is a millisecond
// later than that of the previous lock.
var chosen = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`"rateLockId":"rl_[^"]+"`), `"rateLockId":"rl_1"`},
	{regexp.MustCompile(`"id":"[0-9a-f-]{36}"`), `"id":"` + validationID + `"`},
	{regexp.MustCompile(`"access_token":"cor_at_[^"]{43}"`), `"access_token":"` + acmesToken + `"`},
	{regexp.MustCompile(`15:00:00\.00[0-9]Z`), `15:00:00.000Z`},
}

// asFake returns a response's body with the values that fakes use.
func (a *api) asFake(w *httptest.ResponseRecorder) string {
	body := w.Body.String()
	if a.house == nil {
		return body
	}
	for _, c := range chosen {
		body = c.what.ReplaceAllString(body, c.with)
	}
	return body
}
