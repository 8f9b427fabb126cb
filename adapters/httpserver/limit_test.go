package httpserver_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest"
)

func TestTheRateLimit(t *testing.T) {
	get := request{method: "GET", path: "/v1/rate-locks/rl_1", token: "tok-acme"}
	t.Run("429 with Retry-After, in the flat envelope", func(t *testing.T) {
		a := newAPI(t, httpserver.Config{RateLimit: 0.4, RateBurst: 2})
		assert.Equal(t, 200, a.do(get).Code)
		assert.Equal(t, 200, a.do(get).Code)
		for range 3 {
			w := a.do(get)
			assert.Equal(t, 429, w.Code)
			assert.Equal(t, "3", w.Header().Get("Retry-After"), "2.5 s, rounded up")
			assert.Equal(t, `{"message":"Too many requests","error":"Too Many Requests","statusCode":429}`, w.Body.String())
		}
		a.clock.Advance(2499 * time.Millisecond)
		assert.Equal(t, "1", a.do(get).Header().Get("Retry-After"))
		a.clock.Advance(time.Millisecond)
		assert.Equal(t, 200, a.do(get).Code, "rejected requests are not counted")
	})
	t.Run("each client has its own limit", func(t *testing.T) {
		a := newAPI(t, httpserver.Config{RateLimit: 1, RateBurst: 1})
		assert.Equal(t, 200, a.do(get).Code)
		assert.Equal(t, 429, a.do(get).Code)
		beta := get
		beta.token = "tok-beta"
		assert.Equal(t, 404, a.do(beta).Code)
	})
	t.Run("the limit comes after the 401, before the 404 and the 405", func(t *testing.T) {
		a := newAPI(t, httpserver.Config{RateLimit: 1, RateBurst: 1})
		a.do(get)
		assert.Equal(t, 429, a.do(request{method: "GET", path: "/v1/nothing", token: "tok-acme"}).Code)
		assert.Equal(t, 429, a.do(request{method: "PUT", path: "/v1/rate-locks", token: "tok-acme"}).Code)
		assert.Equal(t, 401, a.do(request{method: "GET", path: "/v1/nothing", token: "tok-x"}).Code)
	})
	t.Run("the token route limits addresses, and answers in its own envelope", func(t *testing.T) {
		a := newAPI(t, httpserver.Config{AddressLimit: 1, AddressBurst: 1, RemoteAddr: func(r *http.Request) string { return r.Header.Get("X-Real-Ip") }})
		q := post("/v1/auth/oauth2/token", "", credentials)
		assert.Equal(t, 200, a.do(q.with("X-Real-Ip", "a")).Code)
		w := a.do(q.with("X-Real-Ip", "a"))
		assert.Equal(t, 429, w.Code)
		assert.Equal(t, `{"error":"Too many requests"}`, w.Body.String())
		assert.Equal(t, "1", w.Header().Get("Retry-After"))
		assert.Equal(t, 200, a.do(q.with("X-Real-Ip", "b")).Code)
	})
	t.Run("the port of an address does not count", func(t *testing.T) {
		a := newAPI(t, httpserver.Config{AddressLimit: 1, AddressBurst: 1})
		codes := []int{}
		for port := range 3 {
			r := post("/v1/auth/oauth2/token", "", credentials).make()
			r.RemoteAddr = fmt.Sprintf("[2001:db8::1]:%d", 1000+port)
			w := httptest.NewRecorder()
			a.h.ServeHTTP(w, r)
			codes = append(codes, w.Code)
		}
		assert.Equal(t, []int{200, 429, 429}, codes)
	})
	t.Run("the addresses of an IPv6 subscriber count as one", func(t *testing.T) {
		a := newAPI(t, httpserver.Config{AddressLimit: 1, AddressBurst: 1})
		codes := []int{}
		for _, addr := range []string{
			"[2001:db8:0:1::1]:1", "[2001:db8:0:1::2]:1", "[2001:db8:0:1:ffff:ffff:ffff:ffff%eth0]:1", "[2001:db8:0:2::1]:1",
			"192.0.2.1:1", "[::ffff:192.0.2.1]:1", "192.0.2.2:1", "[::ffff:192.0.2.3]:1",
		} {
			r := post("/v1/auth/oauth2/token", "", credentials).make()
			r.RemoteAddr = addr
			w := httptest.NewRecorder()
			a.h.ServeHTTP(w, r)
			codes = append(codes, w.Code)
		}
		assert.Equal(t, []int{200, 429, 429, 200, 200, 429, 200, 200}, codes)
	})
	t.Run("every route without a valid token is limited by address, but for probes", func(t *testing.T) {
		for _, q := range []request{
			{method: "GET", path: "/openapi.yaml"}, {method: "GET", path: "/docs"}, {method: "GET", path: "/metrics"},
			{method: "GET", path: "/nothing"}, {method: "GET", path: "/docs/../docs"}, {method: "PUT", path: "/docs"},
			{method: "GET", path: "/v1/reports/files/x"}, {method: "POST", path: "/verification/mobile"},
			{method: "GET", path: "/v1/rate-locks/rl_1"}, {method: "GET", path: "/v1/rate-locks/rl_1", token: "tok-x"},
		} {
			a := newAPI(t, httpserver.Config{AddressLimit: 0.5, AddressBurst: 1})
			a.do(request{method: "GET", path: "/docs"})
			w := a.do(q)
			assert.Equal(t, 429, w.Code, q)
			assert.Equal(t, "close", w.Header().Get("Connection"), "each further request needs a new connection")
			assert.Equal(t, "2", w.Header().Get("Retry-After"), q)
			assert.Equal(t, `{"message":"Too many requests","error":"Too Many Requests","statusCode":429}`, w.Body.String(), q)
			for _, path := range []string{"/livez", "/readyz"} {
				w := a.do(request{method: "GET", path: path})
				assert.Equal(t, 200, w.Code, path)
				assert.Equal(t, "close", w.Header().Get("Connection"), path)
			}
			assert.Equal(t, 200, a.do(get).Code, "a client with a token does not share its address's limit")
		}
	})
	t.Run("limits are on by default, and can be turned off", func(t *testing.T) {
		docs := request{method: "GET", path: "/docs"}
		for _, c := range []struct {
			q                   request
			cfg                 httpserver.Config
			passed, afterSecond int
		}{
			{get, httpserver.Config{}, 400, 200},
			{docs, httpserver.Config{}, 100, 20},
			{get, httpserver.Config{RateLimit: httpserver.NoLimit}, 1000, 1000},
			{docs, httpserver.Config{AddressLimit: httpserver.NoLimit}, 1000, 1000},
		} {
			a := newAPI(t, c.cfg)
			passed := func() (n int) {
				for range 1000 {
					if a.do(c.q).Code == 200 {
						n++
					}
				}
				return n
			}
			assert.Equal(t, c.passed, passed())
			a.clock.Advance(time.Second)
			assert.Equal(t, c.afterSecond, passed())
		}
	})
	t.Run("strangers that are rejected do not fill the log", func(t *testing.T) {
		var log bytes.Buffer
		a := newAPI(t, httpserver.Config{AddressLimit: 1, AddressBurst: 1, RateLimit: 1, RateBurst: 1, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		for range 3 {
			a.do(request{method: "GET", path: "/docs"})
			a.do(request{method: "GET", path: "/livez"})
			a.do(get)
		}
		assert.NotContains(t, log.String(), "route=/livez")
		assert.Equal(t, 1, strings.Count(log.String(), "route=/docs "), log.String())
		assert.Equal(t, 3, strings.Count(log.String(), "client=acme"), "what clients do is logged")
	})
	t.Run("of other requests of strangers a thousand lines are logged, and then ten a second", func(t *testing.T) {
		var log bytes.Buffer
		a := newAPI(t, httpserver.Config{AddressLimit: httpserver.NoLimit, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		for range 1100 {
			a.do(request{method: "GET", path: "/v1/rate-locks/rl_1"})
		}
		assert.Equal(t, 1000, strings.Count(log.String(), "status=401"))
		a.clock.Advance(time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 100 {
			a.h.ServeHTTP(httptest.NewRecorder(), request{method: "GET", path: "/v1/rate-locks/rl_1"}.make().WithContext(ctx)) // the client has gone
		}
		assert.Equal(t, 1000, strings.Count(log.String(), "status=401"))
		for range 100 {
			a.do(request{method: "GET", path: "/v1/rate-locks/rl_1"})
			a.do(get)
		}
		assert.Equal(t, 1010, strings.Count(log.String(), "status=401"))
		assert.Equal(t, 100, strings.Count(log.String(), "client=acme"))
	})
}

// TestNoClientGetsMoreThanItsRate checks that in any interval at most burst + rate ×
// time requests pass, and I30 for the others.
func TestNoClientGetsMoreThanItsRate(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		limit := rapid.Float64Range(0.1, 50).Draw(r, "limit")
		burst := rapid.IntRange(1, 10).Draw(r, "burst")
		a := newAPI(t, httpserver.Config{RateLimit: limit, RateBurst: burst})
		passed, elapsed := 0, time.Duration(0)
		for range rapid.IntRange(1, 60).Draw(r, "requests") {
			step := time.Duration(rapid.IntRange(0, 400).Draw(r, "ms")) * time.Millisecond
			a.clock.Advance(step)
			elapsed += step
			w := httptest.NewRecorder()
			a.h.ServeHTTP(w, request{method: "GET", path: "/v1/rate-locks/rl_1", token: "tok-acme"}.make())
			if w.Code == 200 {
				passed++
				continue
			}
			wait, err := strconv.Atoi(w.Header().Get("Retry-After"))
			if w.Code != 429 || err != nil || wait < 1 || wait > int(math.Ceil(1/limit)) {
				r.Fatalf("%d with Retry-After %q", w.Code, w.Header().Get("Retry-After"))
			}
		}
		if most := float64(burst) + limit*elapsed.Seconds() + 1e-6; float64(passed) > most {
			r.Fatalf("%d passed in %v, at most %v may", passed, elapsed, most)
		}
	})
}

// A rejected request costs nothing, also if many are rejected at once: a client gets
// through after the wait that it was given (I30).
func TestConcurrentRejectionsCostNothing(t *testing.T) {
	a := newAPI(t, httpserver.Config{RateLimit: 1, RateBurst: 1})
	now := a.clock.Now()
	require.NoError(t, httpserver.Take(a.h, "acme", now))
	var hasty sync.WaitGroup
	for range 8 {
		hasty.Go(func() {
			for range 20_000 {
				if err := httpserver.Take(a.h, "acme", now); errcodes.RetryAfterOf(err) != time.Second {
					t.Errorf("%v, to wait for %v", err, errcodes.RetryAfterOf(err))
					return
				}
			}
		})
	}
	hasty.Wait()
	assert.NoError(t, httpserver.Take(a.h, "acme", now.Add(time.Second)))
}

// If the clock is set back, no client is locked out and none gains requests: a rejected
// client gets through after the Retry-After that it received (I30).
func TestTheLimiterFollowsAClockThatIsSetBack(t *testing.T) {
	for _, back := range []time.Duration{2 * httpserver.ClockSlack, time.Minute, time.Hour, 48 * time.Hour} {
		t.Run(back.String(), func(t *testing.T) {
			a := newAPI(t, httpserver.Config{RateLimit: 0.125, RateBurst: 2})
			now := a.clock.Now()
			for _, client := range []string{"acme", "acme", "beta"} {
				require.NoError(t, httpserver.Take(a.h, client, now))
			}
			now = now.Add(3 * time.Second)
			require.Equal(t, 5*time.Second, errcodes.RetryAfterOf(httpserver.Take(a.h, "acme", now)))
			now = now.Add(-back)
			require.Equal(t, 5*time.Second, errcodes.RetryAfterOf(httpserver.Take(a.h, "acme", now)))
			require.NoError(t, httpserver.Take(a.h, "beta", now))
			require.Error(t, httpserver.Take(a.h, "beta", now), "the client has only what it had left")
			now = now.Add(5 * time.Second)
			require.NoError(t, httpserver.Take(a.h, "acme", now))
			require.Error(t, httpserver.Take(a.h, "acme", now))
		})
	}
}

// Requests that overtake each other on the way to the limiter gain nothing.
func TestOvertakingRequestsGainNothing(t *testing.T) {
	a := newAPI(t, httpserver.Config{RateLimit: 1, RateBurst: 1})
	now := a.clock.Now()
	require.NoError(t, httpserver.Take(a.h, "acme", now))
	require.Error(t, httpserver.Take(a.h, "acme", now.Add(-httpserver.ClockSlack)))
	require.Error(t, httpserver.Take(a.h, "acme", now.Add(time.Second-time.Millisecond)))
	require.NoError(t, httpserver.Take(a.h, "acme", now.Add(time.Second)))
}

func TestTheLimiterEvictsBuckets(t *testing.T) {
	a := newAPI(t, httpserver.Config{RateLimit: 1, RateBurst: 1})
	for i := range httpserver.MaxLimited + 500 {
		require.NoError(t, httpserver.Take(a.h, "many"+strconv.Itoa(i), a.clock.Now()))
	}
	assert.Equal(t, httpserver.MaxLimited, httpserver.Remembered(a.h))
}

func TestNewRejectsBadValues(t *testing.T) {
	run := httpserver.Check{Name: "x"}.Run
	for name, cfg := range map[string]httpserver.Config{
		"a nil clock":                   {Clock: (*portstest.Clock)(nil)},
		"a nil source of randomness":    {Random: (*bytes.Reader)(nil)},
		"a negative rate":               {RateLimit: -2},
		"a negative rate of addresses":  {AddressLimit: -0.5},
		"a negative burst of addresses": {AddressBurst: -1},
		"memory for one body":           {MaxBodyMemory: httpserver.MinMaxBodyMemory - 1},
		"a rate that is not a number":   {RateLimit: math.NaN()},
		"an infinite rate":              {RateLimit: math.Inf(1)},
		"a negative burst":              {RateBurst: -1},
		"a negative time-out":           {CheckTimeout: -1},
		"a time-out above 1 min":        {CheckTimeout: time.Minute + 1},
		"a check without Run":           {Checks: []httpserver.Check{{Name: "x", Run: run}}},
		"links with a trailing slash":   {PublicURL: "https://pay.example/"},
		"links without a scheme":        {PublicURL: "pay.example"},
		"links to a script":             {PublicURL: "javascript:alert(1)"},
		"links without a host":          {PublicURL: "https:///fx"},
		"links with a password":         {PublicURL: "https://u:p@pay.example"},
		"links with a query":            {PublicURL: "https://pay.example?fx"},
		"links with a fragment":         {PublicURL: "https://pay.example/#fx"},
		"links that are not a URL":      {PublicURL: "https://pay.example\n"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := httpserver.New(auth{}, httpserver.Services{}, &cfg)
			require.Equal(t, errcodes.Configuration, errcodes.Of(err))
		})
	}
	_, err := httpserver.New((*auth)(nil), httpserver.Services{}, nil)
	require.ErrorIs(t, err, errcodes.Configuration, "a nil pointer")
	_, err = httpserver.New(auth{}, httpserver.Services{RateLocks: (*locks)(nil)}, nil)
	require.ErrorIs(t, err, errcodes.Configuration, "a service that is a nil pointer")
	_, err = httpserver.NewServer(http.HandlerFunc(nil), nil)
	require.ErrorIs(t, err, errcodes.Configuration, "a nil func")
	for _, cfg := range []httpserver.ServerConfig{
		{MaxConnections: -1}, {MaxAddressConnections: -1}, {MaxConnections: httpserver.MaxMaxConnections + 1},
	} {
		_, err = httpserver.NewServer(http.NotFoundHandler(), &cfg)
		require.ErrorIs(t, err, errcodes.Configuration, cfg)
	}
}
