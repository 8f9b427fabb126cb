package wire_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/errcodes"
)

// I28: do checks that trace ids are unique for every response of every test.
func TestTraceIDIsNeverEchoed(t *testing.T) { at(t, traceIDIsNeverEchoed, shared) }

func traceIDIsNeverEchoed(t *testing.T, p place) {
	const sent = "0123456789abcdef0123456789abcdef"
	a := newAPI(t, p, httpserver.Config{})
	for _, q := range []request{
		post("/v1/rate-locks", "tok-acme", usdzar),
		post("/v1/rate-locks", "", usdzar),
		{method: "GET", path: "/x"},
		{method: "GET", path: "/livez"},
	} {
		w := a.do(q.with("x-trace-id", sent))
		assert.Len(t, w.Header().Values("x-trace-id"), 1)
		assert.NotEqual(t, sent, w.Header().Get("x-trace-id"))
	}
}

func TestTraceIDsNeedNoRandomness(t *testing.T) { at(t, traceIDsNeedNoRandomness, shared) }

func traceIDsNeedNoRandomness(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{Random: iotest.ErrReader(errors.New("no chance"))})
	a.do(request{method: "GET", path: "/livez"})
	a.do(request{method: "GET", path: "/livez"})
}

func TestServicesSeeTheTraceID(t *testing.T) { at(t, servicesSeeTheTraceID, shared) }

func servicesSeeTheTraceID(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{})
	w := a.do(post("/v1/rate-locks", "tok-acme", usdzar))
	assert.Equal(t, []string{w.Header().Get("x-trace-id")}, a.locks.traces)
	assert.Empty(t, httpserver.TraceID(context.Background()))
}

func TestLogHandlerAddsTheTraceID(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(httpserver.LogHandler(slog.NewTextHandler(&out, nil))).With("a", 1).WithGroup("g")
	a := newAPI(t, alone, httpserver.Config{})
	h, err := httpserver.New(a.auth, httpserver.Services{RateLocks: &loggingLocks{a.locks, log}}, nil)
	require.NoError(t, err)
	a.h = h
	trace := a.do(request{method: "GET", path: "/v1/rate-locks/rl_1", token: "tok-acme"}).Header().Get("x-trace-id")
	assert.Contains(t, out.String(), "trace_id="+trace)
	out.Reset()
	log.InfoContext(t.Context(), "outside")
	assert.NotContains(t, out.String(), "trace_id")
}

// A panic is a 500 with its trace id, which is also logged. Its text is nowhere.
func TestAPanicIsA500(t *testing.T) {
	for name, v := range map[string]any{"a string": "canary", "an error": errors.New("canary")} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			a := newAPI(t, alone, httpserver.Config{Logger: slog.New(slog.NewTextHandler(&out, nil))})
			a.locks.panic = v
			w := a.do(post("/v1/rate-locks", "tok-acme", usdzar))
			assert.Equal(t, 500, w.Code)
			assert.NotContains(t, w.Body.String()+out.String(), "canary")
			assert.Contains(t, out.String(), w.Header().Get("x-trace-id"))
			assert.Contains(t, out.String(), "level=ERROR")
			assert.Contains(t, out.String(), "harness_test.go", "the stack")
			assert.Equal(t, 1, strings.Count(out.String(), "\n"))
		})
	}
	t.Run("http.ErrAbortHandler passes on", func(t *testing.T) {
		a := newAPI(t, alone, httpserver.Config{})
		a.locks.panic = http.ErrAbortHandler
		w := httptest.NewRecorder()
		assert.PanicsWithValue(t, http.ErrAbortHandler, func() {
			a.h.ServeHTTP(w, post("/v1/rate-locks", "tok-acme", usdzar).make())
		})
		assert.Empty(t, w.Body.String())
	})
	t.Run("a response that has begun is cut off", func(t *testing.T) {
		a := newAPI(t, alone, httpserver.Config{})
		assert.PanicsWithValue(t, http.ErrAbortHandler, func() {
			a.h.ServeHTTP(brokenWriter{httptest.NewRecorder()}, post("/v1/rate-locks", "tok-acme", usdzar).make())
		})
	})
}

// brokenWriter panics after the response has begun.
type brokenWriter struct{ http.ResponseWriter }

func (brokenWriter) Write([]byte) (int, error) { panic("broken") }

// The log contains what an operator needs and no secrets.
func TestTheLogContainsNoSecrets(t *testing.T) {
	var out bytes.Buffer
	a := newAPI(t, alone, httpserver.Config{Logger: slog.New(slog.NewTextHandler(&out, nil))})
	line := func(q request) string {
		out.Reset()
		w := a.do(q)
		assert.Contains(t, out.String(), "trace_id="+w.Header().Get("x-trace-id"))
		assert.Equal(t, 1, strings.Count(out.String(), "\n"), "one line a request")
		return out.String()
	}
	got := line(request{method: "GET", path: "/v1/rate-locks/canary-id?x=canary-query", token: "tok-acme", header: map[string]string{"X-Canary": "canary-header"}})
	for _, want := range []string{"level=INFO", "method=GET", "route=/v1/rate-locks/{rateLockId}", "status=404", "client=acme", "code=not_found", "duration="} {
		assert.Contains(t, got, want)
	}
	assert.NotContains(t, got, "canary")
	assert.NotContains(t, got, "tok-acme")

	got = line(post("/v1/auth/oauth2/token", "", `{"client_id":"acme","client_secret":"s3cret"}`))
	assert.NotContains(t, got, "s3cret")
	assert.NotContains(t, got, "tok-acme")
	got = line(post("/v1/auth/oauth2/token", "", `{"client_id":"canary","client_secret":"canary"}`))
	assert.NotContains(t, got, "canary")
	got = line(request{method: "CANARY", path: "/canary"})
	assert.NotContains(t, strings.ToLower(got), "canary")
	assert.Contains(t, line(post("/v1/rate-locks", "tok-canary", usdzar)), "route=/v1/rate-locks", "a refused request shows its route")

	a.locks.err = errcodes.Wrap(errcodes.StorageUnavailable, "", errors.New("disk full"))
	got = line(post("/v1/rate-locks", "tok-acme", usdzar))
	assert.Contains(t, got, "level=ERROR")
	assert.Contains(t, got, "disk full", "the cause is for the log")
	a.locks.err = context.Canceled
	assert.Contains(t, line(post("/v1/rate-locks", "tok-acme", usdzar)), "level=INFO", "a caller who left is no error of ours")
}
