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

// answered is a handler's answer to a request, and its log.
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

// TestAFormIsOneHoweverItIsSpelt: media types know no case, and blanks around
// them do not count (RFC 9110 section 8.3).
func TestAFormIsOneHoweverItIsSpelt(t *testing.T) {
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

// TestEvery401IsTheGateways holds I29 for all codes of that status.
func TestEvery401IsTheGateways(t *testing.T) {
	for _, row := range errcodes.All() {
		if row.Status != http.StatusUnauthorized {
			continue
		}
		w, _ := answered(t, &locks{err: errcodes.New(row.Code, "canary")}, httpserver.Config{}, asked(http.MethodPost, "/v1/rate-locks", "application/json", usdzar))
		assert.Equal(t, 401, w.Code, row.Code)
		assert.Equal(t, unauthorized, w.Body.String(), row.Code)
	}
}

// TestWhatALogLineHolds: causes belong to errors of ours, since those of a caller
// may quote what was sent.
func TestWhatALogLineHolds(t *testing.T) {
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

// TestAnAnswerOfALibraryIsCounted: such a handler may say no status.
func TestAnAnswerOfALibraryIsCounted(t *testing.T) {
	w, _ := answered(t, &locks{}, httpserver.Config{},
		httptest.NewRequest(http.MethodGet, "/docs", http.NoBody), httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody), httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	assert.Contains(t, w.Body.String(), `corridor_http_requests_total{code="200",method="GET",route="/docs"} 1`)
	assert.Contains(t, w.Body.String(), `corridor_http_requests_total{code="200",method="GET",route="/metrics"} 1`)
}

// TestACheckIsToldToEnd when its time is over, whoever asked.
func TestACheckIsToldToEnd(t *testing.T) {
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
