package httpserver_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/report"
)

// The routes, their answers and their errors are tested in internal/integration/wire,
// with services and stores that this module does not require. This package tests the
// server itself.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var start = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

const credentials = `{"client_id":"acme","client_secret":"s3cret"}`

// auth accepts the tokens tok-acme, tok-beta and tok-many… of the clients acme, beta
// and many….
type auth struct{}

// Issue returns a token, for the client stuck only when its context ends, and for the
// client slow after a second.
func (auth) Issue(ctx context.Context, id, _ string) (string, time.Duration, error) {
	if id == "stuck" {
		<-ctx.Done()
		return "", 0, ctx.Err()
	}
	if id == "slow" {
		time.Sleep(time.Second)
	}
	return "tok-acme", 24 * time.Hour, nil
}

func (auth) Authenticate(_ context.Context, token string) (ports.Client, error) {
	id, ok := strings.CutPrefix(token, "tok-")
	if !ok || id != "acme" && id != "beta" && !strings.HasPrefix(id, "many") {
		return ports.Client{}, errcodes.New(errcodes.Unauthorized, "")
	}
	return ports.Client{ID: id}, nil
}

func (auth) Verify(_ context.Context, id, _ string) (ports.Client, error) {
	return ports.Client{ID: id}, nil
}

func (auth) Revoke(context.Context, string, string) error { return nil }

func (auth) Active(context.Context, string, time.Time) error { return nil }

// locks is a service with a single lock, acme's.
type locks struct {
	httpserver.RateLocks

	minted bool
	takes  time.Duration
}

func (l *locks) Create(ctx context.Context, owner string, _ ports.Pair) (ports.RateLock, bool, error) {
	select {
	case <-time.After(l.takes):
	case <-ctx.Done():
		return ports.RateLock{}, false, ctx.Err()
	}
	lock, err := l.Get(ctx, owner, "rl_1")
	return lock, l.minted, err
}

func (*locks) Get(ctx context.Context, owner, id string) (ports.RateLock, error) {
	if err := ctx.Err(); err != nil {
		return ports.RateLock{}, err
	}
	if owner != "acme" || id != "rl_1" {
		return ports.RateLock{}, errcodes.New(errcodes.NotFound, "No such rate lock")
	}
	return ports.RateLock{
		ID: id, Owner: owner, Base: "USD", Quote: "ZAR", Status: ports.LockActive,
		MidRate: "18.2500", MarkupBps: 150, AllInRate: "18.52375",
		CreatedAt: start, ExpiresAt: start.Add(24 * time.Hour),
	}, nil
}

// fileSize is the size of a download in bytes.
const fileSize = 1 << 20

// files is a service with one report's file.
type files struct{ httpserver.Reports }

func (files) OpenLink(context.Context, string) (report.File, error) {
	return report.File{ReportFile: zeros{bytes.NewReader(make([]byte, fileSize))}, Name: "zeros", ContentType: "text/csv", Owner: "acme"}, nil
}

type zeros struct{ *bytes.Reader }

func (zeros) Close() error       { return nil }
func (zeros) ModTime() time.Time { return start }

// everything returns a service for each route; only a lock can be read.
func everything() httpserver.Services { return slow(0) }

// slow is everything with locks that take some time.
func slow(takes time.Duration) httpserver.Services {
	return httpserver.Services{
		RateLocks: &locks{takes: takes}, Validations: struct{ httpserver.Validations }{},
		Transactions: struct{ httpserver.Transactions }{}, Reports: files{},
	}
}

// api is a handler with a clock that the test controls.
type api struct {
	h     http.Handler
	clock *portstest.Clock
}

func newAPI(t testing.TB, cfg httpserver.Config) *api {
	t.Helper()
	a := &api{clock: portstest.NewClock(start)}
	cfg.Clock = a.clock
	var err error
	a.h, err = httpserver.New(auth{}, everything(), &cfg)
	require.NoError(t, err)
	return a
}

func (a *api) do(q request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	a.h.ServeHTTP(w, q.make())
	return w
}

// request is a request of a test; without a token it has no Authorization.
type request struct {
	method, path, token, body string
	header                    map[string]string
}

func post(path, token, body string) request {
	return request{method: http.MethodPost, path: path, token: token, body: body}
}

func (q request) with(name, value string) request {
	q.header = map[string]string{name: value}
	return q
}

func (q request) make() *http.Request {
	r := httptest.NewRequest(q.method, q.path, strings.NewReader(q.body))
	if q.token != "" {
		r.Header.Set("Authorization", "Bearer "+q.token)
	}
	for name, value := range q.header {
		r.Header.Set(name, value)
	}
	return r
}
