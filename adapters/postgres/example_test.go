package postgres_test

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/corridor-go/corridor/adapters/feed/ecb"
	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ratelock"
)

// The pool is yours, and so is its size. What needs a database is not run here.
func ExampleNew() {
	lock := func(ctx context.Context, url string) error {
		pool, err := pgxpool.New(ctx, url) // such as postgres://corridor@db/payments?pool_max_conns=16
		if err != nil {
			return err
		}
		defer pool.Close()
		store, err := postgres.New(ctx, pool, nil) // brings the tables up to date
		if err != nil {
			return err
		}
		defer store.Close()
		feed, err := ecb.New(ecb.DailyURL, nil)
		if err != nil {
			return err
		}
		terms := ratelock.Terms{MarkupBps: 150, Validity: 24 * time.Hour, ToleranceBps: 200}
		locks, err := ratelock.New(ratelock.Ports{Locks: store.RateLocks(), Feed: feed}, terms, nil)
		if err != nil {
			return err
		}
		got, minted, err := locks.Create(ctx, "shop-7", usdZAR)
		fmt.Println(got.AllInRate, minted, err)
		return locks.Run(ctx) // expiry and drift, in as many processes as you like
	}
	_ = lock

	_, err := postgres.New(context.Background(), nil, nil)
	fmt.Println(errcodes.Of(err), "-", errcodes.MessageOf(err))
	// Output:
	// configuration - A pool is required
}
