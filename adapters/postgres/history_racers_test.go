package postgres_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
)

var racedPairs = flag.Int("racers", 3, "how many fresh pairs the racers of a test run race on")

const racersEach = 32 // per process

// I1, I2, I13: however many processes race on a fresh pair, it gets two locks and all
// others get the freshest.
func TestRacersGetTwoLocksPerPair(t *testing.T) {
	for _, processes := range []int{1, 4} {
		t.Run(fmt.Sprintf("processes=%d", processes), func(t *testing.T) {
			requireRaces(t, processes, *racedPairs, "")
		})
	}
}

func TestRacersAtEachIsolationLevel(t *testing.T) {
	onlyInFull(t, "TestRacersGetTwoLocksPerPair has the usual level")
	for _, level := range levels[1:] {
		t.Run(level, func(t *testing.T) { requireRaces(t, 4, max(1, *racedPairs/4), level) })
	}
}

func requireRaces(t *testing.T, processes, pairs int, isolation string) {
	t.Helper()
	dsn := emptied(t)
	pool := connect(t, dsn, nil)
	crew := hire(t, processes, dsn, isolation)
	var requests, conflicts, overfull int
	for i := range pairs {
		book := ports.BookKey{Owner: fmt.Sprintf("racers-%d", i), Pair: usdZAR}
		o := historyOrder{Books: []ports.BookKey{book}, Origin: monotonic(), Speed: 1, Racers: racersEach}
		ops, lost := crew.all(t, func(int) historyOrder { return o })
		requests, conflicts = requests+len(ops), conflicts+int(lost)
		require.Empty(t, historyFaults(ops), "pair %d", i)
		require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(sequential, ordered(lockSteps(ops)), patience), "pair %d", i)
		if locksOf(t, pool, book) != ports.MaxLiveLocks || mintsOf(ops) != ports.MaxLiveLocks {
			overfull++
		}
	}
	t.Logf("%d pairs, %d requests, %d conflicts", pairs, requests, conflicts)
	require.Zero(t, overfull, "I1")
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
