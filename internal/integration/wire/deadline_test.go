package wire_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// stuck is a service that returns when its context is done.
type stuck struct{ locks }

func (*stuck) Create(ctx context.Context, _ string, _ ports.Pair) (ports.RateLock, bool, error) {
	<-ctx.Done()
	return ports.RateLock{}, false, ctx.Err()
}

// A request that takes too long gets a response while its connection is still open.
func TestARequestThatTakesTooLongIsA504(t *testing.T) {
	h, err := httpserver.New(&auth{}, httpserver.Services{RateLocks: &stuck{}}, &httpserver.Config{RequestTimeout: time.Millisecond})
	require.NoError(t, err)
	r := request{method: http.MethodPost, path: "/v1/rate-locks", token: "tok-acme", body: `{"base":"USD","quote":"ZAR"}`}.make()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	assert.Equal(t, http.StatusGatewayTimeout, w.Code)
	assert.JSONEq(t, `{"message":"The request took too long","error":"Gateway Timeout","statusCode":504}`, w.Body.String())
	conforms(t, r, w)

	for _, path := range []string{"/v1/auth/oauth2/token", "/v1/auth/oauth2/revoke"} {
		h, err = httpserver.New(&auth{err: errcodes.Coded(context.DeadlineExceeded)}, httpserver.Services{}, nil)
		require.NoError(t, err)
		r = request{method: http.MethodPost, path: path, body: `{"client_id":"acme","client_secret":"s3cret","token":"x"}`}.make()
		w = httptest.NewRecorder()
		h.ServeHTTP(w, r)
		assert.Equal(t, http.StatusGatewayTimeout, w.Code)
		conforms(t, r, w)
	}

	for _, bad := range []time.Duration{-1, httpserver.MaxRequestTimeout + 1} {
		_, err = httpserver.New(&auth{}, httpserver.Services{}, &httpserver.Config{RequestTimeout: bad})
		assert.ErrorIs(t, err, errcodes.Configuration)
	}
	server, err := httpserver.NewServer(h, nil)
	require.NoError(t, err)
	assert.Less(t, httpserver.DefaultRequestTimeout, server.WriteTimeout)
}

// A path that looks like the token route after decoding is a different path and needs a
// token.
func TestAnEncodedSlashNeedsAToken(t *testing.T) { at(t, anEncodedSlashNeedsAToken, shared) }

func anEncodedSlashNeedsAToken(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{})
	for _, path := range []string{"/v1/auth/oauth2%2Ftoken", "/v1/auth%2Foauth2/token", "/v1%2Fauth/oauth2/token", "/v1/auth/oauth2%2Frevoke"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			w := a.do(request{method: method, path: path})
			assert.Equal(t, http.StatusUnauthorized, w.Code, path)
			assert.Equal(t, `{"message":"Unauthorized"}`, w.Body.String())
		}
	}
}

func TestResponsesOfTheTokenRouteAreNotCacheable(t *testing.T) {
	at(t, responsesOfTheTokenRouteAreNotCacheable, shared)
}

func responsesOfTheTokenRouteAreNotCacheable(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{})
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodGet} {
		w := a.do(request{method: method, path: "/v1/auth/oauth2/token"})
		assert.Equal(t, "no-store", w.Header().Get("Cache-Control"), method)
	}
}
