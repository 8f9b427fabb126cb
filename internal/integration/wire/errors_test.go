package wire_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/errcodes"
)

const (
	credentials  = `{"client_id":"acme","client_secret":"s3cret"}`
	usdzar       = `{"base":"USD","quote":"ZAR"}`
	noLock       = `{"message":"No such rate lock","error":"Not Found","statusCode":404}`
	unauthorized = `{"message":"Unauthorized"}`
	form         = "application/x-www-form-urlencoded"
)

var huge = `{"x":"` + strings.Repeat("a", 2<<20) + `"}`

// padded returns the credentials with blanks, of a length in bytes.
func padded(length int) string { return credentials + strings.Repeat(" ", length-len(credentials)) }

func post(path, token, body string) request {
	return request{method: "POST", path: path, token: token, body: body}
}

func (q request) with(name, value string) request {
	q.header = map[string]string{name: value}
	return q
}

// The test covers each row of SPEC 5.3 and the additions of the OpenAPI document.
func TestTheTokenRouteHasItsStatuses(t *testing.T) { at(t, theTokenRouteHasItsStatuses, shared) }

func theTokenRouteHasItsStatuses(t *testing.T, p place) {
	const path = "/v1/auth/oauth2/token"
	const invalid = `{"error":"Invalid request body"}`
	const missing = `{"error":"client_id and client_secret are required"}`
	for _, c := range []struct {
		name   string
		q      request
		err    error
		panic  any
		status int
		body   string
	}{
		{"200 a token", post(path, "", credentials), nil, nil, 200,
			`{"access_token":"tok-acme","token_type":"Bearer","expires_in":86400}`},
		{"200 whatever Authorization says", post(path, "nonsense", credentials), nil, nil, 200,
			`{"access_token":"tok-acme","token_type":"Bearer","expires_in":86400}`},
		{"200 with another content type", post(path, "", credentials).with("Content-Type", "text/plain"), nil, nil, 200,
			`{"access_token":"tok-acme","token_type":"Bearer","expires_in":86400}`},
		{"400 truncated", post(path, "", credentials[:20]), nil, nil, 400, invalid},
		{"400 an array", post(path, "", "["+credentials+"]"), nil, nil, 400, invalid},
		{"400 null", post(path, "", "null"), nil, nil, 400, invalid},
		{"400 no body", post(path, "", ""), nil, nil, 400, invalid},
		{"400 trailing data", post(path, "", credentials+"{}"), nil, nil, 400, invalid},
		{"400 a NUL", post(path, "", credentials+"\x00"), nil, nil, 400, invalid},
		{"400 a number for the id", post(path, "", `{"client_id":1,"client_secret":"s"}`), nil, nil, 400, invalid},
		{"400 a form", post(path, "", "client_id=acme&client_secret=s3cret").with("Content-Type", form), nil, nil, 400, invalid},
		{"400 a form's header, whatever the body", post(path, "", credentials).with("Content-Type", "Application/X-WWW-Form-Urlencoded; charset=utf-8"), nil, nil, 400, invalid},
		{"400 a multipart form", post(path, "", credentials).with("Content-Type", "multipart/form-data; boundary=x"), nil, nil, 400, invalid},
		{"400 a form of 2 MiB", post(path, "", huge).with("Content-Type", form), nil, nil, 400, invalid},
		{"400 no secret", post(path, "", `{"client_id":"acme"}`), nil, nil, 400, missing},
		{"400 an empty id", post(path, "", `{"client_id":"","client_secret":"s"}`), nil, nil, 400, missing},
		{"401 unknown client", post(path, "", `{"client_id":"nobody","client_secret":"s3cret"}`), nil, nil, 401, `{"error":"Invalid client credentials"}`},
		{"401 wrong secret", post(path, "", `{"client_id":"acme","client_secret":"wrong"}`), nil, nil, 401, `{"error":"Invalid client credentials"}`},
		{"405 another method", request{method: "GET", path: path}, nil, nil, 405, `{"error":"Method not allowed"}`},
		{"413 a body above 4 KiB", post(path, "", padded(httpserver.MaxTokenBody+1)), nil, nil, 413, `{"error":"The request body is too large"}`},
		{"200 a body of 4 KiB", post(path, "", padded(httpserver.MaxTokenBody)), nil, nil, 200,
			`{"access_token":"tok-acme","token_type":"Bearer","expires_in":86400}`},
		{"500 an unexpected error", post(path, "", credentials), errors.New("canary"), nil, 500, `{"error":"An unknown error occurred"}`},
		{"500 a panic", post(path, "", credentials), nil, "canary", 500, `{"error":"An unknown error occurred"}`},
		{"503 an outage", post(path, "", credentials), errcodes.New(errcodes.Unavailable, "canary"), nil, 503, `{"error":"Authentication service unavailable"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAPI(t, p, httpserver.Config{})
			a.auth.err, a.auth.panic = c.err, c.panic
			for range 2 { // twice with the same response
				w := a.do(c.q)
				assert.Equal(t, c.status, w.Code)
				assert.Equal(t, c.body, a.asFake(w))
				assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
				if c.status != 405 {
					assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
					assert.Equal(t, "no-cache", w.Header().Get("Pragma"))
				}
			}
		})
	}
}

// The bodies and the credentials have the errors of the token route.
func TestTheRevocationRouteHasItsStatuses(t *testing.T) {
	at(t, theRevocationRouteHasItsStatuses, shared)
}

func theRevocationRouteHasItsStatuses(t *testing.T, p place) {
	const path = "/v1/auth/oauth2/revoke"
	const token = `{"token":"unknown"}`
	with := func(id, secret string) string {
		return `{"token":"unknown","client_id":"` + id + `","client_secret":"` + secret + `"}`
	}
	const invalid = `{"error":"Invalid request body"}`
	const missing = `{"error":"client_id and client_secret are required"}`
	const wrong = `{"error":"Invalid client credentials"}`
	for _, c := range []struct {
		name   string
		q      request
		err    error
		status int
		body   string
	}{
		{"200 with credentials", post(path, "", with("acme", "s3cret")), nil, 200, "{}"},
		{"200 with a bearer token", post(path, acmesToken, token), nil, 200, "{}"},
		{"200 with empty credentials and a bearer token", post(path, acmesToken, with("", "")), nil, 200, "{}"},
		{"200 with null credentials and a bearer token", post(path, acmesToken, `{"token":"unknown","client_id":null,"client_secret":null}`), nil, 200, "{}"},
		{"200 with credentials, whatever Authorization says", post(path, "nonsense", with("acme", "s3cret")), nil, 200, "{}"},
		{"400 truncated", post(path, acmesToken, token[:9]), nil, 400, invalid},
		{"400 no body", post(path, acmesToken, ""), nil, 400, invalid},
		{"400 a number for the token", post(path, acmesToken, `{"token":1}`), nil, 400, invalid},
		{"400 a token twice", post(path, acmesToken, `{"token":"a","token":"b"}`), nil, 400, invalid},
		{"400 a form", post(path, acmesToken, "token=unknown").with("Content-Type", form), nil, 400, invalid},
		{"400 no token", post(path, acmesToken, "{}"), nil, 400, `{"error":"token is required"}`},
		{"400 an empty token", post(path, "", `{"token":"","client_id":"acme","client_secret":"s3cret"}`), nil, 400, `{"error":"token is required"}`},
		{"400 neither credentials nor a bearer token", post(path, "", token), nil, 400, missing},
		{"400 no secret, whatever Authorization says", post(path, acmesToken, `{"token":"unknown","client_id":"acme"}`), nil, 400, missing},
		{"400 no id", post(path, acmesToken, `{"token":"unknown","client_secret":"s3cret"}`), nil, 400, missing},
		{"401 unknown client", post(path, "", with("nobody", "s3cret")), nil, 401, wrong},
		{"401 wrong secret, whatever Authorization says", post(path, acmesToken, with("acme", "wrong")), nil, 401, wrong},
		{"401 an unknown bearer token", post(path, "tok-nobody", token), nil, 401, `{"error":"Unauthorized"}`},
		{"401 another scheme", post(path, "", token).with("Authorization", "Basic x"), nil, 401, `{"error":"Unauthorized"}`},
		{"405 another method", request{method: "GET", path: path}, nil, 405, `{"error":"Method not allowed"}`},
		{"413 a body of 2 MiB", post(path, "", huge), nil, 413, `{"error":"The request body is too large"}`},
		{"500 an unexpected error", post(path, acmesToken, token), errors.New("canary"), 500, `{"error":"An unknown error occurred"}`},
		{"503 an outage", post(path, "", with("acme", "s3cret")), errcodes.New(errcodes.Unavailable, "canary"), 503, `{"error":"Authentication service unavailable"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAPI(t, p, httpserver.Config{})
			a.auth.err = c.err
			for range 2 { // twice with the same response
				w := a.do(c.q)
				assert.Equal(t, c.status, w.Code)
				assert.Equal(t, c.body, w.Body.String())
				assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
				assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
			}
		})
	}
}

// I15: this includes all headers except the trace id.
func TestBothCausesOf401HaveOneResponse(t *testing.T) {
	at(t, bothCausesOf401HaveOneResponse, shared)
}

func bothCausesOf401HaveOneResponse(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{})
	unknown := a.do(post("/v1/auth/oauth2/token", "", `{"client_id":"nobody","client_secret":"s3cret"}`))
	wrong := a.do(post("/v1/auth/oauth2/token", "", `{"client_id":"acme","client_secret":"wrong"}`))
	unknown.Header().Del("x-trace-id")
	wrong.Header().Del("x-trace-id")
	assert.Equal(t, unknown.Header(), wrong.Header())
	assert.Equal(t, unknown.Body.Bytes(), wrong.Body.Bytes())
}

// SPEC 5.2: the token is checked before path, method and body.
func TestTheTokenIsCheckedFirst(t *testing.T) { at(t, theTokenIsCheckedFirst, shared) }

func theTokenIsCheckedFirst(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{})
	for name, authorization := range map[string]string{
		"missing":        "",
		"unknown token":  "Bearer tok-nobody",
		"no token":       "Bearer ",
		"no scheme":      "tok-acme",
		"another scheme": "Basic tok-acme",
		"two tokens":     "Bearer tok-acme tok-beta",
		"a tab":          "Bearer\ttok-acme",
		"a NUL":          "Bearer tok-acme\x00",
	} {
		for _, q := range []request{
			post("/v1/rate-locks", "", usdzar),
			post("/v1/rate-locks", "", "no JSON"),
			post("/v1/rate-locks", "", huge),
			post("/v1/rate-locks", "", usdzar).with("Content-Type", form),
			{method: "GET", path: "/v1/rate-locks/rl_1"},
			post("/v1/rate-locks/rl_1/cancel", "", ""),
			{method: "DELETE", path: "/v1/rate-locks"},
			{method: "OPTIONS", path: "/v1/rate-locks"},
			{method: "GET", path: "/v1"},
			{method: "GET", path: "/v1/nothing"},
			{method: "GET", path: "/v1/auth/oauth2/token/"},
			{method: "GET", path: "/v1/x//y"},
			{method: "GET", path: "/v1/../docs"},
			{method: "GET", path: "/x/../v1/rate-locks"},
			{method: "GET", path: "//v1/rate-locks"},
			{method: "POST", path: "/%761/rate-locks", body: usdzar},
			{method: "POST", path: "/v1%2Frate-locks", body: usdzar},
			{method: "GET", path: "/accounts"},
			{method: "POST", path: "/accounts/validate"},
		} {
			t.Run(name+" "+q.method+" "+q.path, func(t *testing.T) {
				r := q.make()
				if authorization != "" {
					q = q.with("Authorization", authorization)
					if ct := r.Header.Get("Content-Type"); ct != "" {
						q.header["Content-Type"] = ct
					}
				}
				w := a.do(q)
				assert.Equal(t, 401, w.Code)
				assert.Equal(t, unauthorized, w.Body.String())
			})
		}
	}
	assert.Empty(t, a.locks.calls)
}

// The test covers each row of SPEC 4.2 and of 7.1 that applies to the route.
func TestCreateRateLockHasItsStatuses(t *testing.T) { at(t, createRateLockHasItsStatuses, shared) }

func createRateLockHasItsStatuses(t *testing.T, p place) {
	const (
		lock    = `{"rateLockId":"rl_1","status":"active","base":"USD","quote":"ZAR","midRate":"18.2500","markupBps":150,"allInRate":"18.52375","createdAt":"2026-11-20T15:00:00.000Z","expiresAt":"2026-11-21T15:00:00.000Z"}`
		noJSON  = `{"message":"The body must be a JSON object","error":"Bad Request","statusCode":400}`
		noForm  = `{"message":"The body must be JSON, not a form; send Content-Type: application/json","error":"Bad Request","statusCode":400}`
		tooMuch = `{"message":"The request body is too large","error":"Request Entity Too Large","statusCode":413}`
	)
	create := func(body string) request { return post("/v1/rate-locks", "tok-acme", body) }
	coded := func(code errcodes.Code) error { return errcodes.Wrap(code, "", errors.New("canary")) }
	for _, c := range []struct {
		name   string
		q      request
		err    error
		panic  any
		status int
		body   string // with the prefix "~" the bytes are not compared
	}{
		{"201 a new lock", create(usdzar), nil, nil, 201, lock},
		{"201 without a content type", create(usdzar).with("Content-Type", ""), nil, nil, 201, lock},
		{"201 with application/json", create(usdzar).with("Content-Type", "application/json; charset=utf-8"), nil, nil, 201, lock},
		{"201 with unknown fields", create(`{"base":"USD","quote":"ZAR","merchantId":7}`), nil, nil, 201, lock},
		{"400 no body", create(""), nil, nil, 400, noJSON},
		{"400 truncated", create(`{"base":"USD"`), nil, nil, 400, noJSON},
		{"400 an array", create("[" + usdzar + "]"), nil, nil, 400, noJSON},
		{"400 null", create("null"), nil, nil, 400, noJSON},
		{"400 trailing data", create(usdzar + usdzar), nil, nil, 400, noJSON},
		{"400 a NUL", create(usdzar + "\x00"), nil, nil, 400, noJSON},
		{"400 a form", create("base=USD&quote=ZAR").with("Content-Type", form), nil, nil, 400, noForm},
		{"400 a form's header on JSON", create(usdzar).with("Content-Type", form), nil, nil, 400, noForm},
		{"400 a number for base", create(`{"base":840,"quote":"ZAR"}`), nil, nil, 400, `{"message":"base must be a string","error":"Bad Request","statusCode":400}`},
		{"400 what the service calls malformed", create(`{"base":"usd","quote":"ZAR"}`), errcodes.New(errcodes.InvalidRequest, "base must be an upper-case ISO 4217 code"), nil, 400,
			`{"message":"base must be an upper-case ISO 4217 code","error":"Bad Request","statusCode":400}`},
		{"413 2 MiB", create(huge), nil, nil, 413, tooMuch},
		{"422 the pair is not offered", create(usdzar), coded(errcodes.PairNotOffered), nil, 422, `{"message":"The currency pair is not offered","error":"Unprocessable Entity","statusCode":422}`},
		{"422 fx_not_enabled", create(usdzar), coded(errcodes.FXNotEnabled), nil, 422, `{"message":"Exchange rates are not enabled for this account","error":"fx_not_enabled","statusCode":422}`},
		{"500 an unexpected error", create(usdzar), errors.New("canary"), nil, 500, `{"message":"An unknown error occurred","error":"Internal Server Error","statusCode":500}`},
		{"500 a panic", create(usdzar), nil, "canary", 500, `{"message":"An unknown error occurred","error":"Internal Server Error","statusCode":500}`},
		{"500 outcome_unknown", create(usdzar), coded(errcodes.OutcomeUnknown), nil, 500, `~"error":"outcome_unknown"`},
		{"500 a corrupt record", create(usdzar), coded(errcodes.CorruptRecord), nil, 500, `~"error":"Internal Server Error"`},
		{"503 no live price", create(usdzar), coded(errcodes.PriceUnavailable), nil, 503, `{"message":"Rates for the pair are temporarily unavailable","error":"Service Unavailable","statusCode":503}`},
		{"503 clock_behind", create(usdzar), coded(errcodes.ClockBehind), nil, 503, `~"error":"clock_behind"`},
		{"503 the store is full", create(usdzar), coded(errcodes.StorageUnavailable), nil, 503, `~"error":"Service Unavailable"`},
		{"504 the deadline passed", create(usdzar), coded(errcodes.DeadlineExceeded), nil, 504, `~"error":"Gateway Timeout"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAPI(t, p, httpserver.Config{})
			a.locks.err, a.locks.panic = c.err, c.panic
			for range 2 {
				w := a.do(c.q)
				assert.Equal(t, c.status, w.Code)
				assert.NotContains(t, w.Body.String(), "canary", "a cause stays inside")
				if part, ok := strings.CutPrefix(c.body, "~"); ok {
					assert.Contains(t, w.Body.String(), part)
				} else {
					assert.Equal(t, c.body, a.asFake(w))
				}
			}
			if c.status == 413 || c.status == 400 && c.err == nil {
				assert.Empty(t, a.locks.calls, "the service never hears of it")
			}
		})
	}
	t.Run("200 the newest of two", func(t *testing.T) {
		a := newAPI(t, p, httpserver.Config{})
		a.fill()
		w := a.do(create(usdzar))
		assert.Equal(t, 200, w.Code)
		assert.Equal(t, lock, a.asFake(w))
		assert.Equal(t, []string{"create acme USD/ZAR"}, a.locks.calls)
	})
	t.Run("exactly 1 MiB is accepted", func(t *testing.T) {
		a := newAPI(t, p, httpserver.Config{})
		body := `{"base":"USD","quote":"ZAR"` + strings.Repeat(" ", httpserver.MaxBody-len(usdzar)) + `}`
		assert.Equal(t, 201, a.do(create(body)).Code)
		assert.Equal(t, 413, a.do(create(body+" ")).Code)
	})
}

// The test covers SPEC 4.3.
func TestCancelRateLockHasItsStatuses(t *testing.T) { at(t, cancelRateLockHasItsStatuses, shared) }

func cancelRateLockHasItsStatuses(t *testing.T, p place) {
	const cancelled = `{"rateLockId":"rl_1","status":"cancelled","base":"USD","quote":"ZAR","midRate":"18.2500","markupBps":150,"allInRate":"18.52375","createdAt":"2026-11-20T15:00:00.000Z","expiresAt":"2026-11-21T15:00:00.000Z","cancellationReason":"requested"}`
	a := newAPI(t, p, httpserver.Config{})
	for name, q := range map[string]request{
		"without a body":                 post("/v1/rate-locks/rl_1/cancel", "tok-acme", ""),
		"with a body, which is ignored":  post("/v1/rate-locks/rl_1/cancel", "tok-acme", "[no JSON"),
		"as curl -d '' sends it, a form": post("/v1/rate-locks/rl_1/cancel", "tok-acme", "").with("Content-Type", form),
	} {
		t.Run("200 "+name, func(t *testing.T) {
			w := a.do(q)
			assert.Equal(t, 200, w.Code)
			assert.Equal(t, cancelled, a.asFake(w))
		})
	}
	t.Run("413 with 2 MiB, and nothing is cancelled", func(t *testing.T) {
		a := newAPI(t, p, httpserver.Config{})
		assert.Equal(t, 413, a.do(post("/v1/rate-locks/rl_1/cancel", "tok-acme", huge)).Code)
		assert.Empty(t, a.locks.calls)
	})
}

// I31: each operation is tried with the client's own id, another client's, and an unknown
// one.
func TestOtherClientsLocksAreNotFound(t *testing.T) { at(t, otherClientsLocksAreNotFound, shared) }

func otherClientsLocksAreNotFound(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{})
	for _, operation := range []struct{ method, suffix string }{{"GET", ""}, {"POST", "/cancel"}} {
		for _, c := range []struct {
			who, token, id string
			status         int
		}{
			{"own", "tok-acme", "rl_1", 200},
			{"another's", "tok-beta", "rl_1", 404},
			{"unknown", "tok-acme", "rl_2", 404},
			{"in capitals", "tok-acme", "RL_1", 404},
			{"of 10,000 characters", "tok-acme", strings.Repeat("x", 10_000), 404},
			{"with a slash", "tok-acme", "rl_1%2F", 404},
			{"with a slash in front", "tok-acme", "%2Frl_1", 404},
			{"of two dots", "tok-acme", "%2e%2e", 404},
			{"with a NUL", "tok-acme", "rl_1%00", 404},
			{"with a byte that is not UTF-8", "tok-acme", "rl_1%ff", 404},
			{"with blanks", "tok-acme", "%20rl_1", 404},
			{"with a quote", "tok-acme", "rl_1'--", 404},
			{"with a line feed", "tok-acme", "rl_1%0a", 404},
		} {
			t.Run(operation.method+" "+c.who, func(t *testing.T) {
				w := a.do(request{method: operation.method, path: "/v1/rate-locks/" + c.id + operation.suffix, token: c.token})
				assert.Equal(t, c.status, w.Code)
				if c.status == 404 {
					assert.Equal(t, noLock, w.Body.String())
				}
			})
		}
	}
	t.Run("an id is decoded once", func(t *testing.T) {
		a := newAPI(t, p, httpserver.Config{})
		a.do(request{method: "GET", path: "/v1/rate-locks/a%2Fb%2541", token: "tok-acme"})
		assert.Equal(t, []string{"get acme a/b%41"}, a.locks.calls)
	})
}

// Only rejections are 401.
func TestOnlyRejectedTokensAre401(t *testing.T) { at(t, onlyRejectedTokensAre401, shared) }

func onlyRejectedTokensAre401(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{})
	a.auth.err = errcodes.New(errcodes.Unavailable, "Authentication service unavailable").WithRetryAfter(1500 * time.Millisecond)
	w := a.do(post("/v1/rate-locks", "tok-acme", usdzar))
	assert.Equal(t, 503, w.Code)
	assert.Equal(t, `{"message":"Authentication service unavailable","error":"Service Unavailable","statusCode":503}`, w.Body.String())
	assert.Equal(t, "2", w.Header().Get("Retry-After"))
	w = a.do(post("/v1/auth/oauth2/token", "", credentials))
	assert.Equal(t, 503, w.Code)
	assert.Equal(t, "2", w.Header().Get("Retry-After"))
}

// I29 also holds if a service returns such an error.
func TestA401OfAServiceHasTheGatewaysEnvelope(t *testing.T) {
	at(t, a401OfAServiceHasTheGatewaysEnvelope, shared)
}

func a401OfAServiceHasTheGatewaysEnvelope(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{})
	a.locks.err = errcodes.New(errcodes.Unauthorized, "canary")
	w := a.do(post("/v1/rate-locks", "tok-acme", usdzar))
	assert.Equal(t, http.StatusUnauthorized, w.Code)
	assert.Equal(t, unauthorized, w.Body.String())
}
