package wire_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/validation/market"
)

var start = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

// auth knows the clients acme and beta by the tokens tok-acme and tok-beta.
type auth struct {
	err   error // returned by all methods
	panic any
}

func (a *auth) Issue(ctx context.Context, id, secret string) (string, time.Duration, error) {
	_, err := a.Verify(ctx, id, secret)
	return "tok-acme", 24 * time.Hour, err
}

func (a *auth) Verify(_ context.Context, id, secret string) (ports.Client, error) {
	if a.panic != nil {
		panic(a.panic)
	}
	if a.err == nil && (id != "acme" || secret != "s3cret") {
		return ports.Client{}, errcodes.New(errcodes.TokenInvalidCredentials, "")
	}
	return ports.Client{ID: id}, a.err
}

func (a *auth) Revoke(context.Context, string, string) error { return a.err }

func (a *auth) Active(context.Context, string, time.Time) error { return a.err }

func (a *auth) Authenticate(_ context.Context, token string) (ports.Client, error) {
	if a.err != nil {
		return ports.Client{}, a.err
	}
	id, ok := strings.CutPrefix(token, "tok-")
	if !ok || id != "acme" && id != "beta" && !strings.HasPrefix(id, "many") {
		return ports.Client{}, errcodes.New(errcodes.Unauthorized, "")
	}
	client := ports.Client{ID: id, Merchants: []string{ports.AnyMerchant}}
	if id == "beta" {
		client.Merchants = []string{betas}
	}
	return client, nil
}

// betas is the only merchant of beta.
const betas = "0d9c1a52-6a67-4b1c-8a55-0c7b8f7d2f10"

// locks is a service with one lock of acme, unless the test sets something else.
type locks struct {
	mu     sync.Mutex
	err    error
	minted bool
	panic  any
	calls  []string // "create acme USD/ZAR", "get acme rl_1"
	traces []string // from httpserver.TraceID
}

func (l *locks) called(ctx context.Context, call string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, call)
	l.traces = append(l.traces, httpserver.TraceID(ctx))
	if l.panic != nil {
		panic(l.panic)
	}
	return l.err
}

func (l *locks) Create(ctx context.Context, owner string, pair ports.Pair) (ports.RateLock, bool, error) {
	err := l.called(ctx, "create "+owner+" "+pair.String())
	return aLock(), l.minted, err
}

func (l *locks) Get(ctx context.Context, owner, id string) (ports.RateLock, error) {
	if err := l.called(ctx, "get "+owner+" "+id); err != nil {
		return ports.RateLock{}, err
	}
	if owner != "acme" || id != "rl_1" {
		return ports.RateLock{}, errcodes.New(errcodes.NotFound, "No such rate lock")
	}
	return aLock(), nil
}

func (l *locks) Cancel(ctx context.Context, owner, id string) (ports.RateLock, error) {
	lock, err := l.Get(ctx, owner, id)
	lock.Status, lock.CancellationReason = ports.LockCancelled, ports.CancelledRequested
	return lock, err
}

// validations is a service with one validation of acme, unless the test sets something
// else.
type validations struct {
	err   error
	calls []string // "validate acme 0690000032", "get acme …"
	last  market.Request
}

const validationID = "019aa1b2-0000-7000-8000-000000000001"

func (v *validations) Validate(_ context.Context, owner string, req market.Request) (ports.Validation, error) {
	v.calls, v.last = append(v.calls, "validate "+owner+" "+req.AccountIdentifier), req
	return aValidation(), v.err
}

func (v *validations) Get(_ context.Context, owner, id string) (ports.Validation, error) {
	v.calls = append(v.calls, "get "+owner+" "+id)
	if v.err != nil {
		return ports.Validation{}, v.err
	}
	if owner != "acme" || id != validationID {
		return ports.Validation{}, errcodes.New(errcodes.NotFound, "No such validation")
	}
	return aValidation(), nil
}

func aValidation() ports.Validation {
	return ports.Validation{
		ValidationRecord: ports.ValidationRecord{
			ID: validationID, Owner: "acme", Status: ports.StatusVerified, Provider: "sandbox", Type: ports.External,
			ExpiresAt: start.Add(24 * time.Hour),
		},
		HolderName: "AMA SERWAA MENSAH",
	}
}

func aLock() ports.RateLock {
	return ports.RateLock{
		ID: "rl_1", Owner: "acme", Base: "USD", Quote: "ZAR", Status: ports.LockActive,
		MidRate: "18.2500", MarkupBps: 150, AllInRate: "18.52375",
		CreatedAt: start, ExpiresAt: start.Add(24 * time.Hour),
	}
}

// api is a handler, or several that take turns, with fakes or a house behind it. do
// checks every response against the OpenAPI document.
type api struct {
	t           testing.TB
	h           http.Handler
	servers     []http.Handler
	turn        *turns
	house       *house            // nil means that fakes respond
	fixtures    bool              // requests contain fixtures
	made        map[string]string // existing fixtures
	auth        *auth
	locks       *locks
	validations *validations
	clock       *portstest.Clock
}

// newAPI returns an api with the test's fakes. If there are two servers, a house does
// everything that the test does not fake.
func newAPI(t testing.TB, p place, cfg httpserver.Config) *api {
	t.Helper()
	a := &api{t: t, auth: &auth{}, locks: &locks{minted: true}, validations: &validations{}, clock: portstest.NewClock(start)}
	if p.servers > 1 {
		a.scripted(p, cfg)
		return a
	}
	cfg.Clock = a.clock
	a.serve(p, func(int) (httpserver.Authenticator, httpserver.Services) {
		return a.auth, httpserver.Services{
			RateLocks: a.locks, Validations: a.validations, Transactions: noTransactions{errcodes.New(errcodes.NotFound, "")},
			Reports: noReports{errcodes.New(errcodes.NotFound, "")},
		}
	}, cfg)
	return a
}

// request is a test's request. Without a token it has no Authorization header.
type request struct {
	method, path, token, body string
	header                    map[string]string
}

func (q request) make() *http.Request {
	var body io.Reader
	if q.body != "" {
		body = strings.NewReader(q.body)
	}
	r := httptest.NewRequest(q.method, "http://corridor.test/", body)
	u, err := url.ParseRequestURI(q.path) // as net/http parses a request line
	if err != nil {
		panic(err)
	}
	r.URL, r.RequestURI = u, q.path
	if q.token != "" {
		r.Header.Set("Authorization", "Bearer "+q.token)
	}
	for name, value := range q.header {
		r.Header.Set(name, value)
	}
	return r
}

// make returns the HTTP request with its fixtures replaced.
func (a *api) make(q request) *http.Request {
	a.t.Helper()
	q.path, q.token = a.real(q.path), a.real(q.token)
	if authorization, ok := q.header["Authorization"]; ok {
		q.header = maps.Clone(q.header)
		q.header["Authorization"] = a.real(authorization)
	}
	return q.make()
}

// traces contains every trace id of all tests (I28).
var traces sync.Map

func (a *api) do(q request) *httptest.ResponseRecorder {
	a.t.Helper()
	r := a.make(q)
	w := httptest.NewRecorder()
	a.h.ServeHTTP(w, r)
	trace := w.Header().Get("x-trace-id")
	assert.Regexp(a.t, `^[0-9a-f]{32}$`, trace)
	_, again := traces.LoadOrStore(trace, true)
	assert.False(a.t, again, "a trace id comes once")
	conforms(a.t, r, w)
	return w
}

// conforms checks the status, headers and body of a response against the OpenAPI
// document.
func conforms(t testing.TB, r *http.Request, w *httptest.ResponseRecorder) {
	t.Helper()
	doc := document(t)
	responses := &openapi3.Responses{}
	if operation := operationOf(doc, r); operation != nil {
		responses = operation.Responses
	} else if name := map[int]string{401: "Unauthorized", 404: "NotFound", 429: "TooManyRequests", 503: "Unavailable"}[w.Code]; name != "" {
		responses.Set(http.StatusText(w.Code), doc.Components.Responses[name])
		responses = openapi3.NewResponses(openapi3.WithStatus(w.Code, doc.Components.Responses[name]))
	}
	err := openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: httptest.NewRequest(http.MethodPost, "/", nil), // this also covers responses to HEAD
			Route:   &routers.Route{Spec: doc, Operation: &openapi3.Operation{Responses: responses}},
		},
		Status: w.Code, Header: w.Header(), Body: io.NopCloser(bytes.NewReader(w.Body.Bytes())),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	})
	assert.NoError(t, err, "%s %s gave %d, against the OpenAPI document", r.Method, r.URL, w.Code)
	if responses.Len() == 0 {
		t.Errorf("%s %s gave %d, which no route has", r.Method, r.URL, w.Code)
	}
}

var document = func() func(testing.TB) *openapi3.T {
	load := sync.OnceValues(func() (*openapi3.T, error) {
		openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.FileBodyDecoder)
		text, err := os.ReadFile("../../../adapters/httpserver/openapi.yaml")
		if err != nil {
			return nil, err
		}
		return openapi3.NewLoader().LoadFromData(text)
	})
	return func(t testing.TB) *openapi3.T {
		doc, err := load()
		require.NoError(t, err)
		return doc
	}
}()

// operationOf returns the operation of a path. Any method will do, because each path has
// only one.
func operationOf(doc *openapi3.T, r *http.Request) *openapi3.Operation {
	segments := strings.Split(r.URL.EscapedPath(), "/")
	for _, pattern := range doc.Paths.InMatchingOrder() {
		if matches(strings.Split(pattern, "/"), segments) {
			for _, operation := range doc.Paths.Value(pattern).Operations() {
				return operation
			}
		}
	}
	return nil
}

func matches(pattern, segments []string) bool {
	if len(pattern) != len(segments) {
		return false
	}
	for i, p := range pattern {
		if p != segments[i] && (!strings.HasPrefix(p, "{") || segments[i] == "") {
			return false
		}
	}
	return true
}

// loggingLocks logs with the context of the call, like a service.
type loggingLocks struct {
	*locks
	log *slog.Logger
}

func (l *loggingLocks) Get(ctx context.Context, owner, id string) (ports.RateLock, error) {
	l.log.InfoContext(ctx, "in the service")
	return aLock(), nil
}
