package webhook_test

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/ports"
)

// net/http reads the proxy's address once per process. No test may use the proxy;
// requests to this machine never do.
func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		if err := os.Setenv(name, "http://proxy.example:3128"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// secretOf returns the secret with the number.
func secretOf(n byte) webhook.Secret {
	s, err := webhook.NewSecret(bytes.NewReader(bytes.Repeat([]byte{n}, 64)))
	if err != nil {
		panic(err)
	}
	return s
}

func secretsOf(numbers ...byte) []webhook.Secret {
	var secrets []webhook.Secret
	for _, n := range numbers {
		secrets = append(secrets, secretOf(n))
	}
	return secrets
}

func event(id, key string) ports.Event {
	return ports.Event{ID: id, Kind: "rate_lock.minted", Key: key, Owner: "acme", At: noon.Add(-987 * time.Millisecond), Data: []byte(`{"id": "<b>" }`)}
}

// got is one received request.
type got struct {
	method, path string
	header       http.Header
	body         []byte
}

// shop is a receiver that stores requests, and answers as configured.
type shop struct {
	mu     sync.Mutex
	answer http.HandlerFunc
	got    []got
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.got = append(s.got, got{r.Method, r.URL.RequestURI(), r.Header.Clone(), body})
	answer := s.answer
	s.mu.Unlock()
	if answer != nil {
		answer(w, r)
	}
}

func (s *shop) answers(answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

func (s *shop) received() []got {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]got(nil), s.got...)
}

// take returns the last request, and removes all.
func (s *shop) take() got {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.got[len(s.got)-1]
	s.got = nil
	return last
}

// status answers with the code and with pairs of headers.
func status(code int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
	}
}

// private allows receivers on this machine.
func private(clock ports.Clock) *webhook.Config {
	return &webhook.Config{Clock: clock, AllowPrivate: true}
}

func newSink(tb testing.TB, url string, cfg *webhook.Config) *webhook.Sink {
	tb.Helper()
	sink, err := webhook.New(url, secretsOf(1), cfg)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, sink.Close()) })
	return sink
}

// serve opens the shop, and a sink for it whose path and query must not be shown.
func serve(tb testing.TB, s *shop, cfg *webhook.Config) *webhook.Sink {
	tb.Helper()
	server := httptest.NewServer(s)
	tb.Cleanup(server.Close)
	return newSink(tb, server.URL+"/hidden-path?token=hidden-query", cfg)
}

// wire is an in-memory network: connections are pipes, whose deadlines use the bubble's
// clock.
type wire struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newWire() *wire { return &wire{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (w *wire) Accept() (net.Conn, error) {
	select {
	case c := <-w.conns:
		return c, nil
	case <-w.closed:
		return nil, net.ErrClosed
	}
}

func (w *wire) Close() error {
	w.once.Do(func() { close(w.closed) })
	return nil
}

func (w *wire) Addr() net.Addr { return &net.TCPAddr{} }

func (w *wire) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case w.conns <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// raw returns a sink whose receiver handles a connection with serve. It must be called
// in a bubble; the connections end with the test.
func raw(t *testing.T, url string, cfg *webhook.Config, serve func(c net.Conn)) *webhook.Sink {
	t.Helper()
	w := newWire()
	sink := newSink(t, url, cfg)
	sink.SetDial(w.dial)
	var served sync.WaitGroup
	served.Go(func() {
		for {
			c, err := w.Accept()
			if err != nil {
				return
			}
			served.Go(func() {
				defer c.Close()
				serve(c)
			})
		}
	})
	t.Cleanup(func() {
		require.NoError(t, sink.Close())
		require.NoError(t, w.Close())
		served.Wait()
	})
	return sink
}

// quiet discards the server's log.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
