package ratelock_test

import (
	"context"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ratelock"
)

func ExampleNew() {
	ctx := context.Background()
	clock := portstest.NewClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	pair := ports.Pair{Base: "USD", Quote: "ZAR"}
	feed := fake.NewFeed(clock.Now)
	feed.Offer(pair, "18.2500")
	store, err := memory.New(nil)
	if err != nil {
		panic(err)
	}
	terms := ratelock.Terms{MarkupBps: 150, Validity: 24 * time.Hour, ToleranceBps: 200}
	locks, err := ratelock.New(ratelock.Ports{Locks: store.RateLocks(), Feed: feed}, terms, &ratelock.Config{Clock: clock})
	if err != nil {
		panic(err)
	}

	for range 3 {
		lock, minted, err := locks.Create(ctx, "shop-7", pair)
		fmt.Println(lock.AllInRate, minted, err)
	}
	clock.Advance(24*time.Hour + time.Second)
	lock, minted, err := locks.Create(ctx, "shop-7", pair)
	fmt.Println(lock.CreatedAt.Format(time.RFC3339), minted, err)
	// Output:
	// 18.52375 true <nil>
	// 18.52375 true <nil>
	// 18.52375 false <nil>
	// 2026-11-21T12:00:01Z true <nil>
}

func ExampleService_Use() {
	r := exampleRig()
	lock, _, err := r.Current(context.Background(), "shop-7", usdzar, time.Minute)
	if err != nil {
		panic(err)
	}
	rate, err := r.Use(context.Background(), "shop-7", lock.ID, usdzar)
	if err != nil {
		panic(err)
	}
	due, err := rate.ToQuoteText("49.99", ports.RoundHalfUp)
	fmt.Println("the payer pays", due, "ZAR", err)
	_, err = r.Use(context.Background(), "shop-7", lock.ID, usdzar.Inverse())
	fmt.Println(errcodes.Of(err))
	// Output:
	// the payer pays 926.00 ZAR <nil>
	// rate_lock_currency_mismatch
}

// An embedder stores the rate of a transaction in its own table.
func ExampleLockedRate() {
	r := exampleRig()
	lock, _, err := r.Current(context.Background(), "shop-7", usdzar, time.Minute)
	if err != nil {
		panic(err)
	}
	rate, err := r.Use(context.Background(), "shop-7", lock.ID, usdzar)
	if err != nil {
		panic(err)
	}
	column, err := rate.Value() // as database/sql stores it in a TEXT column
	if err != nil {
		panic(err)
	}

	var kept ports.LockedRate
	if err := kept.Scan(column); err != nil {
		panic(err)
	}
	refund, err := kept.ToBase(-92_600, ports.RoundHalfUp) // cents of ZAR into cents of USD
	fmt.Println(kept.LockID() == lock.ID, kept.AllIn(), refund, err)
	// Output: true 18.52375 -4999 <nil>
}

func ExampleNewKeeper() {
	r := exampleRig()
	keeper, err := ratelock.NewKeeper(r, ratelock.Kept{Owner: "shop-7", Pair: usdzar, Lead: 20 * time.Minute})
	if err != nil {
		panic(err)
	}
	fmt.Println(keeper.Tick(context.Background(), noon))
	lock, minted, err := r.Create(context.Background(), "shop-7", usdzar)
	fmt.Println(lock.CreatedAt.Sub(noon), minted, err)
	// Output:
	// <nil>
	// 1ms true <nil>
}

func exampleRig() *ratelock.Service {
	clock := portstest.NewClock(noon)
	feed := fake.NewFeed(clock.Now)
	feed.Offer(usdzar, "18.2500")
	store, err := memory.New(nil)
	if err != nil {
		panic(err)
	}
	locks, err := ratelock.New(ratelock.Ports{Locks: store.RateLocks(), Feed: feed}, plain, &ratelock.Config{Clock: clock})
	if err != nil {
		panic(err)
	}
	return locks
}
