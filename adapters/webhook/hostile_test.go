package webhook_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/errcodes"
)

const shopURL = "http://shop.example/hidden-path?token=hidden-query"

// hear reads the request.
func hear(c net.Conn) {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err == nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
}

func say(c net.Conn, text string) error {
	_, err := io.WriteString(c, text)
	return err
}

// drip sends the text every second until the connection fails.
func drip(c net.Conn, text string) int {
	for said := 0; ; said++ {
		if say(c, text) != nil {
			return said
		}
		<-time.After(time.Second)
	}
}

func hang(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

func TestHostileReceivers(t *testing.T) {
	const timeout = 15 * time.Second
	for _, c := range []struct {
		name  string
		serve func(net.Conn)
		code  errcodes.Code
		took  time.Duration
	}{
		{"does not read", func(net.Conn) { <-time.After(time.Hour) }, errcodes.DeadlineExceeded, timeout},
		{"never answers", hang, errcodes.DeadlineExceeded, timeout},
		{"answers just in time", func(c net.Conn) {
			hear(c)
			<-time.After(timeout - 1)
			_ = say(c, ok)
		}, "", timeout - 1},
		{"answers just too late", func(c net.Conn) {
			hear(c)
			<-time.After(timeout + 1)
			_ = say(c, ok)
		}, errcodes.DeadlineExceeded, timeout},
		{"drips headers", func(c net.Conn) {
			hear(c)
			_ = say(c, "HTTP/1.1 200 OK\r\n")
			drip(c, "X: y\r\n")
		}, errcodes.DeadlineExceeded, timeout},
		{"drips one header", func(c net.Conn) {
			hear(c)
			_ = say(c, "HTTP/1.1 200 OK\r\nX: ")
			drip(c, "y")
		}, errcodes.DeadlineExceeded, timeout},
		{"drips a body after it accepted the event", func(c net.Conn) {
			hear(c)
			_ = say(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
			drip(c, "y")
		}, "", timeout},
		{"drips a body after it rejected the event", func(c net.Conn) {
			hear(c)
			_ = say(c, "HTTP/1.1 500 No\r\nContent-Length: 1000\r\n\r\n")
			drip(c, "y")
		}, errcodes.Unavailable, timeout},
		{"sends 100 Continue endlessly", func(c net.Conn) {
			hear(c)
			drip(c, "HTTP/1.1 100 Continue\r\n\r\n")
		}, errcodes.DeadlineExceeded, timeout},
		{"switches protocols and sends nothing", func(c net.Conn) {
			hear(c)
			_ = say(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
			hang(c)
		}, errcodes.MalformedAnswer, 0},
		{"hangs up at once", func(net.Conn) {}, errcodes.Unavailable, 0},
		{"hangs up after the request", hear, errcodes.Unavailable, 0},
		{"hangs up during the headers", func(c net.Conn) { hear(c); _ = say(c, "HTTP/1.1 200 OK\r\nX") }, errcodes.Unavailable, 0},
		{"breaks off its body", func(c net.Conn) { hear(c); _ = say(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc") }, "", 0},
		{"does not send HTTP", func(c net.Conn) { hear(c); _ = say(c, "raw answer\r\n\r\n") }, errcodes.Unavailable, 0},
		{"has text in its status line", func(c net.Conn) { hear(c); _ = say(c, "HTTP/1.1 raw answer\r\n\r\n") }, errcodes.Unavailable, 0},
		{"sends long headers", func(c net.Conn) {
			hear(c)
			_ = say(c, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("raw answer", 20<<10)+"\r\n\r\n")
		}, errcodes.Unavailable, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sink := raw(t, shopURL, private(nil), c.serve)
				start := time.Now()
				err := sink.Deliver(t.Context(), event("event-1", "lock-1"))
				require.Equal(t, c.code, errcodes.Of(err), err)
				require.Equal(t, c.took, time.Since(start))
				if err != nil {
					silent(t, err)
					require.True(t, errcodes.CategoryOf(errcodes.StatusOf(err)).Retry)
				}
			})
		})
	}
}

func TestAnEndlessAnswerIsNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const length = 50 << 20
		said := make(chan int, 1)
		sink := raw(t, shopURL, private(nil), func(c net.Conn) {
			hear(c)
			_ = say(c, "HTTP/1.1 200 OK\r\nContent-Length: 52428800\r\n\r\n")
			n, page := 0, strings.Repeat("y", 1<<10)
			for n < length && say(c, page) == nil {
				n += len(page)
			}
			said <- n
		})
		require.NoError(t, sink.Deliver(t.Context(), event("event-1", "lock-1")))
		require.Less(t, <-said, 128<<10)
	})
}

func TestAHangingHandshakeEndsWithTheAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := private(nil)
		cfg.Timeout = time.Minute
		start, ended := time.Now(), make(chan time.Duration, 1)
		sink := raw(t, "https://shop.example/", cfg, func(c net.Conn) {
			hang(c)
			ended <- time.Since(start)
		})
		require.Equal(t, errcodes.DeadlineExceeded, errcodes.Of(sink.Deliver(t.Context(), event("event-1", "lock-1"))))
		require.Equal(t, time.Minute, time.Since(start))
		require.Equal(t, time.Minute, <-ended, "the connection does not outlive the attempt")
	})
}

func TestTheContextsErrorIsReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := raw(t, shopURL, private(nil), hang)
		late, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, sink.Deliver(late, event("event-1", "lock-1")), context.DeadlineExceeded)
		left, cancel := context.WithCancel(t.Context())
		go func() {
			<-time.After(time.Second)
			cancel()
		}()
		require.ErrorIs(t, sink.Deliver(left, event("event-1", "lock-1")), context.Canceled)
	})
}

func TestReceiversThatFailOnARealNetwork(t *testing.T) {
	reset := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		c, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = c.(*net.TCPConn).SetLinger(0)
			_ = c.Close()
		}
	}))
	defer reset.Close()
	strange := httptest.NewUnstartedServer(&shop{})
	strange.Config.ErrorLog = quiet()
	strange.StartTLS()
	defer strange.Close()
	down := httptest.NewServer(&shop{})
	down.Close()
	for _, c := range []struct{ name, url, text string }{
		{"resets", reset.URL, "closed the connection"},
		{"is down", down.URL, "does not accept connections"},
		{"has an unknown certificate", strange.URL, "certificate is not valid"},
		{"does not use TLS", strings.Replace(reset.URL, "http", "https", 1), "failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sink := newSink(t, c.url+"/hidden-path?token=hidden-query", private(nil))
			err := sink.Deliver(t.Context(), event("event-1", "lock-1"))
			require.Equal(t, errcodes.Unavailable, errcodes.Of(err))
			require.ErrorContains(t, err, c.text)
			silent(t, err)
		})
	}
}

func TestTheTimeoutIsConfigurable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := private(nil)
		cfg.Timeout = 3 * time.Second
		sink := raw(t, shopURL, cfg, hang)
		start := time.Now()
		err := sink.Deliver(t.Context(), event("event-1", "lock-1"))
		require.Equal(t, errcodes.DeadlineExceeded, errcodes.Of(err))
		require.Equal(t, cfg.Timeout, time.Since(start))
		require.Equal(t, 15*time.Second, webhook.DefaultTimeout)
	})
}
