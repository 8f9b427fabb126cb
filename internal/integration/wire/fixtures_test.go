package wire_test

import (
	"net/http/httptest"
	"regexp"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

// Services choose ids and tokens, and a test's requests name them beforehand:
// with a house behind the servers, names that are fixtures stand for what is in
// the store under another.
const (
	acmesToken = "tok-acme"
	betasToken = "tok-beta"
	acmesLock  = "rl_1"
)

// real puts what the store has in place of the fixtures in text.
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

// known makes what a fixture stands for when it is first named, by the first
// server and past the wire.
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

// fill leaves no place for another lock of acme's.
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

// chosen are the parts of an answer that services choose; a lock's time is later
// by a millisecond than that of the lock before it.
var chosen = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`"rateLockId":"rl_[^"]+"`), `"rateLockId":"rl_1"`},
	{regexp.MustCompile(`"id":"[0-9a-f-]{36}"`), `"id":"` + validationID + `"`},
	{regexp.MustCompile(`"access_token":"cor_at_[^"]{43}"`), `"access_token":"` + acmesToken + `"`},
	{regexp.MustCompile(`15:00:00\.00[0-9]Z`), `15:00:00.000Z`},
}

// told is an answer's body as it would be if services chose what fakes do.
func (a *api) told(w *httptest.ResponseRecorder) string {
	body := w.Body.String()
	if a.house == nil {
		return body
	}
	for _, c := range chosen {
		body = c.what.ReplaceAllString(body, c.with)
	}
	return body
}
