package ratelock_test

import (
	"bufio"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ratelock"
)

var crashRounds = flag.Int("crash.rounds", 2, "how often a process is killed in the middle of its writes")

const crashEnv = "CORRIDOR_TEST_CRASH_DB"

// TestCrashChild is the process that is killed. It mints and cancels as fast as it can,
// and prints what was acknowledged.
func TestCrashChild(t *testing.T) {
	path := os.Getenv(crashEnv)
	if path == "" {
		t.Skip("runs only as the child of TestKill9LosesNothingAcknowledged")
	}
	store, err := sqlite.Open(t.Context(), path, nil)
	require.NoError(t, err)
	feed := fake.NewFeed(time.Now)
	feed.Offer(usdzar, "18.25")
	locks, err := ratelock.New(ratelock.Ports{Locks: store.RateLocks(), Feed: feed}, ratelock.Terms{MarkupBps: 150, Validity: time.Second}, nil)
	require.NoError(t, err)
	for i := 0; ; i++ {
		owner := fmt.Sprintf("shop-%d", i%7)
		l, minted, err := locks.Create(context.Background(), owner, usdzar)
		require.NoError(t, err)
		if minted {
			fmt.Println("minted", owner, l.ID, l.AllInRate, l.CreatedAt.UnixMilli())
		}
		if i%3 == 0 {
			l, err := locks.Cancel(context.Background(), owner, l.ID)
			require.NoError(t, err)
			fmt.Println(l.Status, owner, l.ID, l.AllInRate, l.CreatedAt.UnixMilli())
		}
	}
}

// I1, I10 and I32 hold over kill -9.
func TestKill9LosesNothingAcknowledged(t *testing.T) {
	path := t.TempDir() + "/locks.db"
	acked := map[string][]string{} // id → the last acknowledged line
	for range *crashRounds {
		killOnce(t, path, acked)
		verifyAfterCrash(t, path, acked)
	}
	require.NotEmpty(t, acked)
}

func killOnce(t *testing.T, path string, acked map[string][]string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCrashChild$", "-test.v")
	child.Env = append(os.Environ(), crashEnv+"="+path)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	target := 1 + rand.IntN(300)
	lines := bufio.NewScanner(out)
	for seen := 0; lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) != 5 || f[1] == "" || !strings.HasPrefix(f[2], ratelock.IDPrefix) {
			require.NotContains(t, lines.Text(), "FAIL", lines.Text())
			continue
		}
		acked[f[2]] = f
		if seen++; seen == target {
			require.NoError(t, child.Process.Kill())
		}
	}
	require.Error(t, child.Wait(), "it was killed")
}

func verifyAfterCrash(t *testing.T, path string, acked map[string][]string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	live := map[string]int{}
	for id, f := range acked {
		l, book, err := store.RateLocks().Lock(t.Context(), f[1], id)
		require.NoError(t, err, "acknowledged and lost")
		require.NoError(t, l.Check())
		require.Equal(t, f[3], l.AllInRate)
		require.Equal(t, f[4], strconv.FormatInt(l.CreatedAt.UnixMilli(), 10))
		if f[0] == string(ports.LockCancelled) {
			require.Equal(t, ports.LockCancelled, l.Status, "an acknowledged cancel")
		}
		live[f[1]] = len(book.Live())
		_, err = ratelock.RestoreBook(book)
		require.NoError(t, err)
	}
	for owner, n := range live {
		require.LessOrEqual(t, n, ports.MaxLiveLocks, owner)
	}
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var verdict string
	require.NoError(t, db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict))
	require.Equal(t, "ok", verdict)
	var locks, minted, ended, endEvents int
	count := func(into *int, query string) {
		require.NoError(t, db.QueryRowContext(t.Context(), query).Scan(into))
	}
	count(&locks, "SELECT count(*) FROM rate_locks")
	count(&minted, "SELECT count(*) FROM events WHERE kind = 'rate_lock.minted'")
	count(&ended, "SELECT count(*) FROM rate_locks WHERE status <> 'active'")
	count(&endEvents, "SELECT count(*) FROM events WHERE kind <> 'rate_lock.minted'")
	require.Equal(t, locks, minted, "I32: a lock and its event are one")
	require.Equal(t, ended, endEvents)
	require.GreaterOrEqual(t, locks, len(acked))
}
