package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

// capacityRun is how long each rate is taken over.
const capacityRun = 3 * time.Second

// medium is a store whose capacity is measured.
type medium struct {
	name  string
	open  func() (ports.RateLockStore, func(io.Writer, int) error, func(), error)
	pairs []int
}

// capacity prints what internal/docs/capacity.md reckons with: creates a second
// by store, number of pairs and kind, and the bytes that a lock takes.
func capacity(out io.Writer) error {
	media := []medium{
		{"memory", memoryMedium, []int{10, 1_000, 100_000}},
		{"SQLite", sqliteMedium, []int{10, 1_000, 100_000}},
		{"PostgreSQL", postgresMedium, []int{10, 1_000, 100_000}},
	}
	for _, m := range media {
		for _, pairs := range append([]int{1}, m.pairs...) {
			if err := m.measure(out, pairs); err != nil {
				return fmt.Errorf("%s, %d pairs: %w", m.name, pairs, err)
			}
		}
	}
	return nil
}

func (m medium) measure(out io.Writer, pairs int) error {
	store, size, done, err := m.open()
	if err != nil {
		return err
	}
	defer done()
	clock := &leaps{Clock: ports.SystemClock()}
	short := terms
	short.Validity = leap - time.Minute
	s, err := ratelock.New(ratelock.Ports{Locks: store, Feed: clocked{clock}}, short, &ratelock.Config{Clock: clock, MaxPriceAge: 24 * 365 * time.Hour})
	if err != nil {
		return err
	}
	names := ownerNames(pairs)
	create := func(ctx context.Context, i int) error {
		_, _, err := s.Create(ctx, names[i%pairs], usdzar)
		return err
	}
	var mints atomic.Int64
	minted, err := timed(spread(poolSize, func(ctx context.Context, i int) error {
		round := clock.rounds.Load()
		_, was, err := s.Create(ctx, names[i%pairs], usdzar)
		if was {
			mints.Add(1)
		} else { // full: all locks end, and the next calls mint
			clock.rounds.CompareAndSwap(round, round+1)
		}
		return err
	}))
	if err != nil {
		return err
	}
	minted.n = int(mints.Load())
	if err := spread(poolSize, create)(2 * pairs); err != nil { // fills the pairs
		return err
	}
	full, err := timed(spread(poolSize, create))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\t%d pairs\t%d mints/s\t%d creates/s on full pairs\n", m.name, pairs,
		minted.rate(), full.rate())
	if err == nil && pairs == m.pairs[1] {
		err = size(out, minted.n)
	}
	return err
}

type timing struct {
	n    int
	took time.Duration
}

func (t timing) rate() int { return int(float64(t.n) / t.took.Seconds()) }

// timed runs batches of a step for capacityRun.
func timed(run step) (timing, error) {
	const batch = 500
	t := timing{}
	start := time.Now()
	for t.took < capacityRun {
		if err := run(batch); err != nil {
			return t, err
		}
		t.n += batch
		t.took = time.Since(start)
	}
	return t, nil
}

func memoryMedium() (ports.RateLockStore, func(io.Writer, int) error, func(), error) {
	store, err := memory.New(nil)
	if err != nil {
		return nil, nil, nil, err
	}
	return store.RateLocks(), func(io.Writer, int) error { return nil }, func() { _ = store.Close() }, nil
}

func sqliteMedium() (ports.RateLockStore, func(io.Writer, int) error, func(), error) {
	dir, remove, err := folder()
	if err != nil {
		return nil, nil, nil, err
	}
	path := filepath.Join(dir, "capacity.db")
	store, err := sqlite.Open(context.Background(), path, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	size := func(out io.Writer, mints int) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "SQLite\tfile\t%d bytes a mint, events not yet drained\t\n", info.Size()/int64(mints))
		return err
	}
	return store.RateLocks(), size, func() { _ = store.Close(); remove() }, nil
}

func postgresMedium() (ports.RateLockStore, func(io.Writer, int) error, func(), error) {
	store, pool, done, err := storePostgres(nil)
	if err != nil {
		return nil, nil, nil, err
	}
	size := func(out io.Writer, _ int) error {
		if err := validateSome(store); err != nil {
			return err
		}
		return tableSizes(out, pool)
	}
	return store.RateLocks(), size, done, nil
}

// validateSome leaves two results for each account.
func validateSome(store storage) error {
	service, _, err := validatorOn(store)
	if err != nil {
		return err
	}
	for i := range accounts {
		for _, name := range []string{"Mensah Ama", "Ama Serwaa Mensah"} {
			if _, err := service.Validate(context.Background(), "acme", request(i, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func tableSizes(out io.Writer, pool *pgxpool.Pool) error {
	ctx := context.Background()
	for _, table := range []string{"books", "rate_locks", "events", "validations", "cached_answers"} {
		if _, err := pool.Exec(ctx, "VACUUM corridor."+table); err != nil {
			return err
		}
		var rows, heap, indexes int64
		err := pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM corridor.`+table+`), pg_relation_size('corridor.`+table+`'),
			pg_indexes_size('corridor.`+table+`')`).Scan(&rows, &heap, &indexes)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "PostgreSQL\t%s\t%d rows\t%d bytes a row, %d of indexes\n", table, rows, heap/rows, indexes/rows)
		if err != nil {
			return err
		}
	}
	return nil
}

// printCapacity runs it on standard output.
func printCapacity() error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	if err := capacity(out); err != nil {
		return err
	}
	return out.Flush()
}
