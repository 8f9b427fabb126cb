package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/service"
)

// slowBank is a bank that responds with valid rates once released.
func slowBank(t *testing.T) (source string, asked <-chan struct{}, release func()) {
	t.Helper()
	arrived, released := make(chan struct{}), make(chan struct{})
	arrive := sync.OnceFunc(func() { close(arrived) })
	release = sync.OnceFunc(func() { close(released) })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrive()
		<-released
		answers(bankDay(1, "19.8705"))(w, r)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(release)
	return "ecb:" + server.URL, arrived, release
}

func await[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		require.FailNow(t, "no "+what)
		panic("unreachable")
	}
}

func TestAStopInterruptsASlowFeed(t *testing.T) {
	source, asked, _ := slowBank(t)
	s := serve(t, nil, "--sandbox", "--store", "sqlite:"+filepath.Join(t.TempDir(), "corridor.db"), "--feed", source, "--drift-every", "5ms")
	await(t, "look", asked)
	began := time.Now()
	require.Equal(t, exitOK, s.stop(), s.log)
	if *full { // a busy machine may take as long
		require.Less(t, time.Since(began), lookTimeout, "the look was waited for")
	}
	require.NotContains(t, s.log.String(), "level=ERROR")
}

func TestAStopCompletesRequestsInFlight(t *testing.T) {
	s := serveAcme(t, "--sandbox", "--store", "memory:")
	const body = `{"base":"EUR","quote":"ZAR"}`
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	_, err = fmt.Fprintf(conn, "POST /v1/rate-locks HTTP/1.1\r\nHost: corridor\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", s.token, len(body), body[:4])
	require.NoError(t, err)
	s.eventually(func() bool { return s.metric("corridor_http_requests_in_flight") == 2 }, "no request in flight beside this one")
	stopped := make(chan int, 1)
	go func() { stopped <- s.stop() }()
	s.eventually(func() bool { return strings.Contains(s.log.String(), "requests in flight continue") }, "not stopping")
	_, err = io.WriteString(conn, body[4:])
	require.NoError(t, err)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusCreated, answer.StatusCode)
	require.Equal(t, exitOK, await(t, "end", stopped), s.log)
	require.Regexp(t, "(?s)\ninterrupted: .* a second SIGINT or SIGTERM ends it at once\n.*stopping: .*\nstopped\n$", s.log)
}

func TestAServiceThatFailsDoesNotPrintThatItStopped(t *testing.T) {
	settings := service.Defaults()
	settings.Sandbox, settings.Store, settings.Listen = true, "memory:", "127.0.0.1:0"
	var out, log screen
	s, err := service.New(t.Context(), &settings, parts(), &service.Config{Stdout: &out, Stderr: &log})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.Error(t, s.Serve(t.Context()), "its listener is closed")
	require.NotContains(t, log.String(), "stopped")
}

// A stop that waits for a request can be cut short.
func TestASecondSignalEndsTheProcessAtOnce(t *testing.T) {
	t.Parallel()
	p := launch(t, clientsFile(t), "sqlite:"+emptyStore(t))
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	_, err = fmt.Fprintf(conn, "POST /v1/rate-locks HTTP/1.1\r\nHost: corridor\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{", p.token)
	require.NoError(t, err)
	again := func() bool { // a body that makes no progress would end
		_, err := io.WriteString(conn, " ")
		return err == nil
	}
	p.eventually(func() bool { return again() && p.metric("corridor_http_requests_in_flight") == 2 }, "no request in flight beside this one")
	require.NoError(t, p.cmd.Process.Signal(os.Interrupt))
	p.eventually(func() bool { return again() && strings.Contains(p.log.String(), "stopping: ") }, "not stopping")
	ended, ok := errors.AsType[*exec.ExitError](p.end(os.Interrupt))
	require.True(t, ok)
	require.Equal(t, -1, ended.ExitCode(), "ended by the signal and not by itself: %s", p.log)
	require.NotContains(t, p.log.String(), "stopped\n")
}

// An entry has three secrets, so a fourth would replace the one in use.
func TestARejectedStartKeepsTheSandboxSecret(t *testing.T) {
	dir := t.TempDir()
	store := []string{"--sandbox", "--store", "sqlite:" + filepath.Join(dir, "corridor.db")}
	s := serve(t, nil, store...)
	secret := s.sandboxSecret()
	for name, args := range map[string][]string{
		"the address is in use":         {"--listen", strings.TrimPrefix(s.url, "http://")},
		"a setting is rejected":         {"--listen", "127.0.0.1:0", "--markup-bps=-1"},
		"the report files are rejected": {"--listen", "127.0.0.1:0", "--report-files", "s3://reports"},
		"the feed is missing":           {"--listen", "127.0.0.1:0", "--feed", "ecb:" + dir + "/none.xml"},
	} {
		for range 4 {
			code, _, _ := command(t, "", nil, append(append([]string{"serve"}, store...), args...)...)
			require.Equal(t, exitRejected, code, name)
		}
		require.Equal(t, http.StatusOK, s.login("sandbox", secret), name)
	}
}

func TestAStartAtAnAddressInUseTouchesNoStore(t *testing.T) {
	s := serve(t, nil, "--sandbox", "--store", "memory:")
	path := filepath.Join(t.TempDir(), "corridor.db")
	code, _, _ := command(t, "", nil, "serve", "--sandbox", "--store", "sqlite:"+path, "--listen", strings.TrimPrefix(s.url, "http://"))
	require.Equal(t, exitRejected, code)
	require.NoFileExists(t, path)
}
