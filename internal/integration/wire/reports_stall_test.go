package wire_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
)

// pipes is a listener whose connections do not buffer: writes of the server wait until
// they are read.
type pipes struct {
	arrive chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.arrive:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (*pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// onPipe serves h on one connection, with a server's usual limits, and returns the
// client's end.
func onPipe(t *testing.T, h http.Handler) net.Conn {
	t.Helper()
	server, err := httpserver.NewServer(h, nil)
	require.NoError(t, err)
	listener := &pipes{make(chan net.Conn, 1), make(chan struct{})}
	ours, theirs := net.Pipe()
	listener.arrive <- theirs
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		assert.NoError(t, ours.Close())
		assert.NoError(t, server.Close())
		assert.ErrorIs(t, <-ended, http.ErrServerClosed)
	})
	return ours
}

// A download continues as long as bytes flow, far beyond the server's own limit, and ends
// when they stop.
func TestADownloadContinuesAsLongAsBytesFlow(t *testing.T) {
	for _, c := range []struct {
		name  string
		piece int
		pause time.Duration // after each piece
		whole bool
		limit time.Duration // for the whole download
	}{
		{"reads steadily for minutes", 8 << 10, 5 * time.Second, true, time.Hour},
		{"stands still", 8 << 10, 31 * time.Second, false, 2 * time.Minute},
		{"reads a byte now and then", 16, time.Second, false, 2 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := reports(t, alone, 10_000)
				path := linked(t, a).path
				connection := onPipe(t, a.h)
				_, err := io.WriteString(connection, "GET "+path+" HTTP/1.1\r\nHost: corridor.test\r\n\r\n")
				require.NoError(t, err)
				begun := time.Now()
				answer, err := http.ReadResponse(bufio.NewReaderSize(connection, 16), nil)
				require.NoError(t, err)
				require.Equal(t, 200, answer.StatusCode)
				require.Greater(t, answer.ContentLength, int64(200_000))

				var read int64
				buf := make([]byte, c.piece)
				for err == nil {
					var n int
					n, err = io.ReadFull(answer.Body, buf)
					read += int64(n)
					<-time.After(c.pause)
				}
				took := time.Since(begun)
				assert.Less(t, took, c.limit)
				if !c.whole {
					assert.Less(t, read, answer.ContentLength, "the server went on for %s", took)
					return
				}
				assert.Equal(t, answer.ContentLength, read)
				assert.Greater(t, took, time.Minute, "longer than the server's limit")
			})
		})
	}
}
