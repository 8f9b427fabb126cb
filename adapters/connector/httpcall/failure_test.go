package httpcall_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/errcodes"
)

// wire answers every connection with answer, which need not be HTTP.
func wire(tb testing.TB, answer string) string {
	tb.Helper()
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = conn.Write([]byte(answer))
			_ = conn.Close()
		}
	}()
	return "http://" + listener.Addr().String()
}

type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

func TestFailuresAreUnavailableAndRevealNothing(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	secure.Config.ErrorLog = nil
	failed := func(err error) *httpcall.Config {
		return &httpcall.Config{Client: &http.Client{Transport: failing{err}}}
	}
	for name, c := range map[string]struct {
		base string
		cfg  *httpcall.Config
		code errcodes.Code
		text string
	}{
		"no listener":         {"https://x.example", failed(&net.OpError{Op: "dial", Err: errors.New(number)}), errcodes.Unavailable, "the provider does not accept connections"},
		"unknown host name":   {"https://x.example", failed(&net.DNSError{Name: number}), errcodes.Unavailable, "the provider's name cannot be resolved"},
		"unknown certificate": {secure.URL, nil, errcodes.Unavailable, "the provider's certificate is not valid"},
		"closed at once":      {wire(t, ""), nil, errcodes.Unavailable, "the provider closed the connection"},
		"half a body":         {wire(t, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"+number), nil, errcodes.Unavailable, "the provider closed the connection"},
		"not HTTP":            {wire(t, number+secret+" is no HTTP\r\n\r\n"), nil, errcodes.Unavailable, "the exchange with the provider failed"},
		"no status":           {wire(t, "HTTP/1.1 "+number+" OK\r\n\r\n"), nil, errcodes.Unavailable, "the exchange with the provider failed"},
		"another error":       {"https://x.example", failed(errors.New(number)), errcodes.Unavailable, "the exchange with the provider failed"},
		"the client's timeout": {
			serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }).URL,
			&httpcall.Config{Client: &http.Client{Timeout: time.Millisecond}}, errcodes.DeadlineExceeded, "the provider did not answer in time",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := caller(t, c.base, c.cfg).Do(t.Context(), confidential())
			require.Equal(t, c.code, errcodes.Of(err))
			require.Equal(t, c.text, errcodes.MessageOf(err))
			require.NoError(t, errors.Unwrap(err), "net/http's errors quote the URL")
			require.NotContains(t, fmt.Sprintf("%+v %#v", err, err), number)
		})
	}
}
