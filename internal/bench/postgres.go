package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

const poolSize = 8 // connections

var (
	errMinted    = errors.New("minted on a full pair")
	errNotMinted = errors.New("not minted")
)

// serverVariable is the environment variable with the URL of a server to use instead of
// starting one, for example on a slower disk. Its role must be able to create databases.
const serverVariable = "CORRIDOR_BENCH_POSTGRES"

// server returns a function that returns the URL of a server that waits for the disk at
// each commit. The server ends with the program, or when the function is no longer
// referenced.
var server = sync.OnceValues(func() (func() string, error) {
	if url := os.Getenv(serverVariable); url != "" {
		return func() string { return url }, nil
	}
	c, _, err := pgtest.Start(&pgtest.Options{Durable: true})
	if err != nil {
		return nil, err
	}
	return c.DSN, nil
})

// slowDisk delays each flush of the write-ahead log by a millisecond, like a disk without
// a cache: 8 connections then make 5,000 to 7,000 plain INSERTs per second. Where a flush
// takes only a tenth of that, a row compares nothing but processor time.
var slowDisk = map[string]string{"commit_delay": "1000", "commit_siblings": "0"}

// database creates an empty database with the settings and returns a pool on it.
func database(made *setup, settings map[string]string) *pgxpool.Pool {
	url, ctx := must(server())(), context.Background()
	admin := must(pgx.Connect(ctx, url))
	made.after(func() { _ = admin.Close(ctx) })
	name := fmt.Sprintf("bench_%d", time.Now().UnixNano())
	must(admin.Exec(ctx, "CREATE DATABASE "+name))
	made.after(func() { _, _ = admin.Exec(ctx, "DROP DATABASE "+name) })
	config := must(pgxpool.ParseConfig(url))
	config.ConnConfig.Database = name
	config.MinConns, config.MaxConns = poolSize, poolSize
	maps.Copy(config.ConnConfig.RuntimeParams, settings)
	pool := must(pgxpool.NewWithConfig(ctx, config))
	made.after(pool.Close)
	return pool
}

// spread runs n operations with the given number of concurrent callers.
func spread(callers int, do func(ctx context.Context, i int) error) step {
	var next atomic.Int64
	return func(n int) {
		left := atomic.Int64{}
		left.Store(int64(n))
		group, ctx := errgroup.WithContext(context.Background())
		for range callers {
			group.Go(func() error {
				for left.Add(-1) >= 0 {
					if err := do(ctx, int(next.Add(1))); err != nil {
						return err
					}
				}
				return nil
			})
		}
		check(group.Wait())
	}
}

func openPostgres(made *setup, settings map[string]string) (*postgres.Store, *pgxpool.Pool) {
	pool := database(made, settings)
	return must(postgres.New(context.Background(), pool, nil)), pool
}

func selectOne(made *setup) step {
	pool := database(made, nil)
	return spread(poolSize, func(ctx context.Context, _ int) error {
		var one int
		return pool.QueryRow(ctx, "SELECT 1").Scan(&one)
	})
}

func insertPostgres(settings map[string]string) side {
	return func(made *setup) step {
		pool := database(made, settings)
		must(pool.Exec(context.Background(), `CREATE TABLE locks (id text PRIMARY KEY, owner text, base text, quote text, mid text,
			bps integer, all_in text, created timestamptz, expires timestamptz, status text)`))
		return spread(poolSize, func(ctx context.Context, i int) error {
			now := time.Now()
			_, err := pool.Exec(ctx, `INSERT INTO locks VALUES ($1, $2, 'USD', 'ZAR', '18.2500', 150, '18.52375', $3, $4, 'active')`,
				fmt.Sprintf("rl_%026d", i), fmt.Sprintf("client-%d", i), now, now.Add(time.Hour))
			return err
		})
	}
}

func fullPostgres(made *setup) step {
	store, _ := openPostgres(made, nil)
	s, names := serviceOn(store.RateLocks()), ownerNames(owners)
	fill(s, names)
	return spread(poolSize, func(ctx context.Context, i int) error {
		_, minted, err := s.Create(ctx, names[i%len(names)], usdzar)
		if minted {
			return errMinted
		}
		return err
	})
}

// leap is longer than the life of a lock.
const leap = 6 * time.Minute

// leaps is a clock that moves on by a leap each time all pairs have been used.
type leaps struct {
	ports.Clock
	rounds atomic.Int64
}

func (l *leaps) Now() time.Time {
	return l.Clock.Now().Add(time.Duration(l.rounds.Load()) * leap)
}

const pairs = 1000 // in the row that mints

func (l *leaps) visit(i int) { l.rounds.Store(int64(i / pairs)) }

// clocked is a feed with fresh prices by a clock.
type clocked struct{ clock ports.Clock }

func (c clocked) Pairs(context.Context) (ports.PairSet, error) { return ports.NewPairSet(usdzar), nil }

func (c clocked) Mid(_ context.Context, pair ports.Pair) (ports.Price, error) {
	return ports.Price{Pair: pair, Mid: "18.2500", Source: "steady", At: c.clock.Now()}, nil
}

// leaping returns a service on a store whose locks all expire at each leap of the clock.
func leaping(store ports.RateLockStore, maxPriceAge time.Duration) (*ratelock.Service, *leaps) {
	clock, short := &leaps{Clock: ports.SystemClock()}, terms
	short.Validity = leap - time.Minute
	return must(ratelock.New(ratelock.Ports{Locks: store, Feed: clocked{clock}}, short, &ratelock.Config{Clock: clock, MaxPriceAge: maxPriceAge})), clock
}

// mintPostgres uses the pairs in turn, a leap later each time: each call writes the end
// of the previous lock, mints another and stores both events.
func mintPostgres(settings map[string]string) side {
	return func(made *setup) step {
		store, _ := openPostgres(made, settings)
		s, clock := leaping(store.RateLocks(), 0)
		names := ownerNames(pairs)
		return spread(poolSize, func(ctx context.Context, i int) error {
			clock.visit(i)
			_, minted, err := s.Create(ctx, names[i%pairs], usdzar)
			if err == nil && !minted {
				return errNotMinted
			}
			return err
		})
	}
}

// keptPostgres validates accounts with cached answers.
func keptPostgres(made *setup) step {
	store, _ := openPostgres(made, nil)
	service, _ := validatorOn(store)
	hit := func(ctx context.Context, i int) error {
		v, err := service.Validate(ctx, "acme", request(i%accounts, ""))
		if err != nil || v.Status != ports.StatusVerified {
			return errors.Join(errNotKept, err)
		}
		return nil
	}
	for i := range 2 * accounts { // the lookups and the first hits
		check(hit(context.Background(), i))
	}
	return spread(poolSize, hit)
}

func postgresRows() []row {
	return []row{
		{
			name: "Create on a full pair, PostgreSQL, 8 connections", reference: "SELECT 1 through the same pool",
			ours: fullPostgres, ref: selectOne, goal: faster(0.45), allocs: -1,
		},
		{
			name: "Create that mints, PostgreSQL, 1,000 pairs, 8 connections, a flush 1 ms longer", reference: "one plain INSERT through the same pool",
			ours: mintPostgres(slowDisk), ref: insertPostgres(slowDisk), goal: faster(0.45), allocs: -1, round: 300 * time.Millisecond,
		},
		{
			name: "Create that mints, PostgreSQL, 1,000 pairs, 8 connections", reference: "one plain INSERT through the same pool",
			ours: mintPostgres(nil), ref: insertPostgres(nil), goal: faster(0.2), allocs: -1, round: 300 * time.Millisecond,
		},
		{
			name: "Validate on a kept answer, PostgreSQL, 8 connections", reference: "SELECT 1 through the same pool",
			ours: keptPostgres, ref: selectOne, goal: faster(0.4), allocs: -1,
		},
	}
}
