package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
)

var crashRounds = flag.Int("crash.rounds", 1, "how often processes are killed in the middle of their writes")

const (
	crashEnv    = "CORRIDOR_TEST_CRASH_DB"
	crashSavers = 48
)

// TestCrashChild is a process that is killed: it saves with many callers, some of which
// save the same book, fail or give up, and prints each caller's result.
func TestCrashChild(t *testing.T) {
	path := os.Getenv(crashEnv)
	if path == "" {
		t.Skip("runs only as the child of TestKill9OfManySavers")
	}
	var asked atomic.Int64
	store, err := sqlite.Open(t.Context(), path, &sqlite.Config{Faults: func(point string) error {
		if n := asked.Add(1); point != sqlite.BeforeReadBack && n%23 == 0 {
			return errDisk
		}
		return nil
	}})
	require.NoError(t, err)
	var g errgroup.Group
	for saver := range crashSavers {
		g.Go(func() error { return saveUntilKilled(t, store, saver) })
	}
	require.NoError(t, g.Wait())
}

func saveUntilKilled(t *testing.T, store *sqlite.Store, saver int) error {
	t.Helper()
	for n := 0; ; n++ {
		id := fmt.Sprintf("rl_%d_%d_%d", os.Getpid(), saver, n)
		owner := id // a separate book
		if n%4 == 0 {
			owner = fmt.Sprintf("shared-%d", n%3)
		}
		book, err := store.RateLocks().Book(t.Context(), keyOf(owner))
		if err != nil {
			return err
		}
		book.Slots[0].ID, book.Slots[1].ID = "", ""
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if n%5 == 0 {
			cancel()
			ctx, cancel = context.WithTimeout(t.Context(), time.Duration(rand.IntN(20_000))*time.Microsecond)
		}
		err = store.RateLocks().Save(ctx, mint(book, activeLock(owner, id, epoch)))
		cancel()
		switch code := errcodes.Of(err); code {
		case "":
			fmt.Println("result", owner, id, "stored")
		case errcodes.Conflict, errcodes.Canceled, errcodes.DeadlineExceeded, errcodes.StorageUnavailable,
			errcodes.OutcomeUnknown: // for example if the other process empties the log at the same time
			fmt.Println("result", owner, id, code)
		default:
			return err
		}
	}
}

// TestKill9OfManySavers checks with two processes on one file that each caller's result
// is true, and that a lock is stored with its event or not at all (I10, I32).
func TestKill9OfManySavers(t *testing.T) {
	t.Parallel()
	path := migrated(t)
	results := map[string][]string{} // the lines, by id
	for range *crashRounds {
		killBoth(t, path, results)
		verifyResults(t, path, results)
	}
	kinds := map[string]int{}
	for _, f := range results {
		kinds[f[3]]++
	}
	t.Log(kinds)
}

// killBoth kills two processes after some hundreds of results, when results of each
// main kind are among them.
func killBoth(t *testing.T, path string, results map[string][]string) {
	t.Helper()
	lines := make(chan string)
	var g errgroup.Group
	var children []*exec.Cmd
	for range 2 {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCrashChild$", "-test.v")
		child.Env = append(os.Environ(), crashEnv+"="+path)
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		children = append(children, child)
		g.Go(func() error {
			for s := bufio.NewScanner(out); s.Scan(); {
				lines <- s.Text()
			}
			if child.Wait() == nil {
				return errors.New("a child was not killed")
			}
			return nil
		})
	}
	ended := make(chan error, 1)
	go func() { ended <- g.Wait(); close(lines) }()
	left := 300 + rand.IntN(700)
	missing := map[string]bool{"stored": true, string(errcodes.Conflict): true, string(errcodes.StorageUnavailable): true}
	killed := false
	for line := range lines {
		f := strings.Fields(line)
		if len(f) != 4 || f[0] != "result" {
			require.NotContains(t, line, "FAIL")
			continue
		}
		results[f[2]] = f
		delete(missing, f[3])
		if left--; left <= 0 && len(missing) == 0 && !killed {
			killed = true
			for _, child := range children {
				require.NoError(t, child.Process.Kill())
			}
		}
	}
	require.NoError(t, <-ended)
}

func verifyResults(t *testing.T, path string, results map[string][]string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	for id, f := range results {
		_, _, err := store.RateLocks().Lock(t.Context(), f[1], id)
		switch f[3] {
		case "stored":
			require.NoError(t, err, "acknowledged but lost: %v", f)
		case string(errcodes.OutcomeUnknown): // either
		default:
			require.Equal(t, errcodes.NotFound, errcodes.Of(err), "rejected but stored: %v", f)
		}
	}
	db := raw(t, path)
	for what, count := range map[string]string{
		"locks without their event":     "SELECT count(*) FROM rate_locks WHERE id NOT IN (SELECT key FROM events)",
		"events without their lock":     "SELECT count(*) FROM events WHERE key NOT IN (SELECT id FROM rate_locks)",
		"saves that books do not count": "SELECT (SELECT count(*) FROM rate_locks) - (SELECT sum(version) FROM books)",
		"damaged pages":                 "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
	} {
		var n int
		require.NoError(t, db.QueryRowContext(t.Context(), count).Scan(&n))
		require.Zero(t, n, what)
	}
}
