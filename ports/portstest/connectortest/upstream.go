package connectortest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// The canaries: values that must not appear in errors, in logs, or at another host.
const (
	canarySecret  = "canary-secret-5b1f0c7e"
	canarySecret2 = "canary-second-a94d3e21"
	canaryUserID  = "0ca4a12f-91c7-4e0b-8f5e-3d1d5a6b7c80"
	canaryName    = "Zenzile Canaryholder"
)

// scenarioTime is the time of the clock of an [Upstream].
var scenarioTime = time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)

type seen struct {
	*http.Request
	body []byte
}

// provider is the server that a connector asks. It answers with its play and
// records the requests.
type provider struct {
	server *httptest.Server
	over   chan struct{} // closed when the check ends, to release hanging answers

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

// answer makes play answer from now on and discards the recorded requests.
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

// got returns the recorded requests, except those at the token paths.
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

// upstream returns the configuration with which a connector asks the provider.
// Connections are not kept alive, because the standard transport repeats a GET by
// itself if a reused connection fails.
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
	_, _ = w.Write(r.bytes) // other checks report a connector that left
}

func fixed(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // other checks report a connector that left
	}
}

const jsonType = "application/json"

func (k *connectorKit) body(s scenario, at spot) string {
	for _, x := range s.Exchanges {
		here := spot(x.Request.Path)
		if !slices.Contains(k.Tokens, x.Request.Path) {
			here = atAccount
		}
		if here == at {
			return string(x.Response.bytes)
		}
	}
	k.Fatalf("%s has no exchange for %s", s.name, at)
	return ""
}

// page is an error page that repeats the request, as some do.
func page(title string, l ports.AccountLookup) string {
	return "<!DOCTYPE html><html><head><title>" + title + "</title></head><body><h1>" + title + "</h1><p>" +
		l.Identifier + " " + l.HolderName + " " + canarySecret + " " + canarySecret2 + "</p></body></html>"
}

type plays map[string]http.HandlerFunc

// hostile plays each of the responses to a new connector, as a case for each
// market and spot, and checks that the lookup fails with one of the codes.
func (k *connectorKit) hostile(all func(base scenario, at spot, l ports.AccountLookup) plays, codes ...errcodes.Code) {
	k.hostileTo(all, codes, codes)
}

// hostileTo is hostile with different codes for the account and for a login.
func (k *connectorKit) hostileTo(all func(base scenario, at spot, l ports.AccountLookup) plays, account, login []errcodes.Code) {
	k.spotCases(func(base scenario, at spot) {
		l, codes := secretive(base), account
		if at != atAccount {
			codes = login
		}
		kit.EachOf(k, all(base, at, l), func(name string, play http.HandlerFunc) {
			d := k.open()
			d.answer(k.behind(base, at, play))
			d.rejects(l, fmt.Sprintf("%s for %s", name, at), codes...)
			d.didNotInsist(l, at, name)
		})
	})
}

func (d *desk) didNotInsist(l ports.AccountLookup, at spot, what string) {
	most := 1
	if at == atAccount && len(d.k.Tokens) > 0 {
		most = 2 // a token may be replaced
	}
	if n := d.gotAt(at); n > most {
		d.k.Fatalf("%s, in %s: %d requests for %s in one lookup, want at most %d", what, l.Market, n, at, most)
	}
	if n := d.gotAt(atAccount); n > 0 && at != atAccount {
		d.k.Fatalf("%s for %s, in %s: the connector asked for the account all the same", what, at, l.Market)
	}
}

// rejects checks that a lookup fails with one of the codes within a minute.
func (d *desk) rejects(l ports.AccountLookup, what string, codes ...errcodes.Code) {
	const long = time.Minute
	ctx, cancel := context.WithTimeout(d.k.Context(), long)
	defer cancel()
	answer, err := d.ask(ctx, l)
	if code := errcodes.Of(err); !slices.Contains(codes, code) {
		d.k.Fatalf("%s, in %s: %q, error code %q; want an error of %q", what, l.Market, answer.Kind, code, codes)
	}
}
