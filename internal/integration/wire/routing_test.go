package wire_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/errcodes"
)

const (
	flat404 = `{"message":"Not found","error":"Not Found","statusCode":404}`
	flat405 = `{"message":"Method not allowed","error":"Method Not Allowed","statusCode":405}`
)

func TestNew(t *testing.T) {
	_, err := httpserver.New(nil, httpserver.Services{}, nil)
	assert.Equal(t, errcodes.Configuration, errcodes.Of(err))
	_, err = httpserver.New(&auth{}, httpserver.Services{}, nil)
	assert.NoError(t, err)
}

// routes returns "METHOD /path" for each route of the OpenAPI document. The method is
// empty if a route accepts all methods. The server's own tests compare the document with
// the routes.
func routes(t *testing.T) (all []string) {
	t.Helper()
	for path, item := range document(t).Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.Deprecated { // accepts any method
				method = ""
			}
			all = append(all, method+" "+path)
		}
	}
	return all
}

// The test tries every method on every route.
func TestOtherMethodsAreRejected(t *testing.T) { at(t, otherMethodsAreRejected, shared) }

func otherMethodsAreRejected(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{})
	methods := []string{"GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "BREW"}
	for _, known := range routes(t) {
		allowed, path, _ := strings.Cut(known, " ")
		path = strings.NewReplacer("{rateLockId}", "rl_1", "{asset}", "swagger-ui.css").Replace(path)
		for _, method := range methods {
			if method == allowed || allowed == "" {
				continue
			}
			t.Run(method+" "+path, func(t *testing.T) {
				w := a.do(request{method: method, path: path, token: "tok-acme"})
				assert.Equal(t, 405, w.Code)
				assert.Equal(t, allowed, w.Header().Get("Allow"))
				if !strings.HasPrefix(path, "/v1/auth/") {
					assert.Equal(t, flat405, w.Body.String())
				}
			})
		}
	}
}

// Unknown paths are flat 404s, never redirects: with a token below /v1 and /accounts,
// without one elsewhere.
func TestUnknownPathsAre404(t *testing.T) { at(t, unknownPathsAre404, shared) }

func unknownPathsAre404(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{})
	for _, path := range []string{
		"/v1", "/v1/", "/v1/nothing", "/v1/rate-locks/", "/v1/rate-locks/rl_1/", "/v1/rate-locks/rl_1/cancel/",
		"/v1/rate-locks//cancel", "/v1//rate-locks", "//v1/rate-locks", "/v1/./rate-locks", "/v1/x/../rate-locks",
		"/v1/rate-locks/../auth/oauth2/token", "/v1/auth/oauth2/token/", "/v1/auth/oauth2/token/x", "/v1%2Frate-locks",
		"/v1/rate-locks/rl_1/cancel/x", "/v1/rate-locks/rl_1/CANCEL", "/v1/Rate-Locks", "/accounts", "/accounts/validate/../x",
		"/", "/x", "/x/../docs", "//", "/docs/", "/docs/a/b",
		"/openapi.yaml/", "/livez/", "/V1/rate-locks", "/v10", "/v1x", "/verification", "/verification/mobile/",
	} {
		for _, method := range []string{"GET", "POST", "HEAD"} {
			t.Run(method+" "+path, func(t *testing.T) {
				w := a.do(request{method: method, path: path, token: "tok-acme"})
				assert.Equal(t, 404, w.Code)
				assert.Equal(t, flat404, w.Body.String())
				assert.Empty(t, w.Header().Get("Location"))
			})
		}
	}
	assert.Empty(t, a.locks.calls)
	t.Run("elsewhere no token is asked for", func(t *testing.T) {
		for _, path := range []string{"/x", "/v10", "/v1x/rate-locks", "/accountsx", "/x/v1"} {
			assert.Equal(t, flat404, a.do(request{method: "GET", path: path}).Body.String())
		}
	})
}

// The test draws paths from hostile pieces. The response is never a redirect, without a
// token it is the same for all paths below /v1, and no service is called.
func TestEveryPathHasAnEnvelope(t *testing.T) { at(t, everyPathHasAnEnvelope, shared) }

func everyPathHasAnEnvelope(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{})
	piece := rapid.SampledFrom([]string{"/", "/", "v1", "accounts", "rate-locks", "..", ".", "%2e%2e", "%2F", "%00", "docs", "cancel", "auth/oauth2", "a", "*", "%76", ";", "?", "%"})
	rapid.Check(t, func(r *rapid.T) {
		path := "/" + strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(r, "path"), "")
		u, err := url.ParseRequestURI(path)
		if err != nil {
			r.Skip("no request line has this path")
		}
		q := httptest.NewRequest(http.MethodDelete, "http://corridor.test/", nil)
		q.URL, q.RequestURI = u, path
		w := httptest.NewRecorder()
		a.h.ServeHTTP(w, q)
		want := []int{404, 405}
		if p := q.URL.Path; p == "/v1" || strings.HasPrefix(p, "/v1/") || p == "/accounts" || strings.HasPrefix(p, "/accounts/") {
			want = []int{401}
		} else if strings.Contains(p, "/v1") || strings.Contains(p, "/accounts") {
			want = []int{401, 404, 405}
		}
		if !slices.Contains(want, w.Code) || len(a.locks.calls) > 0 {
			r.Fatalf("%s: %d, want %v; calls %v", path, w.Code, want, a.locks.calls)
		}
	})
}

func TestReplacedRoutesReferToTheirReplacement(t *testing.T) {
	at(t, replacedRoutesReferToTheirReplacement, shared)
}

func replacedRoutesReferToTheirReplacement(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{})
	for _, path := range []string{"/verification/mobile", "/verification/bank-account"} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			w := a.do(request{method: method, path: path})
			assert.Equal(t, 404, w.Code)
			assert.Equal(t, `{"message":"This endpoint was replaced by POST /accounts/validate","error":"Not Found","statusCode":404}`, w.Body.String())
		}
	}
}

// Such routes still return 401 without a token.
func TestRoutesOfANilServiceAreLeftOut(t *testing.T) {
	h, err := httpserver.New(&auth{}, httpserver.Services{}, nil)
	require.NoError(t, err)
	answer := func(q request) string { // the document describes the existing routes
		w := httptest.NewRecorder()
		h.ServeHTTP(w, q.make())
		return w.Body.String()
	}
	for _, q := range []request{
		post("/v1/rate-locks", "tok-acme", usdzar),
		{method: "GET", path: "/v1/rate-locks/rl_1", token: "tok-acme"},
		{method: "PUT", path: "/v1/rate-locks/rl_1/cancel", token: "tok-acme"},
		post("/accounts/validate", "tok-acme", "{}"),
		{method: "GET", path: "/accounts/validate/x", token: "tok-acme"},
	} {
		assert.Equal(t, flat404, answer(q))
		q.token = ""
		assert.Equal(t, unauthorized, answer(q))
	}
}

func TestTheHandlerCanBeMountedBelowAPrefix(t *testing.T) {
	at(t, theHandlerCanBeMountedBelowAPrefix, shared)
}

func theHandlerCanBeMountedBelowAPrefix(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{})
	mux := http.NewServeMux()
	mux.Handle("/pay/", http.StripPrefix("/pay", a.h))
	r := a.make(post("/pay/v1/rate-locks", "tok-acme", usdzar))
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	assert.Equal(t, 201, w.Code)
}
