package wire_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func check(name string, degraded bool, err error) httpserver.Check {
	return httpserver.Check{Name: name, Run: func(context.Context) (bool, error) { return degraded, err }}
}

func TestReadiness(t *testing.T) {
	ok, poor, bad := check("store", false, nil), check("feed", true, nil), check("queue", false, errors.New("canary"))
	for _, c := range []struct {
		name   string
		checks []httpserver.Check
		status int
		body   string
	}{
		{"nothing to check", nil, 200, `{"status":"ok"}`},
		{"all well", []httpserver.Check{ok}, 200, `{"status":"ok"}`},
		{"degraded", []httpserver.Check{ok, poor}, 200, `{"status":"degraded","degraded":["feed"]}`},
		{"failing", []httpserver.Check{ok, poor, bad}, 503, `{"status":"unavailable","failing":["queue"],"degraded":["feed"]}`},
		{"a check that panics", []httpserver.Check{{Name: "p", Run: func(context.Context) (bool, error) { panic("canary") }}}, 503, `{"status":"unavailable","failing":["p"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newAPI(t, alone, httpserver.Config{Checks: c.checks}).do(request{method: "GET", path: "/readyz"})
			assert.Equal(t, c.status, w.Code)
			assert.Equal(t, c.body, w.Body.String())
		})
	}
	t.Run("a live process is live, whatever fails", func(t *testing.T) {
		w := newAPI(t, alone, httpserver.Config{Checks: []httpserver.Check{bad}}).do(request{method: "GET", path: "/livez"})
		assert.Equal(t, `{"status":"ok"}`, w.Body.String())
	})
}

// A hanging check fails its requests in time and is not started twice.
func TestAHangingCheckFailsInTime(t *testing.T) { synctest.Test(t, aHangingCheckFailsInTime) }

func aHangingCheckFailsInTime(t *testing.T) {
	release, started := make(chan struct{}), make(chan struct{}, 10)
	a := newAPI(t, alone, httpserver.Config{CheckTimeout: 20 * time.Millisecond, Checks: []httpserver.Check{
		check("store", false, nil),
		{Name: "deaf", Run: func(context.Context) (bool, error) { started <- struct{}{}; <-release; return false, nil }},
	}})
	for range 3 {
		w := a.do(request{method: "GET", path: "/readyz"})
		assert.Equal(t, 503, w.Code)
		assert.Equal(t, `{"status":"unavailable","failing":["deaf"]}`, w.Body.String())
	}
	assert.Len(t, started, 1)
	close(release)
	synctest.Wait()
	assert.Equal(t, 200, a.do(request{method: "GET", path: "/readyz"}).Code)
}

func TestMetricsCountRequests(t *testing.T) {
	registry := prometheus.NewRegistry()
	a := newAPI(t, alone, httpserver.Config{Metrics: registry})
	a.do(post("/v1/rate-locks", "tok-acme", usdzar))
	a.do(post("/v1/rate-locks", "tok-acme", "null"))
	a.do(request{method: "GET", path: "/v1/rate-locks/canary", token: "tok-acme"})
	a.do(request{method: "GET", path: "/canary"})
	a.do(request{method: "CANARY", path: "/docs"})
	a.locks.panic = "x"
	a.do(post("/v1/rate-locks", "tok-acme", usdzar))
	w := a.do(request{method: "GET", path: "/metrics"})
	assert.Equal(t, 200, w.Code)
	for _, want := range []string{
		`corridor_http_requests_total{code="201",method="POST",route="/v1/rate-locks"} 1`,
		`corridor_http_requests_total{code="400",method="POST",route="/v1/rate-locks"} 1`,
		`corridor_http_requests_total{code="500",method="POST",route="/v1/rate-locks"} 1`,
		`corridor_http_requests_total{code="404",method="GET",route="/v1/rate-locks/{rateLockId}"} 1`,
		`corridor_http_requests_total{code="404",method="GET",route="/"} 1`,
		`corridor_http_requests_total{code="405",method="other",route="/docs"} 1`,
		`corridor_http_request_duration_seconds_count{route="/v1/rate-locks"} 3`,
		`corridor_http_requests_in_flight 1`, // this request
	} {
		assert.Contains(t, w.Body.String(), want+"\n")
	}
	assert.NotContains(t, strings.ToLower(w.Body.String()), "canary")

	_, err := httpserver.New(&auth{}, httpserver.Services{}, &httpserver.Config{Metrics: registry})
	assert.Equal(t, errcodes.Configuration, errcodes.Of(err), "two handlers cannot share a registry")
}

// The test fetches the page and everything that it loads.
func TestTheDocsPageLoads(t *testing.T) { at(t, theDocsPageLoads, shared) }

func theDocsPageLoads(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{})
	page := a.do(request{method: "GET", path: "/docs"})
	assert.Equal(t, 200, page.Code)
	policy := page.Header().Get("Content-Security-Policy")
	assert.Contains(t, policy, "default-src 'none'")
	assert.NotContains(t, policy, "http")
	assert.NotContains(t, policy, "*")

	loads := regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page.Body.String(), -1)
	assert.Len(t, loads, 5)
	for _, load := range loads {
		assert.Regexp(t, `^docs/[a-z0-9.-]+$`, load[1], "no other host, and relative to where the page is")
		for _, encoding := range []string{"gzip", "identity"} {
			w := a.do(request{method: "GET", path: "/" + load[1], header: map[string]string{"Accept-Encoding": encoding}})
			assert.Equal(t, 200, w.Code, load[1])
			assert.Greater(t, w.Body.Len(), 300)
			assert.Equal(t, encoding == "gzip" && !strings.HasSuffix(load[1], ".png"), w.Header().Get("Content-Encoding") == "gzip", load[1])
			assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
		}
	}
	for _, path := range []string{"/docs/nothing", "/docs/oauth2-redirect.html", "/docs/index.html", "/docs/..%2fopenapi.yaml"} {
		assert.Equal(t, flat404, a.do(request{method: "GET", path: path}).Body.String())
	}
	w := a.do(request{method: "GET", path: "/openapi.yaml"})
	assert.Equal(t, "application/yaml", w.Header().Get("Content-Type"))
	assert.True(t, strings.HasPrefix(w.Body.String(), "openapi: 3.1"))
}

// The harness must reject wrong responses.
func TestWrongResponsesAreDetected(t *testing.T) {
	trace := strings.Repeat("a", 32)
	good := `{"rateLockId":"r","status":"active","base":"USD","quote":"ZAR","midRate":"1","markupBps":1,"allInRate":"1","createdAt":"2026-11-20T15:00:00.000Z","expiresAt":"2026-11-20T15:00:00.000Z"}`
	for _, c := range []struct {
		name, path string
		status     int
		trace      string
		body       string
		fails      bool
	}{
		{"a good lock", "/v1/rate-locks", 201, trace, good, false},
		{"no trace id", "/v1/rate-locks", 201, "", good, true},
		{"a status that the route lacks", "/v1/rate-locks", 202, trace, good, true},
		{"an additional field", "/v1/rate-locks", 201, trace, strings.Replace(good, "{", `{"owner":"acme",`, 1), true},
		{"a rate as a number", "/v1/rate-locks", 201, trace, strings.Replace(good, `"midRate":"1"`, `"midRate":1`, 1), true},
		{"a time without milliseconds", "/v1/rate-locks", 201, trace, strings.Replace(good, "00.000Z", "00Z", 1), true},
		{"cancelled without a reason", "/v1/rate-locks", 201, trace, strings.Replace(good, "active", "cancelled", 1), true},
		{"a reason on an active lock", "/v1/rate-locks", 201, trace, strings.Replace(good, "{", `{"cancellationReason":"requested",`, 1), true},
		{"a flat 401", "/v1/rate-locks", 401, trace, `{"message":"Unauthorized","error":"Unauthorized","statusCode":401}`, true},
		{"a flat error on the token route", "/v1/auth/oauth2/token", 400, trace, `{"message":"x","error":"Bad Request","statusCode":400}`, true},
		{"429 without Retry-After", "/v1/rate-locks", 429, trace, `{"message":"x","error":"Too Many Requests","statusCode":429}`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			w.Header().Set("Content-Type", "application/json")
			if c.trace != "" {
				w.Header().Set("x-trace-id", c.trace)
			}
			if c.status == 401 {
				w.Header().Set("WWW-Authenticate", "Bearer")
			}
			w.WriteHeader(c.status)
			_, err := w.WriteString(c.body)
			require.NoError(t, err)
			probe := probe{TB: t}
			conforms(&probe, post(c.path, "", "").make(), w)
			assert.Equal(t, c.fails, probe.failed)
		})
	}
}

// probe is a testing.TB that only records a failure.
type probe struct {
	testing.TB
	failed bool
}

func (p *probe) Errorf(string, ...any) { p.failed = true }

// These requests reach net/http before the handler.
func TestRequestsOverAConnection(t *testing.T) { at(t, requestsOverAConnection, shared) }

func requestsOverAConnection(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{})
	var urls []string
	for _, h := range a.servers {
		server, err := httpserver.NewServer(h, nil)
		require.NoError(t, err)
		ts := httptest.NewUnstartedServer(nil)
		ts.Config = server.Server
		ts.Start()
		defer ts.Close()
		urls = append(urls, ts.URL)
	}
	client := &http.Client{Transport: &http.Transport{}}
	token := a.real(acmesToken)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	send := func(t *testing.T, method, path string, body io.Reader, prepare func(*http.Request)) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequest(method, urls[a.turn.next("")], body)
		require.NoError(t, err)
		r.URL.Opaque = path
		r.Header.Set("Authorization", "Bearer "+token)
		if prepare != nil {
			prepare(r)
		}
		response, err := client.Do(r)
		require.NoError(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response, string(text)
	}
	for _, c := range []struct {
		name, method, path string
		body               io.Reader
		status             int
		text               string
	}{
		{"a lock", "POST", "/v1/rate-locks", strings.NewReader(usdzar), 201, ""},
		{"OPTIONS *", "OPTIONS", "*", nil, 404, flat404},
		{"a doubled slash", "GET", "/v1//rate-locks", nil, 404, flat404},
		{"an id of 10,000 characters", "GET", "/v1/rate-locks/" + strings.Repeat("x", 10_000), nil, 404, noLock},
		{"an id with a slash", "GET", "/v1/rate-locks/a%2Fb", nil, 404, noLock},
		{"2 MiB without a length", "POST", "/v1/rate-locks", io.MultiReader(strings.NewReader(huge)), 413, ""},
		{"2 MiB on cancel without a length", "POST", "/v1/rate-locks/rl_1/cancel", io.MultiReader(strings.NewReader(huge)), 413, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			response, text := send(t, c.method, c.path, c.body, nil)
			assert.Equal(t, c.status, response.StatusCode)
			assert.Regexp(t, `^[0-9a-f]{32}$`, response.Header.Get("x-trace-id"))
			if c.text != "" {
				assert.Equal(t, c.text, text)
			}
		})
	}
	t.Run("headers above 8 KiB are a 431 of net/http", func(t *testing.T) {
		response, _ := send(t, "GET", "/livez", nil, func(r *http.Request) { r.Header.Set("X-Big", strings.Repeat("x", 32<<10)) })
		assert.Equal(t, http.StatusRequestHeaderFieldsTooLarge, response.StatusCode)
		assert.Empty(t, response.Header.Get("x-trace-id"))
	})
	t.Run("many concurrently", func(t *testing.T) {
		var wg sync.WaitGroup
		var minted atomic.Int64
		const each, all = 20, 8 * 20
		for range all / each {
			wg.Go(func() {
				for range each {
					response, _ := send(t, "POST", "/v1/rate-locks", strings.NewReader(usdzar), nil)
					assert.Contains(t, []int{200, 201}, response.StatusCode)
					minted.Add(int64(response.StatusCode - 200))
				}
			})
		}
		wg.Wait()
		if a.house == nil {
			assert.EqualValues(t, all, minted.Load())
		} else {
			assert.EqualValues(t, ports.MaxLiveLocks-1, minted.Load(), "beside the one above (I1, I12)")
		}
	})
	client.CloseIdleConnections()
}

func TestNewServer(t *testing.T) {
	_, err := httpserver.NewServer(nil, nil)
	require.ErrorIs(t, err, errcodes.Configuration, "no handler")
	s, err := httpserver.NewServer(http.NotFoundHandler(), nil)
	require.NoError(t, err)
	assert.Equal(t, 5*time.Second, s.ReadHeaderTimeout)
	assert.Equal(t, 15*time.Second, s.ReadTimeout)
	assert.Equal(t, 30*time.Second, s.WriteTimeout)
	assert.Equal(t, 60*time.Second, s.IdleTimeout)
	assert.Equal(t, 4<<10, s.MaxHeaderBytes, "net/http adds as many")
}
