package pgtest_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
)

// postmaster returns the pid that the server wrote into its folder.
func postmaster(tb testing.TB, folder string) int {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "data", "postmaster.pid"))
	require.NoError(tb, err)
	line, _, _ := bytes.Cut(text, []byte("\n"))
	pid, err := strconv.Atoi(string(line))
	require.NoError(tb, err)
	return pid
}

// again returns a command that runs one test of this test binary with more environment
// variables.
func again(tb testing.TB, test string, environment ...string) *exec.Cmd {
	tb.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^"+test+"$", "-test.v", "-test.timeout", "5m")
	cmd.Env = append(os.Environ(), "PGTEST_INNER=1")
	cmd.Env = append(cmd.Env, environment...)
	return cmd
}

// inner reports whether the test is to run, as a process of another test.
func inner() bool { return os.Getenv("PGTEST_INNER") != "" }

func TestKilledProcessLeavesNoServer(t *testing.T) {
	t.Parallel()
	cmd := again(t, "TestInnerServesUntilKilled")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var folder string
	for lines := bufio.NewScanner(out); folder == "" && lines.Scan(); {
		_, _ = fmt.Sscanf(lines.Text(), "folder %s", &folder)
	}
	require.NotEmpty(t, folder)
	pid := postmaster(t, folder)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()

	assert.Eventually(t, func() bool { return !pgtest.Alive(pid) }, time.Minute, 5*time.Millisecond, "the postmaster")
	assert.Eventually(t, func() bool {
		_, err := os.Stat(folder)
		return os.IsNotExist(err)
	}, time.Minute, 5*time.Millisecond, "its folder")
}

func TestInnerServesUntilKilled(t *testing.T) {
	if !inner() {
		return
	}
	c := pgtest.New(t, nil)
	require.NoError(t, c.KillPostmaster())
	require.NoError(t, c.Start())
	fmt.Println("\nfolder", c.Folder())
	select {}
}

func TestAbsenceIsSaidAndFailsWhereRequired(t *testing.T) {
	t.Parallel()
	for _, which := range []string{"TestInnerNeedsADatabase", "TestInnerNeedsItsOwn"} {
		output, err := again(t, which, "PGTEST_HIDE=1", "CORRIDOR_TEST_POSTGRES=", "CORRIDOR_REQUIRE_POSTGRES=").Output()
		require.NoError(t, err)
		assert.Contains(t, string(output), "--- SKIP")
		assert.Contains(t, string(output), "apt-get install postgresql")
		assert.Contains(t, string(output), "CORRIDOR_TEST_POSTGRES")

		output, err = again(t, which, "PGTEST_HIDE=1", "CORRIDOR_TEST_POSTGRES=", "CORRIDOR_REQUIRE_POSTGRES=1").Output()
		require.Error(t, err)
		assert.Contains(t, string(output), "--- FAIL")
		assert.Contains(t, string(output), "apt-get install postgresql")
	}
}

func givenServer(t *testing.T, c *pgtest.Cluster) {
	t.Helper()
	socket := ask[string](t, c.DSN(), "SHOW unix_socket_directories")
	for _, dsn := range []string{c.DSN(), "host=" + socket + " port=5432 user=postgres dbname=postgres sslmode=disable"} {
		output, err := again(t, "TestInnerNeedsADatabase", "PGTEST_HIDE=1", "CORRIDOR_TEST_POSTGRES="+dsn).Output()
		require.NoError(t, err, string(output))
		assert.Contains(t, string(output), "--- PASS")
		assert.Equal(t, 0, ask[int](t, c.DSN(), "SELECT count(*)::int FROM pg_database WHERE datname LIKE 'corridor%'"))
	}
	log, err := os.ReadFile(filepath.Join(c.Folder(), "log"))
	require.NoError(t, err)
	assert.Contains(t, string(log), "relation \"absent\" does not exist", "the given server was asked")
}

func TestInnerNeedsADatabase(t *testing.T) {
	if !inner() {
		return
	}
	hide(t)
	for range 2 {
		t.Run("emptied", func(t *testing.T) { pgtest.Database(t, emptied) })
	}
	dsn := pgtest.Database(t, notes)
	assert.Equal(t, 0, ask[int](t, dsn, "SELECT count(*)::int FROM notes"))
	assert.Contains(t, ask[string](t, dsn, "SELECT current_database()::text"), "corridor_test_")
	require.Error(t, run(t.Context(), dsn, "SELECT 1 FROM absent"))
	require.NoError(t, run(t.Context(), pgtest.NewProxy(t, dsn).DSN(), "INSERT INTO notes VALUES ('proxied')"))
	assert.Equal(t, 1, ask[int](t, dsn, "SELECT count(*)::int FROM notes"))
}

func TestInnerNeedsItsOwn(t *testing.T) {
	if !inner() {
		return
	}
	hide(t)
	require.NoError(t, pgtest.New(t, nil).KillPostmaster())
}

// hide hides the binaries if the outer test asks for it.
func hide(t *testing.T) {
	t.Helper()
	if os.Getenv("PGTEST_HIDE") != "" {
		t.Setenv("PATH", "/nonexistent")
		pgtest.HideDebian()
	}
}

func TestAFolderOutOfReachIsNotUsed(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root starts the server as another user")
	}
	closed := filepath.Join(t.TempDir(), "closed")
	require.NoError(t, os.MkdirAll(filepath.Join(closed, "tmp"), 0o700))
	output, err := again(t, "TestInnerNeedsItsOwn", "TMPDIR="+filepath.Join(closed, "tmp")).Output()
	require.NoError(t, err, string(output))
}
