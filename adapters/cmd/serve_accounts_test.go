package cmd

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const holder = "AMA SERWAA MENSAH"

// The test covers each row of the sandbox's table in each market.
func TestSandboxAccountsHaveTheirResults(t *testing.T) {
	at(t, sandboxAccountsHaveTheirResults, inMemory, shared)
}

func sandboxAccountsHaveTheirResults(t *testing.T, store string) {
	s := serveAccounts(t, store)
	verified := func(provider string) map[string]any {
		return map[string]any{"status": "verified", "provider": provider, "accountHolderName": holder, "validationType": "external"}
	}
	for _, m := range markets {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			s := s.in(t)
			requireResult(t, s.validate(m.asking("0000")), true, map[string]any{
				"status": "not_found", "provider": "sandbox", "validationType": "external", "failureReason": "The account does not exist",
			})
			requireResult(t, s.validate(m.asking("0001")), false, map[string]any{
				"status": "error", "provider": "sandbox-standby", "validationType": "external", "failureReason": "The bank could not process the enquiry",
			})
			requireResult(t, s.validate(m.asking("0005")), true, verified("sandbox"))
			requireResult(t, s.validate(m.asking("0004")), true, verified("sandbox-standby"))

			_, slow := s.pending(m, "")
			requireResult(t, slow, false, map[string]any{"status": "pending", "provider": "sandbox"})
			ended := s.ended(slow["id"])
			require.Equal(t, slow["id"], ended["id"])
			requireResult(t, ended, true, verified("sandbox"))
			status, again := s.validation(slow["id"])
			require.Equal(t, http.StatusOK, status)
			require.Equal(t, ended, again, "terminal statuses are final")
		})
	}
}

// I17: the validation ends as an error at the timeout.
func TestASilentProviderIsAnErrorAtTheTimeout(t *testing.T) {
	at(t, aSilentProviderIsAnErrorAtTheTimeout, inMemory, shared)
}

func aSilentProviderIsAnErrorAtTheTimeout(t *testing.T, store string) {
	s := serveAccounts(t, store, "--validation-timeout", "8s")
	for _, m := range []testMarket{nigeria, kenyaMobile} {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			s := s.in(t)
			status, pending := s.ask(m.asking("0003"))
			require.Equal(t, http.StatusOK, status)
			require.Equal(t, "pending", pending["status"])
			ended := s.ended(pending["id"])
			requireResult(t, ended, false, map[string]any{
				"status": "error", "provider": ended["provider"], "validationType": "external", "failureReason": "The provider did not answer in time",
			})
		})
	}
}

// SERVICE 12, I20: the second and third requests cause no lookup, and each is judged by
// its own name.
func TestNamesAreComparedWithTheCachedAnswer(t *testing.T) {
	at(t, namesAreComparedWithTheCachedAnswer, inMemory, shared)
}

func namesAreComparedWithTheCachedAnswer(t *testing.T, store string) {
	s := serveAccounts(t, store)
	const asked = `corridor_connector_duration_seconds_count{connector="sandbox",outcome="found"}`
	const hits = `corridor_validation_cache_hits_total{country="GHA",type="bank_account"}`
	account := ghana.asking("4711")
	match := map[string]any{"status": "verified", "provider": "sandbox", "accountHolderName": holder, "validationType": "external"}
	mismatch := map[string]any{
		"status": "name_mismatch", "provider": "sandbox", "accountHolderName": holder, "validationType": "external",
		"failureReason": "The provider returned a different name",
	}
	ids := map[any]bool{}
	expiry := ""
	for i, c := range []struct {
		name string
		want map[string]any
	}{
		{"Ama Serwaa Mensah", match}, {"Kofi Boateng", mismatch}, {"", match}, {"mensah, ama serwaa", match}, {"Kofi Boateng", mismatch},
	} {
		body := s.validate(account.named(c.name))
		requireResult(t, body, true, c.want)
		if i == 0 {
			expiry = body["expiresAt"].(string)
		}
		require.Equal(t, expiry, body["expiresAt"], "all rest on one answer")
		ids[body["id"]] = true
		status, read := s.validation(body["id"])
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, body, read)
		require.InDelta(t, 1, s.metric(asked), 0, "one lookup for all")
		require.InDelta(t, i, s.metric(hits), 0)
	}
	require.Len(t, ids, 5, "each request has an id of its own")
}

// The rows have the statuses of malformed requests and of requests that violate a rule.
func TestBadValidationRequestsAreRejected(t *testing.T) {
	at(t, badValidationRequestsAreRejected, inMemory, shared)
}

func badValidationRequestsAreRejected(t *testing.T, store string) {
	s := serveAccounts(t, store)
	good := nigeria.asking("4711")
	change := func(fn func(a *asking)) asking {
		a := good
		fn(&a)
		return a
	}
	for name, c := range map[string]struct {
		asking asking
		status int
		says   string
	}{
		"no merchant":                 {change(func(a *asking) { a.MerchantID = "" }), 400, "merchantId"},
		"a merchant, not a UUID":      {change(func(a *asking) { a.MerchantID = "shop" }), 400, "merchantId"},
		"no country":                  {change(func(a *asking) { a.Country = "" }), 400, "country"},
		"a country of two letters":    {change(func(a *asking) { a.Country = "NG" }), 400, "country"},
		"an unsupported country":      {change(func(a *asking) { a.Country = "UGA" }), 422, "country"},
		"a type of other countries":   {change(func(a *asking) { a.AccountType = "institution_wallet" }), 422, "country"},
		"no type":                     {change(func(a *asking) { a.AccountType = "" }), 400, "accountType"},
		"an unknown type":             {change(func(a *asking) { a.AccountType = "purse" }), 400, "accountType"},
		"no identifier":               {change(func(a *asking) { a.AccountIdentifier = "" }), 400, "accountIdentifier"},
		"an identifier too short":     {change(func(a *asking) { a.AccountIdentifier = "069017471" }), 400, "accountIdentifier"},
		"an identifier of letters":    {change(func(a *asking) { a.AccountIdentifier = "069O174711" }), 400, "accountIdentifier"},
		"no bank code":                {change(func(a *asking) { a.BankCode = "" }), 422, "bankCode"},
		"an ill-formed bank code":     {change(func(a *asking) { a.BankCode = "44" }), 422, "bankCode"},
		"a name without a letter":     {change(func(a *asking) { a.AccountHolderName = "12345" }), 400, "accountHolderName"},
		"malformed and unprocessable": {change(func(a *asking) { a.BankCode, a.MerchantID = "44", "shop" }), 400, "merchantId"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s.in(t)
			status, body := s.ask(c.asking)
			require.Equal(t, c.status, status, body)
			require.EqualValues(t, c.status, body["statusCode"])
			require.Contains(t, body["message"], c.says)
			if c.asking.AccountIdentifier != "" {
				requireUntold(t, body["message"].(string), c.asking.AccountIdentifier)
			}
			status, again := s.ask(c.asking)
			require.Equal(t, c.status, status)
			require.Equal(t, body, again, "the same each time")
		})
	}
	t.Run("not JSON", func(t *testing.T) {
		t.Parallel()
		s := s.in(t)
		status, body := s.do(http.MethodPost, "/accounts/validate", `{"merchantId":`)
		require.Equal(t, http.StatusBadRequest, status, body)
	})
}

// A wrong check digit is a result without a connector call, unless the policy lets the
// provider decide.
func TestAWrongCheckDigitNeedsNoConnector(t *testing.T) {
	at(t, aWrongCheckDigitNeedsNoConnector, inMemory, shared)
}

func aWrongCheckDigitNeedsNoConnector(t *testing.T, store string) {
	wrong := func(m testMarket, at int) asking {
		a := m.asking("4711")
		digit := '0' + (a.AccountIdentifier[at]-'0'+1)%10
		a.AccountIdentifier = a.AccountIdentifier[:at] + string(rune(digit)) + a.AccountIdentifier[at+1:]
		return a
	}
	const asked = `corridor_connector_duration_seconds_count{connector="sandbox",outcome="found"}`
	s := serveAccounts(t, store)
	for reason, a := range map[string]asking{
		"The account number's check digit does not fit the bank code": wrong(nigeria, 0),
		"The check digits of the IBAN are wrong":                      wrong(egypt, 10),
	} {
		for _, name := range []string{"", "Kofi Boateng"} {
			requireResult(t, s.validate(a.named(name)), false, map[string]any{
				"status": "not_found", "provider": "rules", "validationType": "internal_rules", "failureReason": reason,
			})
		}
	}
	require.Zero(t, s.metric(asked))
	advised := serveAccounts(t, store, "--check-digit", "advise")
	require.Equal(t, "verified", advised.validate(wrong(nigeria, 0))["status"])
	require.InDelta(t, 1, advised.metric(asked), 0)
}

// A client reads only its own validations and uses only its own merchants.
func TestClientsAreKeptApart(t *testing.T) {
	at(t, clientsAreKeptApart, inMemory, shared)
}

func clientsAreKeptApart(t *testing.T, store string) {
	s := serveAccounts(t, store)
	acmes := s.validate(nigeria.asking("4711"))
	require.Equal(t, http.StatusOK, s.login("beta", betaSecret))
	for _, id := range []any{acmes["id"], "00000000-0000-4000-8000-000000000000", "rl_1", "%20", strings.Repeat("a", 500)} {
		status, body := s.validation(id)
		require.Equal(t, http.StatusNotFound, status, body)
		require.Equal(t, "Not Found", body["error"])
	}
	status, body := s.ask(nigeria.asking("4711"))
	require.Equal(t, http.StatusForbidden, status, body)
	require.EqualValues(t, http.StatusForbidden, body["statusCode"])
	own := nigeria.asking("4711")
	own.MerchantID = strings.ToUpper(betaMerchant)
	betas := s.validate(own)
	require.Equal(t, "verified", betas["status"])
	require.NotEqual(t, acmes["id"], betas["id"])

	s.token = ""
	for _, path := range []string{"/accounts/validate", "/accounts/validate/" + acmes["id"].(string)} {
		status, body := s.do(http.MethodPost, path, "{")
		require.Equal(t, http.StatusUnauthorized, status)
		require.Equal(t, map[string]any{"message": "Unauthorized"}, body)
	}
}

// A validation is purged with its answer, and the next request calls the provider again.
func TestAStaleAnswerIsLookedUpAgain(t *testing.T) {
	at(t, aStaleAnswerIsLookedUpAgain, inMemory, shared)
}

func aStaleAnswerIsLookedUpAgain(t *testing.T, store string) {
	s := serveAccounts(t, store, "--validation-ttl", "2s")
	const asked = `corridor_connector_duration_seconds_count{connector="sandbox",outcome="found"}`
	first := s.validate(nigeria.asking("4711"))
	expiry, err := time.Parse(time.RFC3339, first["expiresAt"].(string))
	require.NoError(t, err)
	s.eventually(func() bool {
		status, _ := s.validation(first["id"])
		require.True(t, status == http.StatusOK || status == http.StatusNotFound)
		return status == http.StatusNotFound
	}, "readable after its time")
	require.False(t, time.Now().Before(expiry), "it went too soon")
	third := s.validate(nigeria.asking("4711"))
	require.Equal(t, "verified", third["status"])
	require.Greater(t, third["expiresAt"], first["expiresAt"])
	require.InDelta(t, 2, s.metric(asked), 0)
	require.Zero(t, s.metric("corridor_background_failures_total"))
}

// With a TTL of 0 answers are not cached.
func TestWithoutATTLNoAnswerIsCached(t *testing.T) {
	at(t, withoutATTLNoAnswerIsCached, inMemory, shared)
}

func withoutATTLNoAnswerIsCached(t *testing.T, store string) {
	s := serveAccounts(t, store, "--validation-ttl", "0s")
	for range 2 {
		body := s.validate(nigeria.asking("4711"))
		require.NotContains(t, body, "expiresAt")
		status, read := s.validation(body["id"])
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, body, read)
	}
	require.InDelta(t, 2, s.metric(`corridor_connector_duration_seconds_count{connector="sandbox",outcome="found"}`), 0)
}

// The rules decide if they can.
func TestWithoutConnectorsTheRulesDecide(t *testing.T) {
	at(t, withoutConnectorsTheRulesDecide, inMemory, shared)
}

func withoutConnectorsTheRulesDecide(t *testing.T, store string) {
	rates := t.TempDir() + "/rates.json"
	write(t, rates, `{"rates":[{"base":"USD","quote":"ZAR","mid":"18.2500"}]}`)
	s := serve(t, nil, "--store", store, "--feed", "file:"+rates, "--clients-file", clientsFile(t))
	require.Equal(t, http.StatusOK, s.login("acme", acmeSecret))
	passes := map[string]any{"status": "verified", "provider": "rules", "validationType": "internal_rules"}
	unserved := map[string]any{
		"status": "error", "provider": "rules", "validationType": "internal_rules",
		"failureReason": "No provider serves this market for such a check",
	}
	unpublished := nigeria.asking("4711") // its check digit cannot be computed
	unpublished.BankCode = "000014"
	for _, c := range []struct {
		asking asking
		want   map[string]any
	}{
		{nigeria.asking("4711"), passes},
		{egypt.asking("4711"), passes},
		{nigeria.asking("0000"), passes},
		{nigeria.asking("4711").named("Ama Mensah"), unserved},
		{egypt.asking("4711").named("Ama Mensah"), unserved},
		{ghana.asking("4711"), unserved},
		{kenyaMobile.asking("4711"), unserved},
		{unpublished, unserved},
	} {
		body := s.validate(c.asking)
		requireResult(t, body, false, c.want)
		status, read := s.validation(body["id"])
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, body, read)
	}
}

// Each metric of account validation changes.
func TestValidationMetricsChange(t *testing.T) { at(t, validationMetricsChange, inMemory, shared) }

func validationMetricsChange(t *testing.T, store string) {
	s := serveAccounts(t, store)
	for _, m := range markets { // each is a 429 to the first connector
		s.validate(m.asking("0004"))
	}
	s.validate(nigeria.asking("0004"))
	_, pending := s.pending(kenyaBank, "")
	s.ended(pending["id"])
	for name, want := range map[string]float64{
		`corridor_validations_total{country="NGA",status="verified",type="bank_account"}`:                   2,
		`corridor_validations_total{country="KEN",status="pending",type="bank_account"}`:                    1,
		`corridor_validations_ended_total{country="KEN",status="verified",type="bank_account"}`:             1,
		`corridor_validations_total{country="KEN",status="verified",type="mobile_money"}`:                   1,
		`corridor_validation_cache_hits_total{country="NGA",type="bank_account"}`:                           1,
		`corridor_connector_duration_seconds_count{connector="sandbox-standby",outcome="found"}`:            8,
		`corridor_connector_duration_seconds_bucket{connector="sandbox-standby",outcome="found",le="+Inf"}`: 8,
		`corridor_connector_duration_seconds_count{connector="sandbox",outcome="try_later"}`:                8,
		`corridor_connector_late_answers_total{connector="sandbox"}`:                                        0,
		`corridor_background_failures_total`:                                                                0,
	} {
		require.InDelta(t, want, s.metric(name), 0, name)
	}
	_, text := s.send(http.MethodGet, "/metrics", "", "")
	requireUntold(t, text, nigeria.ending("0004"), "MENSAH", anyMerchantID)
}

// The sandbox fails only as scripted, so no result depends on earlier ones.
func TestTheSandboxHasNoBreaker(t *testing.T) { at(t, theSandboxHasNoBreaker, inMemory, shared) }

func theSandboxHasNoBreaker(t *testing.T, store string) {
	s := serveAccounts(t, store, "--validation-timeout", "8s")
	for range 20 {
		require.Equal(t, "error", s.validate(nigeria.asking("0001"))["status"])
	}
	_, first := s.ask(nigeria.asking("0003"))
	_, second := s.ask(kenyaMobile.asking("0003"))
	for _, silent := range []map[string]any{first, second} {
		require.Equal(t, "error", s.ended(silent["id"])["status"])
	}
	for _, m := range markets {
		require.Equal(t, "sandbox", s.validate(m.asking("4711"))["provider"])
	}
	require.Zero(t, s.metric(`corridor_connector_breaker_state{connector="sandbox",state="closed"}`))
}

// A provider that cannot be reached is not called any more after a few calls, and the
// metrics show it.
func TestACircuitBreakerOpens(t *testing.T) {
	s := serve(t, map[string]string{
		"CORRIDOR_CLIENTS": "acme:a-secret", "CORRIDOR_FLUTTERWAVE_SECRET_KEY": "canary-key",
		"CORRIDOR_FLUTTERWAVE_BASE_URL": "http://127.0.0.1:1",
	}, "--sandbox", "--store", "memory:", "--connectors", "flutterwave,sandbox")
	require.Equal(t, http.StatusOK, s.login("acme", "a-secret"))
	state := func(name string) float64 {
		return s.metric(`corridor_connector_breaker_state{connector="flutterwave",state="` + name + `"}`)
	}
	require.InDelta(t, 1, state("closed"), 0)
	for i := range 10 {
		body := s.validate(nigeria.asking(strconv.Itoa(4000 + i)))
		require.Equal(t, "sandbox", body["provider"])
	}
	require.InDelta(t, 1, state("open"), 0)
	require.InDelta(t, 0, state("closed"), 0)
	require.Contains(t, s.log.String(), "circuit breaker")
	require.NotContains(t, s.log.String()+s.out.String(), "canary-key")
}

// Not even the store's file is created.
func TestARejectedAccountSettingTouchesNoStore(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		keys string
	}{
		"a connector": {[]string{"--connectors", "oracle"}, ""},
		"a key":       {[]string{"--connectors", "paystack"}, ""},
		"a time":      {[]string{"--validation-ttl=-1s"}, ""},
		"a data key":  {nil, "k1:hush"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			args := append([]string{"serve", "--sandbox", "--listen", "127.0.0.1:0", "--store", "sqlite:" + filepath.Join(dir, "corridor.db")}, c.args...)
			code, _, errs := command(t, "", map[string]string{dataKeysEnv: c.keys}, args...)
			require.Equal(t, exitRejected, code, errs)
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Empty(t, entries)
		})
	}
}
