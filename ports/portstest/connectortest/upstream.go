package connectortest

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/corridor-go/corridor/ports/portstest"
)

// The canaries: what must not turn up in errors, in logs, or at another host.
const (
	canarySecret  = "canary-secret-5b1f0c7e"
	canarySecret2 = "canary-second-a94d3e21"
	canaryUserID  = "0ca4a12f-91c7-4e0b-8f5e-3d1d5a6b7c80"
	canaryName    = "Zenzile Canaryholder"
)

// scenarioTime is what the clock of an [Upstream] shows.
var scenarioTime = time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)

// seen is a request that the provider got.
type seen struct {
	*http.Request
	body []byte
}

// provider is the server that a connector asks. It answers by its play, and
// remembers what it was asked.
type provider struct {
	server *httptest.Server
	over   chan struct{} // closed when the check is: hanging answers end

	mu       sync.Mutex
	play     http.HandlerFunc
	requests []seen
}

func newProvider(tb testing.TB) *provider {
	p := &provider{over: make(chan struct{})}
	p.server = httptest.NewServer(http.HandlerFunc(p.serve))
	tb.Cleanup(func() {
		close(p.over)
		p.server.Close()
	})
	return p
}

// answer makes play answer from now on, and forgets the requests so far.
func (p *provider) answer(play http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.play, p.requests = play, nil
}

func (p *provider) serve(w http.ResponseWriter, r *http.Request) {
	const most = 1 << 20
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err != nil {
		body = []byte("unreadable: " + err.Error())
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	p.mu.Lock()
	p.requests = append(p.requests, seen{r, body})
	play := p.play
	p.mu.Unlock()
	play(w, r)
}

// got returns the requests so far, but for those at the token paths.
func (p *provider) got(tokens []string) []seen {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []seen
	for _, r := range p.requests {
		if !slices.Contains(tokens, r.URL.EscapedPath()) {
			out = append(out, r)
		}
	}
	return out
}

// journal is what a connector logged.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// upstream is what a connector is configured with to ask the provider. It keeps
// no connections: the standard transport would repeat a GET by itself on one
// that was reused.
func (p *provider) upstream(tb testing.TB, log *journal) Upstream {
	transport := &http.Transport{DisableKeepAlives: true}
	tb.Cleanup(transport.CloseIdleConnections)
	return Upstream{
		BaseURL: p.server.URL,
		Client:  &http.Client{Transport: transport},
		Clock:   portstest.NewClock(scenarioTime),
		Logger:  slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Secret:  canarySecret, Secret2: canarySecret2, UserID: canaryUserID,
	}
}

// send answers with a scenario's response.
func (r *sentResponse) send(w http.ResponseWriter) {
	contentType := "text/plain; charset=utf-8"
	if r.Body != nil {
		contentType = "application/json"
	}
	w.Header().Set("Content-Type", contentType)
	for name, value := range r.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(r.Status)
	_, _ = w.Write(r.bytes) // a connector that left shows elsewhere
}
