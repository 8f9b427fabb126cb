package pgtest_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
)

// memory returns a folder in the machine's memory, if there is one. What a killed process
// has written stays there as well.
func memory() string {
	const dir = "/dev/shm"
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// I10: what PostgreSQL acknowledged is stored after a kill -9 of PostgreSQL.
func TestADurableClusterKeepsWhatItAcknowledged(t *testing.T) {
	t.Parallel()
	c := pgtest.New(t, &pgtest.Options{Durable: true, Dir: memory()})
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

// The subtests share a cluster, because each one takes seconds.
func TestAClusterOfOneTest(t *testing.T) {
	t.Parallel()
	within, err := os.MkdirTemp(memory(), strings.Repeat("long", 40)) //nolint:usetesting // in memory; a socket's address must be shorter
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(within)) })
	require.NoError(t, os.Chmod(within, 0o755)) // the server runs as another user
	c := pgtest.New(t, &pgtest.Options{Settings: map[string]string{"max_connections": "17", "log_line_prefix": "it's "}, Dir: within})
	t.Run("options reach the server", func(t *testing.T) {
		assert.Equal(t, "17", ask[string](t, c.DSN(), "SHOW max_connections"))
		assert.Equal(t, "it's ", ask[string](t, c.DSN(), "SHOW log_line_prefix"))
		assert.Equal(t, "off", ask[string](t, c.DSN(), "SHOW fsync"))
		assert.Equal(t, within, filepath.Dir(c.Folder()))
	})
	t.Run("nobody else reaches the server", func(t *testing.T) {
		assert.Empty(t, ask[string](t, c.DSN(), "SHOW listen_addresses"), "no network")
		socket, err := os.Stat(ask[string](t, c.DSN(), "SHOW unix_socket_directories"))
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o700), socket.Mode().Perm())
		assert.NotZero(t, owner(t, c), "PostgreSQL refuses root")
	})
	t.Run("a given server is used and left as it was", func(t *testing.T) { givenServer(t, c) })
	t.Run("a stopped server starts again", func(t *testing.T) { stopped(t, c) })
	t.Run("a paused server answers later", func(t *testing.T) { paused(t, c) })
	t.Run("a paused server can be killed", func(t *testing.T) {
		dsn := c.Database(t, nil)
		require.NoError(t, c.Pause())
		require.NoError(t, c.KillPostmaster())
		require.NoError(t, c.Start())
		require.NoError(t, run(t.Context(), dsn, "SELECT 1"))
	})
	require.NoError(t, c.Pause(), "a paused server is cleaned up")
}

// owner returns the uid that the postmaster runs as.
func owner(tb testing.TB, c *pgtest.Cluster) (uid uint32) {
	tb.Helper()
	info, err := os.Stat(filepath.Join("/proc", strconv.Itoa(postmaster(tb, c.Folder()))))
	require.NoError(tb, err)
	return info.Sys().(*syscall.Stat_t).Uid
}

func stopped(t *testing.T, c *pgtest.Cluster) {
	t.Helper()
	dsn := c.Database(t, notes)
	for name, mode := range map[string]pgtest.Mode{"fast": pgtest.Fast, "smart": pgtest.Smart, "immediate": pgtest.Immediate} {
		require.NoError(t, c.Stop(mode), name)
		require.Error(t, run(t.Context(), dsn, "SELECT 1"), name)
		require.Error(t, c.Stop(mode), "%s: the server is not running", name)
		require.NoError(t, c.Start(), name)
		require.NoError(t, run(t.Context(), dsn, "INSERT INTO notes VALUES ('"+name+"')"))
	}
}

// A process that is stopped cannot answer, so there is nothing to wait for.
func paused(t *testing.T, c *pgtest.Cluster) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.Database(t, nil))
	require.NoError(t, err)
	backend := conn.PgConn().PID()
	require.NoError(t, c.Pause())
	for _, pid := range []int{postmaster(t, c.Folder()), int(backend)} {
		assert.True(t, pgtest.Stopped(pid))
	}
	answered := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.WithoutCancel(t.Context()), "SELECT 1")
		answered <- err
	}()
	assert.Empty(t, answered)
	require.NoError(t, c.Resume())
	require.NoError(t, <-answered)
	require.NoError(t, conn.Close(t.Context()))
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
