package postgres_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
)

var histories = flag.Int("histories", 2, "how many histories of four processes are made and checked")

// I1 to I9, I13, I32: four processes on one database, whose clocks disagree by minutes
// and jump, return nothing that one process could not have returned.
func TestHistoriesOfManyProcesses(t *testing.T) {
	const processes = 4
	dsn := emptied(t)
	pool := connect(t, dsn, nil)
	crew := hire(t, processes, dsn, "")
	count, mix := 0, map[string]int{}
	for seed := range uint64(*histories) {
		books := []ports.BookKey{
			{Owner: fmt.Sprintf("shop-%d", seed), Pair: usdZAR}, {Owner: fmt.Sprintf("shop-%d", seed), Pair: usdZAR.Inverse()},
		}
		ops := append(wildHistory(t, crew, books, seed), lookBack(t, pool, crew, books)...)
		requireSound(t, pool, books, ops, seed)
		count += len(ops)
		tally(mix, ops)
	}
	t.Logf("%d histories of %d processes, %d operations (%v): all have a sequential explanation", *histories, processes, count, mix)
}

// tally counts what happened, so that a history without events is noticed.
func tally(mix map[string]int, ops []lockOp) {
	for i := range ops {
		o := &ops[i]
		switch {
		case o.Kind == opCreate && o.Minted:
			mix["create 201"]++
		case o.Kind == opCreate:
			mix["create 200"]++
		default:
			mix[string(o.Kind)+" "+string(o.Lock.Status)]++
		}
		for _, s := range o.Saves {
			if !s.touches(o.Lock.ID) || len(s.Ended) > 1 {
				mix["ended another on the way"]++
			}
		}
	}
}

// wildHistory runs the clients of all processes on the books. In every other history the
// clocks jump by less than a lock's life, so that often one of two locks has expired.
func wildHistory(t *testing.T, c crew, books []ports.BookKey, seed uint64) []lockOp {
	t.Helper()
	chance := rand.New(rand.NewPCG(seed, 0))
	o := historyOrder{Books: books, Origin: monotonic(), Speed: 4000, Jump: maxSkew, Seed: seed, Clients: 4 + chance.IntN(5), Steps: 20}
	if seed%2 == 1 {
		o.Jump, o.Speed = historyValidity/2, 2000
	}
	ops, _ := c.all(t, func(int) historyOrder {
		o := o
		o.Skew = time.Duration(chance.Int64N(int64(2*o.Jump))) - o.Jump
		return o
	})
	return ops
}

// lookBack reads every lock once more in each process: the first one's clock is behind,
// the next one's ahead of all locks, the others' behind again.
func lookBack(t *testing.T, pool *pgxpool.Pool, c crew, books []ports.BookKey) []lockOp {
	t.Helper()
	var all []lockOp
	for _, book := range books {
		ids := ofBook(t, pool, book, `SELECT id FROM corridor.rate_locks WHERE owner = $1 AND base = $2 AND quote = $3 ORDER BY created_at`,
			func(row pgx.CollectableRow) (string, error) {
				var id []byte
				err := row.Scan(&id)
				return string(id), err
			})
		for i, m := range c {
			o := historyOrder{Books: []ports.BookKey{book}, Origin: monotonic(), Skew: -maxSkew, Read: ids}
			if i == 1 {
				o.Skew = 24 * time.Hour
			}
			ops, _ := crew{m}.all(t, func(int) historyOrder { return o })
			all = append(all, ops...)
		}
	}
	return all
}

func ofBook[V any](t *testing.T, pool *pgxpool.Pool, book ports.BookKey, sql string, scan pgx.RowToFunc[V]) []V {
	t.Helper()
	rows, err := pool.Query(t.Context(), sql, []byte(book.Owner), book.Pair.Base, book.Pair.Quote)
	require.NoError(t, err)
	all, err := pgx.CollectRows(rows, scan)
	require.NoError(t, err)
	return all
}

func requireSound(t *testing.T, pool *pgxpool.Pool, books []ports.BookKey, ops []lockOp, seed uint64) {
	t.Helper()
	require.Empty(t, historyFaults(ops), "seed %d", seed)
	verdict := porcupine.CheckOperationsTimeout(sequential, ordered(lockSteps(ops)), patience)
	require.Equal(t, porcupine.Ok, verdict, "seed %d", seed)
	for _, book := range books {
		require.Empty(t, overfullBook(book, eventsOf(t, pool, book)), "seed %d", seed)
		requireCounted(t, pool, book, ops)
	}
}

// eventsOf returns the events of a book in the order of their saves.
func eventsOf(t *testing.T, pool *pgxpool.Pool, book ports.BookKey) []ports.Event {
	t.Helper()
	rows, err := pool.Query(t.Context(), `SELECT kind, key, data FROM corridor.events WHERE owner = $1 ORDER BY seq`, []byte(book.Owner))
	require.NoError(t, err)
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (e ports.Event, err error) {
		var key []byte
		err = row.Scan(&e.Kind, &key, &e.Data)
		e.Key = string(key)
		return e, err
	})
	require.NoError(t, err)
	return slices.DeleteFunc(all, func(e ports.Event) bool {
		var l ports.RateLock
		require.NoError(t, json.Unmarshal(e.Data, &l))
		return l.Pair() != book.Pair
	})
}

// requireCounted compares the rows with what the processes saved: no more (I3) and no
// fewer.
func requireCounted(t *testing.T, pool *pgxpool.Pool, book ports.BookKey, ops []lockOp) {
	t.Helper()
	saves, minted, changes := 0, 0, 0
	for i := range ops {
		for _, s := range ops[i].Saves {
			if ops[i].Book != book {
				continue
			}
			saves++
			changes += len(s.Ended)
			if s.Minted != "" {
				minted, changes = minted+1, changes+1
			}
		}
	}
	version := ofBook(t, pool, book, `SELECT version FROM corridor.books WHERE owner = $1 AND base = $2 AND quote = $3`, pgx.RowTo[int])
	require.Equal(t, []int{saves}, version, "I3")
	rows := ofBook(t, pool, book, `SELECT count(*) FROM corridor.rate_locks WHERE owner = $1 AND base = $2 AND quote = $3`, pgx.RowTo[int])
	require.Equal(t, []int{minted}, rows, "I3, I13")
	require.Len(t, eventsOf(t, pool, book), changes, "I32")
}
