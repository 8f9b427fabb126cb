package authstate_test

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
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

var crashRounds = flag.Int("crash.rounds", 1, "how often a process is killed in the middle of its writes")

const crashEnv = "CORRIDOR_TEST_CRASH_DB"

// TestCrashChild is the process that is killed. It opens and ends transactions as fast as
// it can, and prints what was acknowledged.
func TestCrashChild(t *testing.T) {
	path := os.Getenv(crashEnv)
	if path == "" {
		t.Skip("runs only as the child of TestKill9LosesNothingAcknowledged")
	}
	store, err := sqlite.Open(t.Context(), path, nil)
	require.NoError(t, err)
	s, err := authstate.New(authstate.Ports{Transactions: store.Transactions(), Work: store.Work()}, authstate.Policy{}, nil)
	require.NoError(t, err)
	say := func(a ports.Transaction) {
		fmt.Println("acknowledged", a.ID, a.Status, millis(a.EndedAt), millis(a.LateAt))
	}
	run := time.Now().UnixNano()
	for i := 0; ; i++ {
		id := fmt.Sprintf("%d-%d", run, i)
		opened, err := s.Open(context.Background(), owner, authstate.Opening{
			ID: id, Direction: errcodes.Payin, RespondBy: time.Now().Add(time.Duration(i%3) * 20 * time.Millisecond).Add(5 * time.Millisecond),
		})
		if errcodes.Of(err) == errcodes.InvalidRequest {
			continue // the machine is busy: RespondBy has passed
		}
		require.NoError(t, err)
		say(opened)
		outcomes := [][]failures.Outcome{{failures.Failed, failures.Success}, {failures.Success}, nil, {failures.Errored}}
		for _, o := range outcomes[i%4] {
			a, err := s.Record(context.Background(), owner, id, said[o])
			require.NoError(t, err)
			say(a.Transaction)
		}
		require.NoError(t, s.Tick(context.Background(), time.Now()))
	}
}

// I27 and I32 over kill -9: everything acknowledged is stored, each change has its event,
// and open transactions time out.
func TestKill9LosesNothingAcknowledged(t *testing.T) {
	path := t.TempDir() + "/transactions.db"
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
	target := 1 + rand.IntN(200)
	lines := bufio.NewScanner(out)
	for seen := 0; lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) != 5 || f[0] != "acknowledged" {
			require.NotContains(t, lines.Text(), "FAIL", lines.Text())
			continue
		}
		acked[f[1]] = f
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
	s, err := authstate.New(authstate.Ports{Transactions: store.Transactions(), Work: store.Work()}, authstate.Policy{}, nil)
	require.NoError(t, err)
	// This is after every RespondBy and after the leases of the killed processes.
	require.NoError(t, s.Tick(t.Context(), time.Now().Add(time.Hour)))
	for id, f := range acked {
		got, err := s.Get(t.Context(), owner, id)
		require.NoError(t, err, "acknowledged and lost")
		require.True(t, got.Status.Terminal(), "nothing stays open")
		if f[2] != string(ports.TransactionPending) {
			require.Equal(t, f[2]+" "+f[3], string(got.Status)+" "+millis(got.EndedAt), "an acknowledged end (I27)")
		}
		if f[4] != millis(time.Time{}) {
			require.Equal(t, f[4], millis(got.LateAt), "an acknowledged late payment")
		}
	}
	countAfterCrash(t, path, len(acked))
}

func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// countAfterCrash compares the tables: each change has exactly one event (I32).
func countAfterCrash(t *testing.T, path string, acked int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var verdict string
	require.NoError(t, db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict))
	require.Equal(t, "ok", verdict)
	count := func(query string) (n int) {
		require.NoError(t, db.QueryRowContext(t.Context(), query).Scan(&n))
		return n
	}
	all := count("SELECT count(*) FROM transactions")
	require.GreaterOrEqual(t, all, acked)
	require.Equal(t, all, count("SELECT count(*) FROM events WHERE kind = 'transaction.opened'"))
	for status, kind := range map[string]string{"SUCCEEDED": "succeeded", "FAILED": "failed", "ERRORED": "errored"} {
		require.Equal(t, count("SELECT count(*) FROM transactions WHERE status = '"+status+"'"),
			count("SELECT count(*) FROM events WHERE kind = 'transaction."+kind+"'"), status)
	}
	require.Equal(t, count("SELECT count(*) FROM transactions WHERE late_at IS NOT NULL"),
		count("SELECT count(*) FROM events WHERE kind = 'transaction.late_payment'"))
	require.Zero(t, count("SELECT count(*) FROM work_items"), "all work is done")
}
