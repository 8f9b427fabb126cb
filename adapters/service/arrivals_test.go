package service

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
)

// oneConn is a listener of one connection.
type oneConn struct {
	net.Conn

	taken  bool
	closed context.Context
	stop   func()
}

func (l *oneConn) Accept() (net.Conn, error) {
	if l.taken {
		<-l.closed.Done()
		return nil, net.ErrClosed
	}
	l.taken = true
	return l.Conn, nil
}

func (l *oneConn) Close() error   { l.stop(); return nil }
func (l *oneConn) Addr() net.Addr { return l.LocalAddr() }

// It waits half a second for bytes, and then until a handler has the request, even if net/http
// is held up on the way there.
func TestAStopWaitsForTheRequestsOfNewConnections(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sent, held time.Duration
		status     int
	}{
		"sent at once":             {0, 0, http.StatusTeapot},
		"sent later":               {arrivalTimeout / 2, 0, http.StatusTeapot},
		"held up after it":         {0, arrivalTimeout / 2, http.StatusTeapot},
		"sent when it is too late": {arrivalTimeout + 1, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server, err := httpserver.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }), nil)
				require.NoError(t, err)
				var a arrivals
				a.watch(server.Server)
				watched := server.ConnState
				server.ConnState = func(conn net.Conn, state http.ConnState) {
					watched(conn, state)
					if state == http.StateActive {
						<-time.After(c.held)
					}
				}
				ours, theirs := net.Pipe()
				defer func() { require.NoError(t, ours.Close()) }()
				closed, stop := context.WithCancel(t.Context())
				listener := &oneConn{Conn: theirs, closed: closed, stop: stop}
				served := make(chan error, 1)
				go func() { served <- server.Serve(listener) }()
				synctest.Wait()
				require.NoError(t, listener.Close())
				require.ErrorIs(t, <-served, net.ErrClosed)

				go func() {
					<-time.After(c.sent)
					_, _ = io.WriteString(ours, "GET / HTTP/1.1\r\nHost: corridor\r\n\r\n") // in one row the server has hung up
				}()
				drained := make(chan error, 1)
				go func() { a.heard(); drained <- drain(server.Server) }()
				answer, err := http.ReadResponse(bufio.NewReader(ours), nil)
				if c.status == 0 {
					require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				} else {
					require.NoError(t, err)
					require.NoError(t, answer.Body.Close())
					require.Equal(t, c.status, answer.StatusCode)
				}
				require.NoError(t, <-drained)
				require.False(t, a.some())
			})
		})
	}
}
