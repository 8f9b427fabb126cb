package postgres_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

var (
	killRounds       = flag.Int("kill.rounds", 1, "how often a client process is killed in the middle of its writes")
	postmasterRounds = flag.Int("postmaster.rounds", 1, "how often the server is killed under writers")
)

const (
	killEnv     = "CORRIDOR_TEST_KILL_DSN"
	killWriters = 4 // goroutines per process
	killOwners  = 5 // books shared by all
)

// acknowledged contains the locks that callers got, by id.
type acknowledged struct {
	mu    sync.Mutex
	locks map[string]ports.RateLock // as minted, or as cancelled
}

func (a *acknowledged) note(l ports.RateLock) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.locks == nil {
		a.locks = map[string]ports.RateLock{}
	}
	if a.locks[l.ID].Status != ports.LockCancelled {
		a.locks[l.ID] = l
	}
}

func (a *acknowledged) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.locks)
}

// churn mints and cancels in the shared books and passes each result to report, until
// that returns false.
func churn(ctx context.Context, locks *ratelock.Service, seed int, report func(l ports.RateLock, minted bool, err error) bool) {
	for n := seed; ; n++ {
		owner := numbered("shop", n%killOwners)
		l, minted, err := locks.Create(ctx, owner, usdZAR)
		if !report(l, minted, err) {
			return
		}
		if err != nil || n%3 == 0 {
			continue
		}
		if l, err = locks.Cancel(ctx, owner, l.ID); !report(l, false, err) {
			return
		}
	}
}

// TestKilledChild is the process that is killed: it prints what was acknowledged.
func TestKilledChild(t *testing.T) {
	dsn := os.Getenv(killEnv)
	if dsn == "" {
		t.Skip("runs only as a process of TestKillingAProcessLosesNothing")
	}
	pool, err := pgxpool.New(t.Context(), dsn)
	require.NoError(t, err)
	locks := lockService(t, on(t, pool, nil), ports.SystemClock())
	var writers sync.WaitGroup
	for w := range killWriters {
		writers.Go(func() {
			churn(t.Context(), locks, w, func(l ports.RateLock, minted bool, err error) bool {
				if err == nil && (minted || l.Status == ports.LockCancelled) {
					fmt.Printf("\n%s %s %s %s %d\n", l.Status, l.Owner, l.ID, l.AllInRate, l.CreatedAt.UnixMilli())
				}
				return assert.NoError(t, err)
			})
		})
	}
	writers.Wait()
}

// I1, I10, I32 when a client is killed (kill -9) at any moment.
func TestKillingAProcessLosesNothing(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
	acked := &acknowledged{}
	for range *killRounds {
		killProcess(t, dsn, acked)
		requireNothingLost(t, dsn, acked)
	}
	assert.NotZero(t, acked.count())
	t.Logf("%d rounds, %d locks acknowledged", *killRounds, acked.count())
}

func killProcess(t *testing.T, dsn string, acked *acknowledged) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledChild$", "-test.v")
	child.Env = append(os.Environ(), killEnv+"="+dsn)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	target, seen := 1+rand.IntN(200), 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if !assert.NotContains(t, lines.Text(), "FAIL") {
			_ = child.Process.Kill()
		}
		l, ok := parseLock(lines.Text())
		if !ok {
			continue
		}
		acked.note(l)
		if seen++; seen == target {
			require.NoError(t, child.Process.Kill())
		}
	}
	require.Error(t, child.Wait(), "it was killed")
	require.GreaterOrEqual(t, seen, target)
}

// parseLock parses a line of TestKilledChild; the last line may be incomplete.
func parseLock(line string) (ports.RateLock, bool) {
	const fields = 5
	f := strings.Fields(line)
	if len(f) != fields || !strings.HasPrefix(f[2], ratelock.IDPrefix) {
		return ports.RateLock{}, false
	}
	created, err := strconv.ParseInt(f[4], 10, 64)
	return ports.RateLock{
		Status: ports.LockStatus(f[0]), Owner: f[1], ID: f[2], AllInRate: f[3], CreatedAt: time.UnixMilli(created).UTC(),
	}, err == nil
}

// I1, I10, I32 when the server is killed (kill -9) under load.
func TestKillingTheServerLosesNothing(t *testing.T) {
	t.Parallel()
	c := pgtest.New(t, &pgtest.Options{Durable: true, Dir: inMemory()})
	dsn := c.Database(t, tables)
	store := open(t, dsn, &postgres.Config{SkipMigrate: true, AcquireTimeout: 200 * time.Millisecond})
	locks := lockService(t, store, ports.SystemClock())
	acked := &acknowledged{}
	outcomes := map[errcodes.Code]int{}
	for range *postmasterRounds {
		killServer(t, c, locks, acked, outcomes)
		requireNothingLost(t, dsn, acked)
	}
	assert.Positive(t, outcomes[errcodes.StorageUnavailable], "some requests reached a dead server")
	t.Logf("%d rounds, %d locks acknowledged, errors: %v", *postmasterRounds, acked.count(), outcomes)
}

// inMemory returns a folder in the machine's memory, if there is one: what a killed
// process wrote stays there as well.
func inMemory() string {
	const dir = "/dev/shm"
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// killServer kills the server under eight writers, which continue while it is down and
// until each has succeeded again.
func killServer(t *testing.T, c *pgtest.Cluster, locks *ratelock.Service, acked *acknowledged, outcomes map[errcodes.Code]int) {
	t.Helper()
	const writers = 8
	var (
		mu   sync.Mutex
		all  sync.WaitGroup
		back = make(chan struct{})
		due  = make(chan struct{})
		down = make(chan struct{}) // closed by the first call that fails
		once sync.Once
		fail sync.Once
	)
	target := acked.count() + 1 + rand.IntN(100)
	for w := range writers {
		all.Go(func() {
			served := 0
			churn(context.WithoutCancel(t.Context()), locks, w, func(l ports.RateLock, minted bool, err error) bool {
				if code := errcodes.Of(err); code != "" {
					mu.Lock()
					outcomes[code]++
					mu.Unlock()
					if code == errcodes.StorageUnavailable {
						fail.Do(func() { close(down) })
					}
					return assert.Contains(t, []errcodes.Code{errcodes.StorageUnavailable, errcodes.OutcomeUnknown}, code, "%v", err)
				}
				if minted || l.Status == ports.LockCancelled {
					acked.note(l)
				}
				if acked.count() >= target {
					once.Do(func() { close(due) })
				}
				select {
				case <-back:
					served++
				default:
				}
				return served < 3
			})
		})
	}
	<-due
	require.NoError(t, c.KillPostmaster())
	<-down
	require.NoError(t, c.Start())
	close(back)
	all.Wait()
}

// requireNothingLost compares all tables with what was acknowledged.
func requireNothingLost(t *testing.T, dsn string, acked *acknowledged) {
	t.Helper()
	pool := connect(t, dsn, nil)
	store := on(t, pool, nil)
	acked.mu.Lock()
	defer acked.mu.Unlock()
	for id, lock := range acked.locks {
		l, book, err := store.RateLocks().Lock(t.Context(), lock.Owner, id)
		require.NoError(t, err, "acknowledged but lost (I10)")
		require.NoError(t, l.Check())
		_, err = ratelock.RestoreBook(book)
		require.NoError(t, err)
		require.Equal(t, lock.AllInRate, l.AllInRate)
		require.True(t, lock.CreatedAt.Equal(l.CreatedAt))
		if lock.Status == ports.LockCancelled {
			require.Equal(t, ports.LockCancelled, l.Status, "an acknowledged cancel (I10)")
		}
	}
	for what, sql := range map[string]string{
		"books of which live_locks and the active locks differ": `SELECT count(*) FROM corridor.books b WHERE live_locks <>
			(SELECT count(*) FROM corridor.rate_locks l WHERE (l.owner, l.base, l.quote) = (b.owner, b.base, b.quote) AND status = 'active')`,
		"pairs above the cap (I1)": `SELECT count(*) FROM (SELECT FROM corridor.rate_locks WHERE status = 'active'
			GROUP BY owner, base, quote HAVING count(*) > 2) b`,
		"locks without the one event of their mint (I32)": `SELECT count(*) FROM corridor.rate_locks l WHERE 1 <>
			(SELECT count(*) FROM corridor.events e WHERE e.key = l.id AND kind = 'rate_lock.minted')`,
		"ends without their one event (I32)": `SELECT count(*) FROM corridor.rate_locks l WHERE (status <> 'active')::int <>
			(SELECT count(*) FROM corridor.events e WHERE e.key = l.id AND kind <> 'rate_lock.minted')`,
		"events without a lock": `SELECT count(*) FROM corridor.events e WHERE NOT EXISTS
			(SELECT FROM corridor.rate_locks l WHERE l.id = e.key)`,
	} {
		var n int
		require.NoError(t, pool.QueryRow(t.Context(), sql).Scan(&n))
		require.Zero(t, n, what)
	}
}
