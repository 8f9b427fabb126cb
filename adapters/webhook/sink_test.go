package webhook_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

func TestConforms(t *testing.T) {
	portstest.EventSink(t, portstest.SinkHarness{Open: func(tb testing.TB) portstest.Sink {
		s := &shop{}
		return portstest.Sink{
			EventSink: serve(tb, s, private(nil)),
			Received: func() []string {
				ids := []string{}
				for _, g := range s.received() {
					ids = append(ids, g.header.Get(webhook.HeaderID))
				}
				return ids
			},
			Refuse: func() { s.answers(status(http.StatusInternalServerError)) },
		}
	}})
}

func TestARequestIsAsDocumented(t *testing.T) {
	s, clock := &shop{}, portstest.NewClock(noon)
	sink := serve(t, s, private(clock))
	e := event("event-1.2", "lock-1")
	e.At = e.At.In(time.FixedZone("WAT", 3600))
	require.NoError(t, sink.Deliver(t.Context(), e))

	g := s.received()[0]
	require.Equal(t, http.MethodPost, g.method)
	require.Equal(t, "/hidden-path?token=hidden-query", g.path)
	require.Equal(t, "event-1.2", g.header.Get("webhook-id"))
	require.Equal(t, strconv.FormatInt(noon.Unix(), 10), g.header.Get("webhook-timestamp"))
	require.Equal(t, "application/json", g.header.Get("Content-Type"))
	require.Equal(t, webhook.UserAgent, g.header.Get("User-Agent"))
	require.Empty(t, g.header.Get("Accept-Encoding"))
	require.Equal(t, `{"id":"event-1.2","type":"rate_lock.minted","timestamp":"2026-11-20T11:59:59.013Z","clientId":"acme","data":{"id": "<b>" }}`, string(g.body))
}

func TestARepeatHasTheSameBodyAndIDButItsOwnTimestamp(t *testing.T) {
	s, clock := &shop{}, portstest.NewClock(noon)
	sink := serve(t, s, private(clock))
	e := event("event-1", "lock-1")
	require.NoError(t, sink.Deliver(t.Context(), e))
	clock.Advance(time.Hour)
	e.Attempt, e.Claim = 7, 99
	require.NoError(t, sink.Deliver(t.Context(), e))

	first, second := s.received()[0], s.received()[1]
	require.Equal(t, string(first.body), string(second.body))
	require.Equal(t, first.header.Get(webhook.HeaderID), second.header.Get(webhook.HeaderID))
	for i, at := range []time.Time{noon, noon.Add(time.Hour)} {
		m, err := webhook.Verify(secretsOf(1), s.received()[i].header, s.received()[i].body, at)
		require.NoError(t, err)
		require.Equal(t, at, m.SentAt)
	}
}

func TestASecretCanBeReplacedWithoutDowntime(t *testing.T) {
	var numbers []byte
	accepts := func(g got, n byte) bool {
		_, err := webhook.Verify(secretsOf(n), g.header, g.body, noon)
		return err == nil
	}
	for _, numbers = range [][]byte{{1}, {2, 1}, {2}} {
		s := &shop{}
		server := httptest.NewServer(s)
		sink, err := webhook.New(server.URL, secretsOf(numbers...), private(portstest.NewClock(noon)))
		require.NoError(t, err)
		require.NoError(t, sink.Deliver(t.Context(), event("event-1", "lock-1")))
		for n := byte(1); n <= 3; n++ {
			signs := slices.Contains(numbers, n)
			require.Equal(t, signs, accepts(s.received()[0], n), "secrets %v, receiver has %d", numbers, n)
		}
		written := fmt.Sprintf("^(v1,[A-Za-z0-9+/]{43}=( |$)){%d}$", len(numbers))
		require.Regexp(t, written, s.received()[0].header.Get(webhook.HeaderSignature))
		require.NoError(t, sink.Close())
		server.Close()
	}
}

func TestAnEventThatCannotBeSentIsRejected(t *testing.T) {
	s := &shop{}
	attempts := 0
	cfg := private(nil)
	cfg.Hooks.Attempted = func(context.Context, string, int, time.Duration, error) { attempts++ }
	sink := serve(t, s, cfg)
	for name, change := range map[string]func(*ports.Event){
		"no data":                    func(e *ports.Event) { e.Data = nil },
		"incomplete data":            func(e *ports.Event) { e.Data = []byte(`{"a":1`) },
		"two values":                 func(e *ports.Event) { e.Data = []byte(`{} {}`) },
		"injected members":           func(e *ports.Event) { e.Data = []byte(`1},"data":{"a":2`) },
		"data that is not UTF-8":     func(e *ports.Event) { e.Data = []byte("\"\xff\"") },
		"no id":                      func(e *ports.Event) { e.ID = "" },
		"an id with a brace":         func(e *ports.Event) { e.ID = "a{" },
		"an id with a line break":    func(e *ports.Event) { e.ID = "a\r\nwebhook-id: b" },
		"an id that is not ASCII":    func(e *ports.Event) { e.ID = "caf\u00e9" },
		"an id too long":             func(e *ports.Event) { e.ID = strings.Repeat("a", 257) },
		"a kind that is not UTF-8":   func(e *ports.Event) { e.Kind = "\xff" },
		"an owner that is not UTF-8": func(e *ports.Event) { e.Owner = "\xff" },
	} {
		t.Run(name, func(t *testing.T) {
			e := event("event-1", "lock-1")
			change(&e)
			err := sink.Deliver(t.Context(), e)
			require.Equal(t, errcodes.InvalidRequest, errcodes.Of(err))
			require.False(t, errcodes.CategoryOf(errcodes.StatusOf(err)).Retry)
		})
	}
	require.Empty(t, s.received())
	require.Zero(t, attempts)
}

func TestTheHookIsCalledForEachAttempt(t *testing.T) {
	s, clock := &shop{}, portstest.NewClock(noon)
	var attempts []string
	cfg := private(clock)
	cfg.Hooks.Attempted = func(ctx context.Context, kind string, status int, took time.Duration, err error) {
		require.Equal(t, t.Context(), ctx)
		attempts = append(attempts, fmt.Sprint(kind, " ", status, " ", took, " ", errcodes.Of(err)))
	}
	sink := serve(t, s, cfg)
	for _, code := range []int{200, 500} {
		s.answers(func(w http.ResponseWriter, _ *http.Request) {
			clock.Advance(time.Second)
			w.WriteHeader(code)
		})
		_ = sink.Deliver(t.Context(), event("event-1", "lock-1"))
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, sink.Deliver(done, event("event-1", "lock-1")), context.Canceled)
	require.Equal(t, []string{"rate_lock.minted 200 1s ", "rate_lock.minted 500 1s unavailable"}, attempts)
}

func TestConnectionsAreReusedUntilTheSinkIsClosed(t *testing.T) {
	s := &shop{}
	s.answers(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 20<<10)) })
	var opened atomic.Int64
	server := httptest.NewUnstartedServer(s)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	sink := newSink(t, server.URL, private(nil))
	for range 5 {
		require.NoError(t, sink.Deliver(t.Context(), event("event-1", "lock-1")))
	}
	require.EqualValues(t, 1, opened.Load())
	require.NoError(t, sink.Close())
	require.Equal(t, errcodes.Closed, errcodes.Of(sink.Deliver(t.Context(), event("event-1", "lock-1"))))
	require.Len(t, s.received(), 5)
}

// closing is a clock that closes a sink at its first use.
type closing struct {
	sink *webhook.Sink
	once sync.Once
}

func (c *closing) Now() time.Time {
	c.once.Do(func() { _ = c.sink.Close() })
	return noon
}

func (c *closing) After(time.Duration) <-chan time.Time { return nil }

func TestADeliveryDuringCloseLeavesNoConnection(t *testing.T) {
	ended := make(chan struct{})
	server := httptest.NewUnstartedServer(&shop{})
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			close(ended)
		}
	}
	server.Start()
	defer server.Close()
	clock := &closing{}
	clock.sink = newSink(t, server.URL, private(clock))
	require.NoError(t, deliver(t, clock.sink))
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the connection is still open")
	}
}

func TestTheTLSConfigurationIsUsed(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		s := &shop{}
		s.answers(func(w http.ResponseWriter, r *http.Request) {
			if (r.ProtoMajor == 2) != http2 {
				w.WriteHeader(http.StatusHTTPVersionNotSupported)
			}
		})
		server := httptest.NewUnstartedServer(s)
		server.EnableHTTP2 = http2
		server.StartTLS()
		pool := x509.NewCertPool()
		pool.AddCert(server.Certificate())
		given := &tls.Config{RootCAs: pool}
		cfg := private(nil)
		cfg.TLS = given
		sink := newSink(t, server.URL, cfg)
		require.NoError(t, sink.Deliver(t.Context(), event("event-1", "lock-1")))
		require.Empty(t, given.NextProtos, "the caller's configuration is not changed")
		require.NoError(t, sink.Close())
		server.Close()
	}
}

func TestOldVersionsOfTLSAreRejected(t *testing.T) {
	server := httptest.NewUnstartedServer(&shop{})
	server.Config.ErrorLog = quiet()
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	server.StartTLS()
	defer server.Close()
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	cfg := private(nil)
	cfg.TLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS10}
	require.Equal(t, errcodes.Unavailable, errcodes.Of(deliver(t, newSink(t, server.URL, cfg))))
}

func TestTheProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	sink := newSink(t, "http://shop.example/", private(nil))
	var dialed []string
	sink.SetDial(func(_ context.Context, _, address string) (net.Conn, error) {
		dialed = append(dialed, address)
		return nil, net.ErrClosed
	})
	require.Equal(t, errcodes.Unavailable, errcodes.Of(sink.Deliver(t.Context(), event("event-1", "lock-1"))))
	require.Equal(t, []string{"shop.example:80"}, dialed)
}

func TestTheBodyIsJSONForAnyEvent(t *testing.T) {
	s := &shop{}
	sink := serve(t, s, private(nil))
	e := event("event-1", "lock-1")
	e.Kind, e.Owner = `a"b`, "</script>\u2028"
	require.NoError(t, sink.Deliver(t.Context(), e))
	var read map[string]any
	require.NoError(t, json.Unmarshal(s.received()[0].body, &read))
	require.Equal(t, e.Kind, read["type"])
	require.Equal(t, e.Owner, read["clientId"])
}
