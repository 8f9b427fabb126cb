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
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/errcodes"
)

// answered is a handler's response to a request, and its log.
func answered(t *testing.T, service *locks, cfg httpserver.Config, requests ...*http.Request) (last *httptest.ResponseRecorder, log string) {
	t.Helper()
	var lines bytes.Buffer
	cfg.Logger = slog.New(slog.NewTextHandler(&lines, nil))
	h, err := httpserver.New(&auth{}, httpserver.Services{RateLocks: service}, &cfg)
	require.NoError(t, err)
	for _, r := range requests {
		last = httptest.NewRecorder()
		h.ServeHTTP(last, r)
	}
	return last, lines.String()
}

func asked(method, path, contentType, body string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer tok-acme")
	r.Header.Set("Content-Type", contentType)
	return r
}

// Media types are case-insensitive, and surrounding blanks are ignored (RFC 9110 section
// 8.3).
func TestMediaTypesAreCaseInsensitive(t *testing.T) {
	for _, media := range []string{
		"MULTIPART/Form-Data; boundary=x", "multipart/mixed", "APPLICATION/x-www-form-urlencoded", "application/x-www-form-urlencoded ; charset=utf-8",
		" application/x-www-form-urlencoded", "\tmultipart/form-data",
	} {
		service := &locks{}
		w, _ := answered(t, service, httpserver.Config{}, asked(http.MethodPost, "/v1/rate-locks", media, usdzar))
		assert.Equal(t, 400, w.Code, media)
		assert.Empty(t, service.calls, media)
	}
}

// The test checks I29 for all codes of that status.
func TestEvery401HasTheGatewaysEnvelope(t *testing.T) {
	for _, row := range errcodes.All() {
		if row.Status != http.StatusUnauthorized {
			continue
		}
		w, _ := answered(t, &locks{err: errcodes.New(row.Code, "canary")}, httpserver.Config{}, asked(http.MethodPost, "/v1/rate-locks", "application/json", usdzar))
		assert.Equal(t, 401, w.Code, row.Code)
		assert.Equal(t, unauthorized, w.Body.String(), row.Code)
	}
}

// Causes are logged only for server errors, because those of client errors may quote the
// request.
func TestLogLinesHaveTheCauseOnlyForServerErrors(t *testing.T) {
	for _, c := range []struct {
		code  errcodes.Code
		level string
		cause bool
	}{
		{errcodes.NotFound, "INFO", false},
		{errcodes.InvalidRequest, "INFO", false},
		{errcodes.TooManyRequests, "INFO", false},
		{errcodes.Internal, "ERROR", true},
		{errcodes.PriceUnavailable, "ERROR", true},
		{errcodes.Canceled, "INFO", false},
	} {
		_, log := answered(t, &locks{err: errcodes.Wrap(c.code, "", errors.New("canary"))}, httpserver.Config{},
			asked(http.MethodPost, "/v1/rate-locks", "application/json", usdzar))
		assert.Contains(t, log, "level="+c.level+" msg=request", c.code)
		assert.Contains(t, log, "code="+string(c.code), c.code)
		assert.Equal(t, c.cause, strings.Contains(log, "canary"), c.code)
	}
	_, log := answered(t, &locks{}, httpserver.Config{}, asked(http.MethodPost, "/v1/auth/oauth2/token", "application/json", credentials))
	assert.Contains(t, log, "status=200")
	assert.Contains(t, log, "client=acme", "who got a token")
	assert.NotContains(t, log, "s3cret")
}

// Such a handler may set no status.
func TestAResponseOfAForeignHandlerIsCounted(t *testing.T) {
	w, _ := answered(t, &locks{}, httpserver.Config{},
		httptest.NewRequest(http.MethodGet, "/docs", http.NoBody), httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody), httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	assert.Contains(t, w.Body.String(), `corridor_http_requests_total{code="200",method="GET",route="/docs"} 1`)
	assert.Contains(t, w.Body.String(), `corridor_http_requests_total{code="200",method="GET",route="/metrics"} 1`)
}

// A check gets its whole time, even if its caller leaves.
func TestACheckIsCancelledAfterItsTime(t *testing.T) {
	ended := make(chan struct{})
	w, _ := answered(t, &locks{}, httpserver.Config{CheckTimeout: time.Millisecond, Checks: []httpserver.Check{{
		Name: "slow", Run: func(ctx context.Context) (bool, error) {
			defer close(ended)
			<-ctx.Done()
			return false, ctx.Err()
		},
	}}}, httptest.NewRequest(http.MethodGet, "/readyz", http.NoBody))
	assert.Equal(t, 503, w.Code)
	<-ended
}
