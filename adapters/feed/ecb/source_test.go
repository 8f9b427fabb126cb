package ecb_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/feed/ecb"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest"
)

func TestAnErrorDoesNotShowTheAddress(t *testing.T) {
	b := open(t, text(daily(t)))
	b.server.Close()
	_, err := b.Mid(t.Context(), usdzar)
	require.Equal(t, errcodes.PriceUnavailable, errcodes.Of(err))
	require.NotContains(t, err.Error(), "canary")
	require.NotContains(t, b.log.String(), "canary")
}

// transport panics if it is broken.
type transport struct{ broken bool }

func (r *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if r.broken {
		panic("canary")
	}
	return http.DefaultTransport.RoundTrip(request)
}

// Callers share reads, so a panic of the transport would end the process.
func TestAPanicOfTheTransportIsAFailedRead(t *testing.T) {
	server := httptest.NewServer(text(daily(t)))
	t.Cleanup(server.Close)
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	clock, plugged := portstest.NewClock(after), &transport{}
	var log bytes.Buffer
	feed, err := ecb.New(server.URL, &ecb.Config{
		Clock: clock, Client: &http.Client{Transport: plugged}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	require.NoError(t, err)
	plugged.broken = true
	_, err = feed.Mid(t.Context(), usdzar)
	require.ErrorIs(t, err, errcodes.PriceUnavailable)
	require.Contains(t, log.String(), "RoundTrip", "the log has the stack")
	require.NotContains(t, err.Error()+log.String(), "canary")

	plugged.broken = false
	clock.Advance(ecb.DefaultRetryEvery)
	price, err := feed.Mid(t.Context(), usdzar)
	require.NoError(t, err)

	plugged.broken = true
	clock.Advance(ecb.DefaultRefreshEvery)
	again, err := feed.Mid(t.Context(), usdzar)
	require.NoError(t, err, "the last valid rates stay in force")
	require.Equal(t, price, again)
}

func TestNewRejectsBadSources(t *testing.T) {
	for name, source := range map[string]string{
		"nothing":                             "",
		"an empty file":                       "file:",
		"plain http":                          "http://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml",
		"another scheme":                      "ftp://www.ecb.europa.eu/",
		"no host":                             "https:///daily.xml",
		"a broken address":                    "https://[::1",
		"http to an address that looks local": "http://127.0.0.1.example.org/",
		"http to a host that looks local":     "http://localhost.example.org/",
	} {
		_, err := ecb.New(source, nil)
		require.Equal(t, errcodes.Configuration, errcodes.Of(err), name)
	}
	for _, cfg := range []ecb.Config{
		{RefreshEvery: time.Millisecond}, {RetryEvery: -1}, {RefreshEvery: ecb.MaxPause + 1},
		{Timeout: ecb.MaxTimeout + 1}, {MaxBody: -1}, {MaxBody: ecb.MaxMaxBody + 1},
	} {
		_, err := ecb.New(dailyFile, &cfg)
		require.Equal(t, errcodes.Configuration, errcodes.Of(err), "%+v", cfg)
	}
}

func TestSources(t *testing.T) {
	path, err := filepath.Abs(dailyFile)
	require.NoError(t, err)
	for _, source := range []string{dailyFile, path, "file:" + dailyFile, "file:" + path, "file://" + path} {
		require.True(t, ecb.IsPath(source), source)
		_, err := fromFile(t, source).Mid(t.Context(), usdzar)
		require.NoError(t, err, source)
	}
	_, err = fromFile(t, t.TempDir()).Mid(t.Context(), usdzar)
	require.ErrorContains(t, err, "not a regular file")
	_, err = fromFile(t, "file:/absent.xml").Mid(t.Context(), usdzar)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.False(t, ecb.IsPath(ecb.DailyURL))
	require.False(t, ecb.IsPath("http://127.0.0.1:8080/daily.xml"))
	_, err = ecb.New(ecb.DailyURL, nil)
	require.NoError(t, err)
}

func TestAnAnswerOfTheMaximumLengthIsRead(t *testing.T) {
	for most, want := range map[int]errcodes.Code{len(daily(t)): "", len(daily(t)) - 1: errcodes.PriceUnavailable} {
		feed, err := ecb.New(dailyFile, &ecb.Config{Clock: portstest.NewClock(after), MaxBody: most})
		require.NoError(t, err)
		_, err = feed.Mid(t.Context(), usdzar)
		require.Equal(t, want, errcodes.Of(err))
	}
}

func TestASlowBodyEndsWithTheTimeout(t *testing.T) {
	stop := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<?xml"))
		_ = http.NewResponseController(w).Flush()
		<-stop
	}))
	defer server.Close()
	defer close(stop)
	feed, err := ecb.New(server.URL, &ecb.Config{Clock: portstest.NewClock(after), Timeout: 20 * time.Millisecond})
	require.NoError(t, err)
	_, err = feed.Mid(t.Context(), usdzar)
	require.Equal(t, errcodes.PriceUnavailable, errcodes.Of(err))
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestTheAddressIsRequestedUnchanged(t *testing.T) {
	for _, address := range []string{"/", "/rates/", "/rates/daily.xml", "/a%2Fb.xml", "/daily.xml?key=a&key=b"} {
		var asked, accept string
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			asked, accept = r.RequestURI, r.Header.Get("Accept")
		}))
		feed, err := ecb.New(server.URL+address, &ecb.Config{Clock: portstest.NewClock(after)})
		require.NoError(t, err)
		_, err = feed.Mid(t.Context(), usdzar)
		require.Equal(t, errcodes.PriceUnavailable, errcodes.Of(err))
		require.Equal(t, address, asked)
		require.Equal(t, "application/xml, text/xml", accept)
		server.Close()
	}
}
