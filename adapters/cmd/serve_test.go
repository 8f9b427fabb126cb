package cmd

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheSandboxLocksARate(t *testing.T) { at(t, theSandboxLocksARate, onFile, shared) }

func theSandboxLocksARate(t *testing.T, store string) {
	s := serve(t, nil, "--sandbox", "--store", store)
	first := s.sandboxSecret()
	status, body := s.lock("USD", "ZAR")
	require.Equal(t, http.StatusUnauthorized, status)
	require.Equal(t, map[string]any{"message": "Unauthorized"}, body)
	require.Equal(t, http.StatusUnauthorized, s.login("sandbox", first+"x"))
	require.Equal(t, http.StatusOK, s.login("sandbox", first))

	var ids []any
	for range 2 {
		status, body = s.lock("USD", "ZAR")
		require.Equal(t, http.StatusCreated, status)
		require.Equal(t, "16.3986445", body["allInRate"])
		ids = append(ids, body["rateLockId"])
	}
	status, body = s.lock("USD", "ZAR")
	require.Equal(t, http.StatusOK, status, "the third call")
	require.Equal(t, ids[1], body["rateLockId"])
	for want, pair := range map[int][2]string{400: {"usd", "ZAR"}, 422: {"USD", "JPY"}} {
		status, body = s.lock(pair[0], pair[1])
		require.Equal(t, want, status)
		require.EqualValues(t, want, body["statusCode"])
	}
	require.Equal(t, 0, s.stop())
	require.NotContains(t, s.log.String(), first, "the secret is in no log")
	require.NotContains(t, s.log.String(), s.token, "nor is a token")

	again := serveTimes(t, 1, nil, "--sandbox", "--store", store) // each start adds a secret, and three are kept
	second := again.sandboxSecret()
	require.NotEqual(t, first, second)
	again.token = s.token
	status, body = again.do(http.MethodGet, "/v1/rate-locks/"+ids[0].(string), "")
	require.Equal(t, http.StatusOK, status, "lock and token survive the restart")
	require.Equal(t, "active", body["status"])
	for _, secret := range []string{first, second} {
		require.Equal(t, http.StatusOK, again.login("sandbox", secret))
	}
	status, body = again.do(http.MethodPost, "/v1/rate-locks/"+ids[0].(string)+"/cancel", "")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "requested", body["cancellationReason"])
	if isPostgres(store) {
		return // TestNothingSecretIsInTheDatabase covers it
	}
	path := strings.TrimPrefix(store, "sqlite:")
	dump, err := os.ReadFile(path)
	require.NoError(t, err)
	wal, err := os.ReadFile(path + "-wal")
	require.NoError(t, err)
	for _, secret := range []string{first, second, s.token, again.token} {
		require.NotContains(t, string(dump)+string(wal), secret, "I16")
	}
}

func TestACentralBanksFileIsAFeed(t *testing.T) { at(t, aCentralBanksFileIsAFeed, inMemory, shared) }

func aCentralBanksFileIsAFeed(t *testing.T, store string) {
	path := filepath.Join(t.TempDir(), "eurofxref-daily.xml")
	write(t, path, bankDay(1, "19.8705"))
	s := serveAcme(t, "--store", store, "--feed", "ecb:"+path, "--markup-bps", "0")
	status, body := s.lock("EUR", "ZAR")
	require.Equal(t, http.StatusCreated, status)
	require.Equal(t, "19.8705", body["midRate"], "as published")
	status, body = s.lock("USD", "ZAR")
	require.Equal(t, http.StatusCreated, status)
	require.Equal(t, "17.70200445", body["midRate"], "a cross, to ten digits")
	require.Equal(t, body["midRate"], body["allInRate"])
}

func TestTheFeedFileIsReadAgainWhenItChanges(t *testing.T) {
	at(t, theFeedFileIsReadAgainWhenItChanges, inMemory, shared)
}

func theFeedFileIsReadAgainWhenItChanges(t *testing.T, store string) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rates.json")
	write(t, path, `{"rates":[{"base":"USD","quote":"ZAR","mid":"18.2500"},{"base":"USD","quote":"XOF","mid":null}]}`)
	code, entry, secret := command(t, "", nil, "client", "new", "acme", "--merchant", "*")
	require.Zero(t, code)
	write(t, filepath.Join(dir, "clients.json"), "["+entry+"]")
	s := serve(t, nil, "--store", store, "--feed", "file:"+path, "--clients-file", filepath.Join(dir, "clients.json"))
	require.Equal(t, http.StatusOK, s.login("acme", strings.Fields(secret)[len(strings.Fields(secret))-1]))
	_, body := s.lock("USD", "ZAR")
	require.Equal(t, "18.2500", body["midRate"])
	status, body := s.lock("USD", "XOF")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, "Service Unavailable", body["error"])
	status, _ = s.lock("USD", "NGN")
	require.Equal(t, http.StatusUnprocessableEntity, status)

	write(t, path, `{"rates":[{"base":"USD","quote":"NGN","mid":"1500.10"}]}`)
	s.eventually(func() bool {
		for _, one := range s.each() {
			if status, _ = one.lock("USD", "NGN"); status >= 300 {
				return false
			}
		}
		return true
	}, "the file is not read again by each")
	write(t, path, `{"rates":[{"base":"USD","quote":"NGN","mid":"-1"}]}`)
	s.eventually(func() bool {
		status, _ = s.lock("USD", "NGN")
		return strings.Count(s.log.String(), "level=WARN")+strings.Count(s.log.String(), "level=ERROR") >= len(s.urls)
	}, "a broken version is not reported by each")
	for range s.urls {
		require.Less(t, status, 300, "and the last good one stays in force")
		status, _ = s.lock("USD", "NGN")
	}
}

func TestTheLimiterAnswers429(t *testing.T) { at(t, theLimiterAnswers429, inMemory, shared) }

func theLimiterAnswers429(t *testing.T, store string) {
	s := serveAcme(t, "--store", store, "--sandbox", "--rate-limit", "0.001")
	limited := false
	for range 20 {
		status, body := s.lock("USD", "ZAR")
		if status == http.StatusTooManyRequests {
			require.Equal(t, "Too Many Requests", body["error"])
			limited = true
		}
	}
	require.True(t, limited)
}

func TestWhatServeRejects(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.json")
	write(t, broken, strings.Repeat("{", 4096))
	blocked := serve(t, nil, "--sandbox", "--store", "memory:")
	good := filepath.Join(dir, "rates.json")
	write(t, good, `{"rates":[{"base":"USD","quote":"ZAR","mid":"18.2500"}]}`)
	sandbox := []string{"--sandbox", "--store", "memory:"}
	for name, c := range map[string]struct {
		args []string
		env  map[string]string
		says string
	}{
		"an unknown flag":                {args: []string{"--nonsense"}, says: "nonsense"},
		"no feed":                        {args: []string{"--store", "memory:"}, says: "feed is required"},
		"no clients":                     {args: []string{"--store", "memory:", "--feed", "file:" + good}, says: "clients are required"},
		"a feed of an unknown kind":      {args: append(sandbox, "--feed", "oracle:x"), says: "file:PATH"},
		"a feed file that is missing":    {args: append(sandbox, "--feed", "file:"+dir+"/none.json"), says: "--feed"},
		"a feed file that is broken":     {args: append(sandbox, "--feed", "file:"+broken), says: "--feed"},
		"a bank's file that's missing":   {args: append(sandbox, "--feed", "ecb:"+dir+"/none.xml"), says: "no such file"},
		"a bank's file that's broken":    {args: append(sandbox, "--feed", "ecb:"+broken), says: "--feed"},
		"a bank's address over http":     {args: append(sandbox, "--feed", "ecb:http://example.org/"), says: "https"},
		"a feed's key over plain http":   {args: append(sandbox, "--feed", "ecb:http://example.org/?key=hush"), says: "--feed ecb:…: the source's address cannot be used"},
		"an invalid feed address":        {args: append(sandbox, "--feed", "ecb:https://u:hush@%zz/"), says: "--feed ecb:…: "},
		"an address without its kind":    {args: append(sandbox, "--feed", "https://example.org/?key=hush"), says: "--feed https:…: want file:PATH"},
		"a feed without any kind":        {args: append(sandbox, "--feed", "hush"), says: "--feed …: want file:PATH"},
		"a bucket of another kind":       {args: append(sandbox, "--report-files", "s3://b?secret=hush"), says: "--report-files s3:…: want dir:PATH"},
		"links into an empty query":      {args: append(sandbox, "--public-url", "https://x?"), says: "--public-url must be an http or https address"},
		"links with a password":          {args: append(sandbox, "--public-url", "https://u:hush@x/"), says: "--public-url must be an http or https address"},
		"a store of an unknown kind":     {args: []string{"--sandbox", "--store", "oracle:x"}, says: "sqlite:PATH"},
		"a store without a folder":       {args: []string{"--sandbox", "--store", "sqlite:" + dir + "/none/x.db"}, says: "--store"},
		"a store, not a database":        {args: []string{"--sandbox", "--store", "sqlite:" + broken}, says: "--store"},
		"a clients file that's broken":   {args: append(sandbox, "--clients-file", broken), says: "client"},
		"two sources of clients":         {args: append(sandbox, "--clients-file", broken), env: map[string]string{"CORRIDOR_CLIENTS": "a:b"}, says: "cannot be combined"},
		"clients without a secret":       {args: sandbox, env: map[string]string{"CORRIDOR_CLIENTS": "hush"}, says: "CORRIDOR_CLIENTS: client 1 must be written id:secret or id:secret:merchants"},
		"a clients file without a name":  {args: []string{"--store", "memory:", "--feed", "file:" + good}, env: map[string]string{"CORRIDOR_CLIENTS_FILE": ""}, says: "clients are required"},
		"a weak secret":                  {args: []string{"--store", "memory:", "--feed", "file:" + good}, env: map[string]string{"CORRIDOR_CLIENTS": "acme:hush:*"}, says: "CORRIDOR_CLIENTS: client 1 must have a secret of at least 22 bytes"},
		"a negative markup":              {args: append(sandbox, "--markup-bps=-1"), says: "Terms.MarkupBps is -1, want 0 to 100000"},
		"a markup, not a number":         {args: append(sandbox, "--markup-bps", "many"), says: "many"},
		"a lifetime of a year":           {args: append(sandbox, "--lock-validity", "8760h"), says: "Terms.Validity is 8760h0m0s, want 1s to 168h0m0s"},
		"a negative DriftEvery":          {args: append(sandbox, "--drift-every=-2s"), says: "--drift-every must be above 0"},
		"a zero DriftEvery":              {args: append(sandbox, "--drift-every", "0s"), says: "--drift-every must be above 0"},
		"a zero MaxPriceAge":             {args: append(sandbox, "--max-price-age", "0s"), says: "--max-price-age must be above 0"},
		"a negative MaxPriceAge":         {args: sandbox, env: map[string]string{"CORRIDOR_MAX_PRICE_AGE": "-1h"}, says: "--max-price-age must be above 0"},
		"a token lifetime of two days":   {args: append(sandbox, "--token-lifetime", "48h"), says: "--token-lifetime must be 1s to 24h0m0s, not 48h0m0s"},
		"a zero token lifetime":          {args: append(sandbox, "--token-lifetime", "0s"), says: "--token-lifetime must be 1s to 24h0m0s, not 0s"},
		"a negative rate limit":          {args: append(sandbox, "--rate-limit=-1"), says: "--rate-limit must be 0, or 0.001 to 1000000, not -1"},
		"a rate limit of NaN":            {args: append(sandbox, "--rate-limit", "NaN"), says: "--rate-limit must be 0, or 0.001 to 1000000, not NaN"},
		"an address limit of infinity":   {args: append(sandbox, "--address-limit", "Inf"), says: "--address-limit must be 0, or 0.001 to 1000000, not +Inf"},
		"no connections":                 {args: append(sandbox, "--max-connections", "0"), says: "--max-connections must be 1 to 1000000, not 0"},
		"no connections of an address":   {args: append(sandbox, "--max-address-connections", "0"), says: "--max-address-connections must be 1 to 1000000, not 0"},
		"memory for a single body":       {args: append(sandbox, "--max-body-memory", "2047KiB"), says: "--max-body-memory must be 2MiB to 1TiB, not 2047KiB"},
		"two units of memory":            {args: append(sandbox, "--max-body-memory", "64MiBKiB"), says: "want a number of bytes"},
		"a bound of an address, proxied": {args: append(sandbox, "--client-addr-header", "X-Real-Ip", "--max-address-connections", "5"), says: "--max-address-connections has no effect with --client-addr-header"},
		"memory without a size":          {args: append(sandbox, "--max-body-memory", "64MB"), says: `want a number of bytes, such as 64MiB or 67108864, not "64MB"`},
		"memory beyond 64 bits":          {args: append(sandbox, "--max-body-memory", "9223372036854775807KiB"), says: "want a number of bytes"},
		"an invalid header":              {args: append(sandbox, "--client-addr-header", "X-Forwarded-For:"), says: "--client-addr-header must be"},
		"an invalid public URL":          {args: append(sandbox, "--public-url", "not a url"), says: "--public-url"},
		"a public URL over ftp":          {args: append(sandbox, "--public-url", "ftp://x"), says: "--public-url"},
		"an unknown connector":           {args: append(sandbox, "--connectors", "sandbox,oracle"), says: "sandbox, sandbox-standby, paystack, flutterwave, mtnmomo"},
		"a connector named twice":        {args: append(sandbox, "--connectors", "sandbox,sandbox"), says: "sandbox twice"},
		"a connector without a key":      {args: append(sandbox, "--connectors", "paystack"), says: "--connectors paystack: CORRIDOR_PAYSTACK_SECRET_KEY is not set"},
		"a connector with a bad key":     {args: append(sandbox, "--connectors", "paystack"), env: map[string]string{"CORRIDOR_PAYSTACK_SECRET_KEY": "hush hush"}, says: "the Paystack secret key must be"},
		"a zero timeout":                 {args: append(sandbox, "--validation-timeout", "0s"), says: "--validation-timeout must be 1ms to 1h0m0s"},
		"a malformed timeout":            {args: append(sandbox, "--validation-timeout", "soon"), says: "--validation-timeout"},
		"a negative TTL":                 {args: append(sandbox, "--validation-ttl=-1s"), says: "--validation-ttl -1s"},
		"a TTL that is too long":         {args: append(sandbox, "--validation-ttl", "2161h"), says: "want 0s to 2160h0m0s"},
		"an unknown check digit mode":    {args: append(sandbox, "--check-digit", "maybe"), says: `--check-digit must be one of "enforce","advise"`},
		"an unknown mode in a variable":  {args: sandbox, env: map[string]string{"CORRIDOR_CHECK_DIGIT": "maybe"}, says: "--check-digit"},
		"malformed data keys":            {args: sandbox, env: map[string]string{"CORRIDOR_DATA_KEYS": "hush"}, says: "CORRIDOR_DATA_KEYS: key 1"},
		"a key too short":                {args: sandbox, env: map[string]string{"CORRIDOR_DATA_KEYS": oneKey + ",k2:aHVzaA=="}, says: "CORRIDOR_DATA_KEYS: key 2"},
		"an invalid address":             {args: append(sandbox, "--listen", "nonsense"), says: "nonsense"},
		"an address in use":              {args: append(sandbox, "--listen", strings.TrimPrefix(blocked.url, "http://")), says: "in use"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := command(t, "", c.env, append([]string{"serve", "--listen", "127.0.0.1:0"}, c.args...)...)
			require.Equal(t, exitRejected, code)
			require.Empty(t, out, "no secret was made")
			require.Contains(t, errs, c.says)
			require.Equal(t, 1, strings.Count(errs, "\n"), "one line: %s", errs)
			require.NotContains(t, errs, "hush", "what may be a secret is not repeated")
		})
	}
}

func TestThePrintedCommandsHaveThePublicAddress(t *testing.T) {
	s := serve(t, nil, "--sandbox", "--store", "memory:", "--public-url", "https://pay.example.com")
	s.sandboxSecret()
	s.eventually(func() bool { return strings.Contains(s.out.String(), "https://pay.example.com/docs") }, "not printed")
	for _, path := range []string{"/v1/auth/oauth2/token", "/v1/rate-locks", "/docs"} {
		require.Contains(t, s.out.String(), "https://pay.example.com"+path)
	}
	require.NotContains(t, s.out.String(), s.url)
}

func TestASecretIsValidOnlyInItsWindow(t *testing.T) {
	at(t, aSecretIsValidOnlyInItsWindow, inMemory, shared)
}

func aSecretIsValidOnlyInItsWindow(t *testing.T, store string) {
	path := filepath.Join(t.TempDir(), "clients.json")
	var entries []string
	secrets := map[string]string{}
	for id, window := range map[string][]string{
		"past":    {"--not-after", time.Now().Add(-time.Minute).Format(time.RFC3339)},
		"present": {"--not-before", time.Now().Add(-time.Hour).Format(time.RFC3339), "--not-after", time.Now().Add(time.Hour).Format(time.RFC3339)},
		"future":  {"--not-before", time.Now().Add(time.Hour).Format(time.RFC3339)},
	} {
		code, entry, shown := command(t, "", nil, append([]string{"client", "new", id, "--merchant", "*"}, window...)...)
		require.Zero(t, code)
		entries = append(entries, entry)
		secrets[id] = shown[strings.LastIndex(strings.TrimSpace(shown), " ")+1:]
	}
	write(t, path, "["+strings.Join(entries, ",")+"]")
	s := serve(t, nil, "--sandbox", "--store", store, "--clients-file", path)
	for id, want := range map[string]int{
		"past": http.StatusUnauthorized, "present": http.StatusOK, "future": http.StatusUnauthorized,
	} {
		require.Equal(t, want, s.login(id, strings.TrimSpace(secrets[id])), id)
	}
}

// I14: each process reads the file, and its tokens are invalid a few seconds later.
func TestADisabledClientIsRejected(t *testing.T) {
	at(t, aDisabledClientIsRejected, inMemory, shared)
}

func aDisabledClientIsRejected(t *testing.T, store string) {
	path := clientsFile(t)
	s := serve(t, nil, "--sandbox", "--store", store, "--clients-file", path)
	require.Equal(t, http.StatusOK, s.login("acme", acmeSecret))
	for range s.urls {
		status, _ := s.lock("USD", "ZAR")
		require.Equal(t, http.StatusCreated, status, "good in each process")
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	write(t, path, strings.Replace(string(text), `"id":"acme"`, `"id":"acme","disabled":true`, 1))
	for _, one := range s.each() {
		one.eventually(func() bool {
			status, _ := one.lock("USD", "ZAR")
			return status == http.StatusUnauthorized
		}, "the token is good still")
		require.Equal(t, http.StatusUnauthorized, one.login("acme", acmeSecret))
	}
	require.Equal(t, http.StatusOK, s.login("beta", betaSecret), "another client")
}

// Nobody sends a request, so nobody else would read the file.
func TestABrokenClientsFileIsLoggedWithoutARequest(t *testing.T) {
	at(t, aBrokenClientsFileIsLoggedWithoutARequest, inMemory, shared)
}

func aBrokenClientsFileIsLoggedWithoutARequest(t *testing.T, store string) {
	path := clientsFile(t)
	s := serve(t, nil, "--sandbox", "--store", store, "--clients-file", path)
	logged := func(text string) func() bool {
		return func() bool { return strings.Count(s.log.String(), text) == len(s.urls) }
	}
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	write(t, path, strings.TrimSuffix(string(good), "]")+`,{"id":"acme"}]`)
	s.eventually(logged(`client 3 (id \"acme\"): its id is repeated, client 1 has it too`), "not logged by each process")
	require.Equal(t, http.StatusOK, s.login("acme", acmeSecret), "the last valid version stays in force")
	write(t, path, strings.TrimSuffix(string(good), "]")+`,{"id":"gamma"}]`)
	s.eventually(logged("clients=3"), "not logged by each process")
}

func TestAMultipartFormIsRejected(t *testing.T) { at(t, aMultipartFormIsRejected, inMemory, shared) }

func aMultipartFormIsRejected(t *testing.T, store string) {
	s := serveAcme(t, "--sandbox", "--store", store)
	const form = "--x\r\nContent-Disposition: form-data; name=\"base\"\r\n\r\nUSD\r\n--x--\r\n"
	for _, body := range []string{form, `{"base":"USD","quote":"ZAR"}`} {
		for range 2 {
			status, text := s.send(http.MethodPost, "/v1/rate-locks", "multipart/form-data; boundary=x", body)
			require.Equal(t, http.StatusBadRequest, status)
			require.JSONEq(t, `{"message":"The body must be JSON, not a form; send Content-Type: application/json","error":"Bad Request","statusCode":400}`, text)
		}
	}
	require.Zero(t, s.metric(`corridor_events_total{kind="rate_lock.minted"}`))
}

func TestAFlagOverridesItsVariable(t *testing.T) {
	s := serve(t, map[string]string{
		"CORRIDOR_CLIENTS": "acme:a-secret", "CORRIDOR_SANDBOX": "true", "CORRIDOR_STORE": "memory:", "CORRIDOR_MARKUP_BPS": "0",
	})
	require.Equal(t, http.StatusOK, s.login("acme", "a-secret"))
	_, body := s.lock("USD", "ZAR")
	require.Equal(t, body["midRate"], body["allInRate"])
	require.NotContains(t, s.out.String(), "client_secret", "a client is set, so none is made")
}
