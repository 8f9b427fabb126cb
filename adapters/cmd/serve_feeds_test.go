package cmd

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// bankDay returns the bank's file for the day daysAgo before today.
func bankDay(daysAgo int, zar string) string {
	day := time.Now().UTC().AddDate(0, 0, -daysAgo).Format(time.DateOnly)
	return `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
	<gesmes:subject>Reference rates</gesmes:subject>
	<gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
	<Cube><Cube time='` + day + `'>
		<Cube currency='USD' rate='1.1225'/><Cube currency='ZAR' rate='` + zar + `'/>
	</Cube></Cube>
</gesmes:Envelope>`
}

// bank starts a source of the bank's rates on this machine.
func bank(t *testing.T, answer http.HandlerFunc) (source string) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return "ecb:" + server.URL
}

func answers(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// storedLocks counts the locks in the store's file.
func storedLocks(t *testing.T, path string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	require.NoError(t, db.QueryRow("SELECT count(*) FROM rate_locks").Scan(&n))
	return n
}

const noPrice = `{"message":"Rates for the pair are temporarily unavailable","error":"Service Unavailable","statusCode":503}`

func TestAFeedWithoutALivePriceIs503AndNothingIsStored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stale := filepath.Join(dir, "stale.json")
	write(t, stale, fmt.Sprintf(`{"rates":[{"base":"USD","quote":"ZAR","mid":"18.25","at":%q}]}`,
		time.Now().Add(-2*time.Hour).UTC().Format(time.RFC3339)))
	good := bankDay(1, "19.8705")
	for name, args := range map[string][]string{
		"HTML":                         {"--feed", bank(t, answers("<!DOCTYPE html><html><body>Maintenance</body></html>"))},
		"500":                          {"--feed", bank(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, good, http.StatusInternalServerError) })},
		"nothing":                      {"--feed", bank(t, answers(""))},
		"a connection that ends":       {"--feed", bank(t, hangUp)},
		"zero":                         {"--feed", bank(t, answers(bankDay(1, "0")))},
		"NaN":                          {"--feed", bank(t, answers(bankDay(1, "NaN")))},
		"a response that is too large": {"--feed", bank(t, answers(good+strings.Repeat(" ", 1<<20)))},
		"yesterday, for a short age":   {"--feed", bank(t, answers(good)), "--max-price-age", "1h"},
		"a day that is too old":        {"--feed", bank(t, answers(bankDay(6, "19.8705")))},
		"a file's price too old":       {"--feed", "file:" + stale, "--max-price-age", "1h"},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, func(t *testing.T, store string) { aFeedWithoutALivePriceIs503(t, store, args) }, onFile, shared)
		})
	}
}

func aFeedWithoutALivePriceIs503(t *testing.T, store string, args []string) {
	s := serveAcme(t, append(slices.Clone(args), "--store", store)...)
	for range 2 {
		a := try(t.Context(), s.token, http.MethodPost, s.urls[0]+"/v1/rate-locks", `{"base":"USD","quote":"ZAR"}`)
		require.NoError(t, a.err)
		require.Equal(t, http.StatusServiceUnavailable, a.status)
		require.Equal(t, noPrice, strings.TrimSpace(a.body))
		require.Equal(t, "30", a.header.Get("Retry-After"))
	}
	_, body := s.do(http.MethodGet, "/readyz", "")
	require.NotEqual(t, "ok", body["status"], "readiness says so")
	require.Zero(t, s.stop())
	require.Zero(t, rows(t, store, `SELECT count(*) FROM rate_locks`))
}

// The bank's rates apply for longer than those of other feeds, so that Easter is spanned.
func TestTheBanksRatesApplyOverALongWeekend(t *testing.T) {
	at(t, theBanksRatesApplyOverALongWeekend, inMemory, shared)
}

func theBanksRatesApplyOverALongWeekend(t *testing.T, store string) {
	days := 5 // at 12:00 UTC, so 102 to 126 hours ago
	if time.Now().UTC().Hour() >= 18 {
		days = 4
	}
	s := serveAcme(t, "--store", store, "--feed", bank(t, answers(bankDay(days, "19.8705"))))
	status, body := s.lock("EUR", "ZAR")
	require.Equal(t, http.StatusCreated, status)
	require.Equal(t, "19.8705", body["midRate"])
	_, ready := s.do(http.MethodGet, "/readyz", "")
	require.Equal(t, "ok", ready["status"])
}

func TestAPriceWithinMaxPriceAgeIsUsed(t *testing.T) {
	at(t, aPriceWithinMaxPriceAgeIsUsed, inMemory, shared)
}

func aPriceWithinMaxPriceAgeIsUsed(t *testing.T, store string) {
	s := serveAcme(t, "--store", store, "--feed", bank(t, answers(bankDay(1, "19.8705"))), "--max-price-age", "72h")
	status, body := s.lock("EUR", "ZAR")
	require.Equal(t, http.StatusCreated, status)
	require.Equal(t, "19.8705", body["midRate"])
}

func TestTheSecondFeedServesPairsThatTheFirstLacks(t *testing.T) {
	at(t, theSecondFeedServesPairsThatTheFirstLacks, inMemory, shared)
}

func theSecondFeedServesPairsThatTheFirstLacks(t *testing.T, store string) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.json"), filepath.Join(dir, "second.json")
	write(t, first, `{"rates":[{"base":"USD","quote":"ZAR","mid":"18.25"},{"base":"USD","quote":"KES","mid":null}]}`)
	write(t, second, `{"rates":[{"base":"USD","quote":"ZAR","mid":"99"},{"base":"USD","quote":"KES","mid":"129.10"},{"base":"USD","quote":"GHS","mid":"10.9"}]}`)
	s := serveAcme(t, "--store", store, "--feed", "file:"+first+",file:"+second)
	for quote, mid := range map[string]string{"ZAR": "18.25", "KES": "129.10", "GHS": "10.9"} {
		status, body := s.lock("USD", quote)
		require.Equal(t, http.StatusCreated, status, quote)
		require.Equal(t, mid, body["midRate"], quote)
	}
	status, _ := s.lock("USD", "NGN")
	require.Equal(t, http.StatusUnprocessableEntity, status)
}

func TestReadinessDependsOnTheFeeds(t *testing.T) {
	at(t, readinessDependsOnTheFeeds, inMemory, shared)
}

func readinessDependsOnTheFeeds(t *testing.T, store string) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rates.json")
	const good = `{"rates":[{"base":"USD","quote":"ZAR","mid":"18.25"}]}`
	write(t, path, good)
	for name, feeds := range map[string]string{
		"a file that broke after start": "file:" + path,
		"one of two feeds is down":      "file:" + path + "," + bank(t, answers("")),
	} {
		t.Run(name, func(t *testing.T) {
			write(t, path, good)
			s := serve(t, nil, "--sandbox", "--store", store, "--feed", feeds)
			if !strings.Contains(feeds, ",") {
				for range s.urls {
					status, body := s.do(http.MethodGet, "/readyz", "")
					require.Equal(t, http.StatusOK, status)
					require.Equal(t, map[string]any{"status": "ok"}, body)
				}
				write(t, path, "{")
			}
			for _, one := range s.each() {
				one.eventually(func() bool {
					status, body := one.do(http.MethodGet, "/readyz", "")
					require.Equal(t, http.StatusOK, status)
					return body["status"] == "degraded"
				}, "not degraded")
			}
		})
	}
	t.Run("an address that cannot be read", func(t *testing.T) {
		s := serve(t, nil, "--sandbox", "--store", store, "--feed", bank(t, answers("")))
		for range 2 {
			status, body := s.do(http.MethodGet, "/readyz", "")
			require.Equal(t, http.StatusServiceUnavailable, status)
			require.Equal(t, map[string]any{"status": "unavailable", "failing": []any{"feed"}}, body)
		}
		require.NotContains(t, s.log.String(), "stay in force")
	})
}
