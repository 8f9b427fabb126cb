package httpserver_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
)

// wire is a listener of connections without a network, for a bubble of synctest.
type wire struct {
	arriving chan net.Conn
	closed   context.Context
	close    context.CancelFunc
}

func (l *wire) Accept() (net.Conn, error) {
	select {
	case conn := <-l.arriving:
		return conn, nil
	case <-l.closed.Done():
		return nil, net.ErrClosed
	}
}

func (l *wire) Close() error   { l.close(); return nil }
func (l *wire) Addr() net.Addr { return from("server") }

// from is a remote address.
type from string

func (a from) Network() string { return "tcp" }
func (a from) String() string  { return string(a) + ":1" }

type arrived struct {
	net.Conn

	remote from
}

func (c arrived) RemoteAddr() net.Addr { return c.remote }

// serve serves the routes in a bubble and returns a function that connects from an address.
// From the address slow, a client reads nothing.
func serve(t *testing.T, services httpserver.Services, cfg httpserver.Config, bounds httpserver.ServerConfig) (dial func(addr string) *peer) {
	t.Helper()
	h, err := httpserver.New(auth{}, services, &cfg)
	require.NoError(t, err)
	return serveHandler(t, h, bounds)
}

func serveHandler(t *testing.T, h http.Handler, bounds httpserver.ServerConfig) (dial func(addr string) *peer) {
	t.Helper()
	server, err := httpserver.NewServer(h, &bounds)
	require.NoError(t, err)
	l := &wire{arriving: make(chan net.Conn)}
	l.closed, l.close = context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.ErrorIs(t, <-served, http.ErrServerClosed)
		time.Sleep(time.Minute)
		require.Zero(t, server.Remembered(), "connections that have ended")
	})
	return func(addr string) *peer {
		ours, theirs := net.Pipe()
		l.arriving <- arrived{theirs, from(addr)}
		synctest.Wait()
		p := &peer{Conn: ours, t: t, answers: make(chan *answer, 1)}
		if addr != "slow" {
			go p.read()
		}
		t.Cleanup(func() { _ = ours.Close() })
		return p
	}
}

// peer is a client's end of a connection.
type peer struct {
	net.Conn

	t       *testing.T
	answers chan *answer // closed with the connection
}

type answer struct {
	status int
	header http.Header
	body   string
}

func (p *peer) read() {
	defer close(p.answers)
	for in := bufio.NewReader(p); ; {
		got, err := http.ReadResponse(in, nil)
		if err != nil {
			return
		}
		body, err := io.ReadAll(got.Body)
		if err != nil {
			return
		}
		p.answers <- &answer{got.StatusCode, got.Header, string(body)}
	}
}

// send writes text once everything before it was read; a closed connection is ignored.
func (p *peer) send(text string) {
	_, _ = io.WriteString(p, text)
	synctest.Wait()
}

// answer returns the next answer that has arrived by now, or nil if there is none.
func (p *peer) answer() *answer {
	synctest.Wait()
	select {
	case a := <-p.answers:
		return a
	default:
		return nil
	}
}

// closed reports whether the server has closed the connection.
func (p *peer) closed() bool {
	synctest.Wait()
	select {
	case _, open := <-p.answers:
		return !open
	default:
		return false
	}
}

// get requests a lock with a token and returns the status, or 0 if there is no answer.
func (p *peer) get(token string) int {
	p.send("GET /v1/rate-locks/rl_1 HTTP/1.1\r\nHost: corridor\r\nAuthorization: Bearer " + token + "\r\n\r\n")
	if a := p.answer(); a != nil {
		return a.status
	}
	return 0
}

// I40.
func TestConnectionsAreBounded(t *testing.T) {
	const part = "GET / HTTP/1.1\r\nX: "
	bounds := httpserver.ServerConfig{MaxConnections: 3, MaxAddressConnections: 2}
	for name, test := range map[string]func(t *testing.T, dial func(string) *peer){
		"the oldest makes room": func(t *testing.T, dial func(string) *peer) {
			a, b, c, d := dial("a"), dial("b"), dial("c"), dial("d")
			assert.True(t, a.closed())
			for _, p := range []*peer{b, c, d} {
				assert.Equal(t, 200, p.get("tok-acme"))
			}
		},
		"one with a valid token stays": func(t *testing.T, dial func(string) *peer) {
			a, b, c := dial("a"), dial("b"), dial("c")
			require.Equal(t, 200, a.get("tok-acme"))
			require.Equal(t, 401, b.get("tok-x"))
			d := dial("d")
			assert.True(t, b.closed())
			assert.Equal(t, 200, a.get("tok-acme"))
			assert.Equal(t, 200, c.get("tok-acme"))
			assert.Equal(t, 200, d.get("tok-acme"))
		},
		"its latest request decides": func(t *testing.T, dial func(string) *peer) {
			a, b, c := dial("a"), dial("b"), dial("c")
			for _, p := range []*peer{a, b, c} {
				require.Equal(t, 200, p.get("tok-acme"))
			}
			require.Equal(t, 401, b.get("tok-x"))
			dial("d")
			assert.True(t, b.closed())
			assert.False(t, a.closed())
			a.send("GET /livez HTTP/1.1\r\nHost: corridor\r\n\r\n")
			require.Equal(t, 200, a.answer().status)
			dial("e")
			assert.True(t, a.closed(), "a token that was valid once must not protect a connection for as long as it is used")
		},
		"a download with a valid link is not closed": func(t *testing.T, dial func(string) *peer) {
			reader := dial("slow")
			reader.send("GET /v1/reports/files/link HTTP/1.1\r\nHost: corridor\r\n\r\n")
			for i := range 5 {
				dial(fmt.Sprint("d", i))
			}
			answer, err := http.ReadResponse(bufio.NewReader(reader), nil)
			require.NoError(t, err)
			n, err := io.Copy(io.Discard, answer.Body)
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			assert.EqualValues(t, fileSize, n)
		},
		"an answer that is read slowly breaks no later request": func(t *testing.T, dial func(string) *peer) {
			p := dial("slow")
			const get = "GET /v1/rate-locks/rl_1 HTTP/1.1\r\nHost: corridor\r\nAuthorization: Bearer tok-acme\r\n\r\n"
			answers := bufio.NewReader(p)
			for range 3 {
				p.send(get)
				time.Sleep(3 * time.Second)
				got, err := http.ReadResponse(answers, nil)
				require.NoError(t, err)
				_, err = io.Copy(io.Discard, got.Body)
				require.NoError(t, err)
				assert.Equal(t, 200, got.StatusCode)
			}
		},
		"a stranger has one request a connection": func(t *testing.T, dial func(string) *peer) {
			for _, path := range []string{"/livez", "/docs", "/nothing", "/v1/rate-locks/rl_1"} {
				p := dial("a")
				p.send(strings.Repeat("GET "+path+" HTTP/1.1\r\nHost: corridor\r\n\r\n", 2))
				require.NotNil(t, p.answer())
				assert.Nil(t, p.answer())
				assert.True(t, p.closed())
			}
		},
		"bodies that are thrown away are not headers": func(t *testing.T, dial func(string) *peer) {
			for i := range 8 {
				p := dial(fmt.Sprint("d", i))
				p.send("POST /v1/rate-locks HTTP/1.1\r\nHost: corridor\r\nContent-Length: 250000\r\n\r\n" + strings.Repeat(" ", 250_000))
				require.Equal(t, 401, p.answer().status)
			}
		},
		"an address has a bound of its own": func(t *testing.T, dial func(string) *peer) {
			a, b, c := dial("z"), dial("a"), dial("a")
			d := dial("a")
			assert.True(t, b.closed(), "the oldest of the address")
			assert.False(t, a.closed())
			assert.False(t, c.closed())
			assert.False(t, d.closed())
		},
		"the addresses of an IPv6 subscriber are one": func(t *testing.T, dial func(string) *peer) {
			a, _, _ := dial("[2001:db8::1]"), dial("[2001:db8::2]"), dial("[2001:db8::3]")
			assert.True(t, a.closed())
		},
		"one that is gone leaves its place": func(t *testing.T, dial func(string) *peer) {
			a, b, c := dial("a"), dial("a"), dial("c")
			require.NoError(t, b.Close())
			synctest.Wait()
			d := dial("a")
			for _, p := range []*peer{a, c, d} {
				assert.Equal(t, 200, p.get("tok-acme"))
			}
		},
		"if all have a valid token, the new one gets 503": func(t *testing.T, dial func(string) *peer) {
			old := []*peer{dial("a"), dial("b"), dial("c")}
			for _, p := range old {
				require.Equal(t, 200, p.get("tok-acme"))
			}
			for path, want := range map[string]string{
				"GET /v1/rate-locks/rl_1":    `{"message":"The service is busy; try again","error":"Service Unavailable","statusCode":503}`,
				"POST /v1/auth/oauth2/token": `{"error":"Authentication service unavailable"}`,
			} {
				p := dial("d")
				p.send(path + " HTTP/1.1\r\nHost: corridor\r\nAuthorization: Bearer tok-acme\r\n\r\n")
				got := p.answer()
				require.NotNil(t, got, path)
				assert.Equal(t, 503, got.status)
				assert.Equal(t, want, got.body)
				assert.Equal(t, "1", got.header.Get("Retry-After"))
				assert.NotEmpty(t, got.header.Get("X-Trace-Id"))
				assert.True(t, p.closed(), path)
			}
			for _, path := range []string{"/livez", "/readyz"} {
				p := dial("d")
				p.send("GET " + path + " HTTP/1.1\r\nHost: corridor\r\n\r\n")
				got := p.answer()
				require.NotNil(t, got, path)
				assert.Equal(t, 200, got.status, "a probe of a process that is full")
			}
			for _, p := range old {
				assert.Equal(t, 200, p.get("tok-acme"))
			}
			require.NoError(t, old[0].Close())
			synctest.Wait()
			assert.Equal(t, 200, dial("d").get("tok-acme"))
		},
		"headers are bounded, the longest first": func(t *testing.T, dial func(string) *peer) {
			known, short := dial("known"), dial("short")
			require.Equal(t, 200, known.get("tok-acme"))
			known.send(part + strings.Repeat("x", 7900))
			short.send(part)
			var all []*peer
			begin := func() {
				p := dial(fmt.Sprint("d", len(all)))
				p.send(part + strings.Repeat("x", 7000-len(part)))
				all = append(all, p)
			}
			for range httpserver.MostHeaders/(7000+httpserver.LeastHeaders) + 3 {
				begin()
			}
			for i, p := range all {
				assert.Equal(t, i < 3, p.closed(), i)
			}
			assert.False(t, short.closed(), "headers that a client needs are short")
			assert.False(t, known.closed(), "it had a valid token before")
			last := all[len(all)-1]
			last.send("\r\nHost: corridor\r\n\r\n")
			require.NotNil(t, last.answer())
			open := 0
			for _, p := range all {
				if !p.closed() {
					open++
				}
			}
			begin()
			for _, p := range all {
				if !p.closed() {
					open--
				}
			}
			assert.Equal(t, -1, open, "the one that was answered has made room")
		},
		"headers are bounded, of short ones the oldest first": func(t *testing.T, dial func(string) *peer) {
			var all []*peer
			for i := range httpserver.MostHeaders/(100+httpserver.LeastHeaders) + 3 {
				p := dial(fmt.Sprint("d", i))
				p.send(part + strings.Repeat("x", 100+i%7-len(part)))
				all = append(all, p)
			}
			closed := 0
			for i, p := range all {
				if p.closed() {
					assert.Equal(t, closed, i)
					closed++
				}
			}
			assert.Positive(t, closed)
		},
		"too many lines of headers end a connection": func(t *testing.T, dial func(string) *peer) {
			for lines, want := range map[int]string{100: "401", 101: "400", 200: "400", 300: "closed"} {
				p := dial("a")
				p.send("GET /v1/rate-locks/rl_1 HTTP/1.1\r\nHost: corridor\r\n" + strings.Repeat("a:\r\n", lines))
				got := p.answer()
				if want == "closed" {
					require.NotNil(t, got, "net/http's own answer")
					continue
				}
				require.Nil(t, got, lines)
				p.send("\r\n")
				assert.Equal(t, want, fmt.Sprint(p.answer().status), lines)
			}
		},
		"headers count until the request has ended": func(t *testing.T, dial func(string) *peer) {
			begin := func(path, token string, length int) *peer {
				p := dial("one")
				p.send("POST " + path + " HTTP/1.1\r\nHost: corridor\r\nAuthorization: Bearer " + token +
					"\r\nContent-Length: 10\r\nX: " + strings.Repeat("x", length) + "\r\n\r\n")
				return p
			}
			admitted := begin("/v1/rate-locks", "tok-acme", 7500)
			var all []*peer
			for range httpserver.MostHeaders/(7000+httpserver.LeastHeaders) + 3 {
				all = append(all, begin("/v1/auth/oauth2/token", "tok-x", 6900))
			}
			ended := 0
			for _, p := range all {
				if p.closed() {
					ended++
				}
			}
			assert.InDelta(t, 3, ended, 1)
			assert.False(t, admitted.closed(), "it has a valid token")
		},
		"those that wait for a 503 are few": func(t *testing.T, dial func(string) *peer) {
			for _, p := range []*peer{dial("a"), dial("b"), dial("c")} {
				require.Equal(t, 200, p.get("tok-acme"))
			}
			var waiting []*peer
			for i := range httpserver.Spares + 5 {
				waiting = append(waiting, dial(fmt.Sprint("d", i)))
			}
			for i, p := range waiting {
				assert.Equal(t, i < 5, p.closed(), i)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				bounds := bounds
				if strings.HasPrefix(name, "headers") {
					bounds.MaxAddressConnections, bounds.MaxConnections = 0, 0
				}
				test(t, serve(t, everything(), httpserver.Config{}, bounds))
			})
		})
	}
}

// A body may pause for 5 s, and take 15 s in all. Then the answer comes at once.
func TestABodyMustMakeProgress(t *testing.T) {
	const lock = `{"base":"USD","quote":"ZAR"}`
	for name, c := range map[string]struct {
		pause   time.Duration
		bytes   int // that are sent after a pause each
		rest    string
		takes   time.Duration // the service, after the body
		status  int
		answers time.Duration // after the first byte
	}{
		"one that comes at once":            {0, 0, lock, 0, 200, 0},
		"one that flows":                    {time.Second, 4, lock, 0, 200, 4 * time.Second},
		"one that pauses":                   {5*time.Second - 1, 2, lock, 0, 200, 10*time.Second - 2},
		"one that never begins":             {0, 0, "", 0, 400, 5 * time.Second},
		"one that stops":                    {time.Second, 1, "", 0, 400, 6 * time.Second},
		"one that drips":                    {4 * time.Second, 3, "", 0, 400, 15 * time.Second},
		"the work after it may take longer": {time.Second, 1, lock, 16 * time.Second, 200, 17 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := serve(t, slow(c.takes), httpserver.Config{}, httpserver.ServerConfig{})("a")
				begun := time.Now()
				p.send(fmt.Sprintf("POST /v1/rate-locks HTTP/1.1\r\nHost: corridor\r\nAuthorization: Bearer tok-acme\r\nContent-Length: %d\r\n\r\n",
					c.bytes+len(lock)))
				for range c.bytes {
					time.Sleep(c.pause)
					p.send(" ")
				}
				p.send(c.rest)
				got := <-p.answers
				require.NotNil(t, got)
				assert.Equal(t, c.status, got.status, got.body)
				assert.Equal(t, c.answers, time.Since(begun))
			})
		})
	}
}

// overTLS serves a handler over HTTP/2 and returns its URL and a client.
func overTLS(t *testing.T, h http.Handler, bounds *httpserver.ServerConfig) (url string, client *http.Client) {
	t.Helper()
	donor := httptest.NewUnstartedServer(http.NotFoundHandler())
	donor.EnableHTTP2 = true
	donor.StartTLS()
	t.Cleanup(donor.Close)
	server, err := httpserver.NewServer(h, bounds)
	require.NoError(t, err)
	server.TLSConfig = donor.TLS
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- server.ServeTLS(l, "", "") }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.ErrorIs(t, <-served, http.ErrServerClosed)
	})
	return "https://" + l.Addr().String(), donor.Client()
}

// With TLS the bounds are those of the connections below it.
func TestConnectionsAreBoundedBelowTLS(t *testing.T) {
	h, err := httpserver.New(auth{}, everything(), nil)
	require.NoError(t, err)
	url, client := overTLS(t, h, &httpserver.ServerConfig{MaxConnections: 1})
	for _, want := range []int{200, 503} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/v1/rate-locks/rl_1", nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer tok-acme")
		got, err := client.Do(request)
		require.NoError(t, err)
		require.NoError(t, got.Body.Close())
		assert.Equal(t, want, got.StatusCode)
		client.Transport = client.Transport.(*http.Transport).Clone() // which opens a new connection
	}
}

// What a connection carries besides headers is not counted as headers: the bodies of
// concurrent requests over HTTP/2, and all after a hijack.
func TestOnlyHeadersCountAsHeaders(t *testing.T) {
	const much = 2 * httpserver.MostHeaders
	t.Run("an upload beside other requests", func(t *testing.T) {
		begun := make(chan struct{})
		mux := http.NewServeMux()
		mux.HandleFunc("/upload", func(w http.ResponseWriter, r *http.Request) {
			close(begun)
			n, err := io.Copy(io.Discard, r.Body)
			_, _ = fmt.Fprint(w, n, err)
		})
		url, client := overTLS(t, mux, nil)
		other := func() {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
			require.NoError(t, err)
			got, err := client.Do(request)
			require.NoError(t, err)
			require.NoError(t, got.Body.Close())
		}
		other()
		body, rest := io.Pipe()
		go func() {
			_, _ = rest.Write([]byte("x"))
			<-begun
			other()
			_, _ = rest.Write(make([]byte, much-1))
			_ = rest.Close()
		}()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/upload", body)
		require.NoError(t, err)
		got, err := client.Do(request)
		require.NoError(t, err)
		text, err := io.ReadAll(got.Body)
		require.NoError(t, err)
		require.NoError(t, got.Body.Close())
		assert.Equal(t, fmt.Sprint(much, nil), string(text))
	})
	t.Run("a hijacked connection", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			read := make(chan int64, 1)
			dial := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				conn, in, err := http.NewResponseController(w).Hijack()
				if assert.NoError(t, err) {
					go func() {
						defer func() { assert.NoError(t, conn.Close()) }()
						n, _ := io.CopyN(io.Discard, in, much)
						read <- n
					}()
				}
			}), httpserver.ServerConfig{})
			p := dial("slow")
			p.send("GET / HTTP/1.1\r\nHost: corridor\r\n\r\n")
			time.Sleep(time.Minute)
			p.send(strings.Repeat("x", much))
			assert.EqualValues(t, much, <-read)
		})
	})
}

func TestTheMetricsOfConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		metrics := prometheus.NewRegistry()
		dial := serve(t, everything(), httpserver.Config{Metrics: metrics}, httpserver.ServerConfig{MaxConnections: 2, Metrics: metrics})
		for range 4 {
			dial("a")
		}
		p := dial("a")
		p.send("GET /metrics HTTP/1.1\r\nHost: corridor\r\n\r\n")
		text := p.answer().body
		assert.Contains(t, text, "\ncorridor_http_connections 2\n")
		assert.Contains(t, text, "\ncorridor_http_connections_closed_total 3\n")
		assert.Contains(t, text, "\ncorridor_http_held_bytes 0\n")
	})
}
