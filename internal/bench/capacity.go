package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/corridor-go/corridor/ports"
)

// capacityRun is how long each rate is measured.
const capacityRun = 3 * time.Second

// medium is a store whose capacity is measured.
type medium struct {
	name string
	// open returns the store and a function that prints the bytes used by a number of
	// mints.
	open func(*setup) (ports.RateLockStore, func(out io.Writer, mints int))
}

// printCapacity prints the figures for internal/docs/operations.md: creates per second by
// store, number of pairs and kind, and the bytes per lock.
func printCapacity() {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, m := range []medium{{"memory", memoryMedium}, {"SQLite", sqliteMedium}, {"PostgreSQL", postgresMedium}} {
		for _, pairs := range []int{1, 1_000} {
			var made setup
			err := try(func() { m.measure(out, &made, pairs) })
			made.close()
			if err != nil {
				check(fmt.Errorf("%s, %d pairs: %w", m.name, pairs, err))
			}
		}
	}
	check(out.Flush())
}

func (m medium) measure(out io.Writer, made *setup, pairs int) {
	store, size := m.open(made)
	s, clock := leaping(store, 24*365*time.Hour)
	names := ownerNames(pairs)
	var mints atomic.Int64
	_, took := timed(spread(poolSize, func(ctx context.Context, i int) error {
		round := clock.rounds.Load()
		_, minted, err := s.Create(ctx, names[i%pairs], usdzar)
		if minted {
			mints.Add(1)
		} else { // full pairs: all locks end, and the next calls mint
			clock.rounds.CompareAndSwap(round, round+1)
		}
		return err
	}))
	create := spread(poolSize, func(ctx context.Context, i int) error {
		_, _, err := s.Create(ctx, names[i%pairs], usdzar)
		return err
	})
	create(2 * pairs) // fills the pairs
	n, fullTook := timed(create)
	fmt.Fprintf(out, "%s\t%d pairs\t%d mints/s\t%d creates/s on full pairs\n", m.name, pairs,
		int(float64(mints.Load())/took.Seconds()), int(float64(n)/fullTook.Seconds()))
	if pairs == 1_000 {
		size(out, int(mints.Load()))
	}
}

// timed runs batches of a step for capacityRun.
func timed(run step) (n int, took time.Duration) {
	const batch = 500
	for start := time.Now(); took < capacityRun; took = time.Since(start) {
		run(batch)
		n += batch
	}
	return n, took
}

func memoryMedium(made *setup) (ports.RateLockStore, func(io.Writer, int)) {
	return openMemory(made).RateLocks(), func(io.Writer, int) {}
}

func sqliteMedium(made *setup) (ports.RateLockStore, func(io.Writer, int)) {
	store, path := openSQLite(made)
	return store.RateLocks(), func(out io.Writer, mints int) {
		fmt.Fprintf(out, "SQLite\tfile\t%d bytes a mint, events not yet drained\t\n", must(os.Stat(path)).Size()/int64(mints))
	}
}

func postgresMedium(made *setup) (ports.RateLockStore, func(io.Writer, int)) {
	store, pool := openPostgres(made, nil)
	return store.RateLocks(), func(out io.Writer, _ int) {
		validateSome(store)
		tableSizes(out, pool)
	}
}

// validateSome stores two results for each account.
func validateSome(store storage) {
	service, _ := validatorOn(store)
	for i := range accounts {
		for _, name := range []string{"Mensah Ama", "Ama Serwaa Mensah"} {
			must(service.Validate(context.Background(), "acme", request(i, name)))
		}
	}
}

func tableSizes(out io.Writer, pool *pgxpool.Pool) {
	ctx := context.Background()
	for _, table := range []string{"books", "rate_locks", "events", "validations", "cached_answers", "audit"} {
		must(pool.Exec(ctx, "VACUUM corridor."+table))
		var rows, heap, indexes int64
		check(pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM corridor.`+table+`), pg_relation_size('corridor.`+table+`'),
			pg_indexes_size('corridor.`+table+`')`).Scan(&rows, &heap, &indexes))
		fmt.Fprintf(out, "PostgreSQL\t%s\t%d rows\t%d bytes a row, %d of indexes\n", table, rows, heap/rows, indexes/rows)
	}
}
