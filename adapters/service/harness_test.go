package service

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
)

// TestMain clears the settings of the surrounding shell.
func TestMain(m *testing.M) {
	flag.Parse()
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "CORRIDOR_") && !strings.HasSuffix(name, "_POSTGRES") { // variables of pgtest
			if err := os.Unsetenv(name); err != nil {
				panic(err)
			}
		}
	}
	goleak.VerifyTestMain(pgtest.Main(m))
}

// place is an environment of a test: an empty store of the test, in the form of --store.
type place struct {
	name  string
	empty func(t *testing.T) string
}

var (
	inMemory = place{name: "memory", empty: func(*testing.T) string { return "memory:" }}
	onFile   = place{name: "sqlite", empty: func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "corridor.db") }}
	shared   = place{name: "postgres", empty: emptyDatabase}
)

// at runs one test in several places concurrently.
func at(t *testing.T, test func(t *testing.T, store string), places ...place) {
	t.Helper()
	t.Parallel()
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			test(t, p.empty(t))
		})
	}
}

var tables = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
	s, err := OpenShared(ctx, Shipped(), dsn)
	if err != nil {
		return err
	}
	return s.Close()
})

// emptyDatabase returns a database of the test with empty tables.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	dsn, joint := pgtest.Database(t, tables), "?"
	if strings.Contains(dsn, "?") {
		joint = "&"
	}
	return dsn + joint + "pool_max_conns=6"
}

// screen is an output that can be read while it is written.
type screen struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

func setenv(t *testing.T, env map[string]string) {
	t.Helper()
	for name, value := range env {
		t.Setenv(name, value)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// clientsFile returns a file with one client, acme.
func clientsFile(t *testing.T) (path string) {
	t.Helper()
	sum := sha256.Sum256([]byte("the secret of acme"))
	path = filepath.Join(t.TempDir(), "clients.json")
	write(t, path, `[{"id":"acme","secrets":[{"sha256":"`+hex.EncodeToString(sum[:])+`"}]}]`)
	return path
}

func await[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(time.Minute): // only a hang takes as long
		require.FailNow(t, "no "+what)
		panic("unreachable")
	}
}

// refusing is a server that rejects every password.
func refusing(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			refuse(conn)
		}
	}()
	t.Cleanup(func() { require.NoError(t, l.Close()); <-ended })
	return l.Addr().String()
}

func refuse(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	b := pgproto3.NewBackend(conn, conn)
	if _, err := b.ReceiveStartupMessage(); err != nil {
		return
	}
	b.Send(&pgproto3.ErrorResponse{
		Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: "28P01", Message: `password authentication failed for user "canaryrole"`,
	})
	_ = b.Flush()
}

func requireUntold(t *testing.T, text string, personal ...string) {
	t.Helper()
	folded := strings.ToLower(text)
	for _, p := range personal {
		require.NotContains(t, folded, strings.ToLower(p), "%s is printed", p)
	}
}
