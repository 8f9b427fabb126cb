package postgres_test

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
)

var racedPairs = flag.Int("racers", 40, "how many fresh pairs the racers of a test run race on")

const racersEach = 32 // per process

// I1, I2, I13: however many processes race on a fresh pair, it gets two locks and all
// others get the freshest; that causes few version conflicts.
func TestRacersGetTwoLocksPerPair(t *testing.T) {
	for _, c := range []struct {
		processes int
		most      float64 // conflicts per request
	}{{1, 0.1}, {4, 2}} {
		t.Run(fmt.Sprintf("processes=%d", c.processes), func(t *testing.T) {
			requireRaces(t, c.processes, *racedPairs, "", c.most)
		})
	}
}

// The rules and the bound on conflicts are the same at each isolation level.
func TestRacersAtEachIsolationLevel(t *testing.T) {
	for _, level := range []string{"repeatable read", "serializable"} {
		t.Run(level, func(t *testing.T) { requireRaces(t, 4, max(1, *racedPairs/4), level, 2) })
	}
}

func requireRaces(t *testing.T, processes, pairs int, isolation string, most float64) {
	t.Helper()
	dsn := migrated(t)
	pool := connect(t, dsn, nil)
	crew := hire(t, processes, dsn, isolation)
	var requests, conflicts, overfull int
	start := time.Now()
	for i := range pairs {
		book := ports.BookKey{Owner: fmt.Sprintf("racers-%d", i), Pair: usdZAR}
		o := historyOrder{Books: []ports.BookKey{book}, Origin: monotonic(), Speed: 1, Racers: racersEach}
		ops, lost := crew.all(t, func(int) historyOrder { return o })
		requests, conflicts = requests+len(ops), conflicts+int(lost)
		require.Empty(t, historyFaults(ops), "pair %d", i)
		require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(sequential, ordered(lockSteps(ops)), 10*time.Second), "pair %d", i)
		if locksOf(t, pool, book) != ports.MaxLiveLocks || mintsOf(ops) != ports.MaxLiveLocks {
			overfull++
		}
	}
	each := float64(conflicts) / float64(requests)
	t.Logf("%d pairs, %d requests in %v: %d pairs without exactly two locks, %.4f conflicts per request", pairs, requests,
		time.Since(start).Round(time.Millisecond), overfull, each)
	require.Zero(t, overfull, "I1")
	require.LessOrEqual(t, each, most)
}

func locksOf(t *testing.T, pool *pgxpool.Pool, book ports.BookKey) int {
	t.Helper()
	return ofBook(t, pool, book, `SELECT count(*) FROM corridor.rate_locks
		WHERE owner = $1 AND base = $2 AND quote = $3 AND status = 'active'`, pgx.RowTo[int])[0]
}

func mintsOf(ops []lockOp) (n int) {
	for i := range ops {
		if ops[i].Minted {
			n++
		}
	}
	return n
}
