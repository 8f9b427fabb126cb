package pgtest_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
)

// I10: what PostgreSQL acknowledged is stored after a kill -9 of PostgreSQL.
func TestADurableClusterKeepsWhatItAcknowledged(t *testing.T) {
	t.Parallel()
	c := pgtest.New(t, &pgtest.Options{Durable: true})
	dsn := c.Database(t, notes)
	for _, name := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
		assert.Equal(t, "on", ask[string](t, dsn, "SHOW "+name), name)
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "INSERT INTO notes VALUES ('kept')")
	require.NoError(t, err)

	require.NoError(t, c.KillPostmaster())
	_, err = conn.Exec(t.Context(), "SELECT 1")
	require.Error(t, err, "the session died with the postmaster")
	require.Error(t, run(t.Context(), dsn, "SELECT 1"), "no server listens")
	require.Error(t, c.KillPostmaster(), "the server is not running")

	require.NoError(t, c.Start())
	require.Error(t, c.Start(), "the server is running")
	assert.Equal(t, "kept", ask[string](t, dsn, "SELECT text FROM notes"))
	log, err := os.ReadFile(filepath.Join(c.Folder(), "log"))
	require.NoError(t, err)
	assert.Contains(t, string(log), "automatic recovery in progress")
}

func TestOptionsReachTheServer(t *testing.T) {
	t.Parallel()
	within := t.TempDir()
	enterable(t, within)
	c := pgtest.New(t, &pgtest.Options{Settings: map[string]string{"max_connections": "17", "log_line_prefix": "it's "}, Dir: within})
	assert.Equal(t, "17", ask[string](t, c.DSN(), "SHOW max_connections"))
	assert.Equal(t, "it's ", ask[string](t, c.DSN(), "SHOW log_line_prefix"))
	assert.Equal(t, "off", ask[string](t, c.DSN(), "SHOW fsync"))
	assert.Equal(t, within, filepath.Dir(c.Folder()))
}

func TestNobodyElseReachesTheServer(t *testing.T) {
	t.Parallel()
	c := pgtest.New(t, nil)
	assert.Empty(t, ask[string](t, c.DSN(), "SHOW listen_addresses"), "no network")
	socket, err := os.Stat(ask[string](t, c.DSN(), "SHOW unix_socket_directories"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), socket.Mode().Perm())
	assert.NotZero(t, owner(t, c), "PostgreSQL refuses root")
}

// enterable lets the server's user enter a folder of the test.
func enterable(tb testing.TB, dir string) {
	tb.Helper()
	for ; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		require.NoError(tb, os.Chmod(dir, 0o755))
	}
}

// owner returns the uid that the postmaster runs as.
func owner(tb testing.TB, c *pgtest.Cluster) (uid uint32) {
	tb.Helper()
	info, err := os.Stat(filepath.Join("/proc", strconv.Itoa(postmaster(tb, c.Folder()))))
	require.NoError(tb, err)
	return info.Sys().(*syscall.Stat_t).Uid
}

func TestAStoppedServerStartsAgain(t *testing.T) {
	t.Parallel()
	c := pgtest.New(t, nil)
	dsn := c.Database(t, notes)
	for name, mode := range map[string]pgtest.Mode{"fast": pgtest.Fast, "smart": pgtest.Smart, "immediate": pgtest.Immediate} {
		require.NoError(t, c.Stop(mode), name)
		require.Error(t, run(t.Context(), dsn, "SELECT 1"), name)
		require.Error(t, c.Stop(mode), "%s: the server is not running", name)
		require.NoError(t, c.Start(), name)
		require.NoError(t, run(t.Context(), dsn, "INSERT INTO notes VALUES ('"+name+"')"))
	}
}

func TestAPausedServerAnswersLater(t *testing.T) {
	t.Parallel()
	c := pgtest.New(t, nil)
	conn, err := pgx.Connect(t.Context(), c.Database(t, nil))
	require.NoError(t, err)
	require.NoError(t, c.Pause())
	answered := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.WithoutCancel(t.Context()), "SELECT 1")
		answered <- err
	}()
	select {
	case err := <-answered:
		t.Fatal("a paused server answered: ", err)
	case <-time.After(200 * time.Millisecond):
	}
	require.NoError(t, c.Resume())
	require.NoError(t, <-answered)
	require.NoError(t, conn.Close(t.Context()))
}

func TestAPausedServerCanBeKilled(t *testing.T) {
	t.Parallel()
	c := pgtest.New(t, nil)
	dsn := c.Database(t, nil)
	require.NoError(t, c.Pause())
	require.NoError(t, c.KillPostmaster())
	require.NoError(t, c.Start())
	require.NoError(t, run(t.Context(), dsn, "SELECT 1"))
	require.NoError(t, c.Pause(), "a paused server is cleaned up")
}

func TestTheSharedServerIsNotBroken(t *testing.T) {
	t.Parallel()
	c := pgtest.Server(t)
	for name, act := range map[string]func() error{
		"kill": c.KillPostmaster, "start": c.Start, "pause": c.Pause, "resume": c.Resume,
		"stop": func() error { return c.Stop(pgtest.Fast) },
	} {
		err := act()
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), "pgtest.New", name)
	}
	require.NoError(t, run(t.Context(), c.DSN(), "SELECT 1"))
}
