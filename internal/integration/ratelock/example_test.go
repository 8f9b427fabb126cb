package ratelock_test

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ratelock"
)

// The example stores a transaction's rate in the embedder's own table.
func Example_ownTable() {
	clock := portstest.NewClock(noon)
	feed := fake.NewFeed(clock.Now)
	feed.Offer(usdzar, "18.2500")
	store, err := memory.New(nil)
	if err != nil {
		panic(err)
	}
	r, err := ratelock.New(ratelock.Ports{Locks: store.RateLocks(), Feed: feed}, plain, &ratelock.Config{Clock: clock})
	if err != nil {
		panic(err)
	}
	lock, _, err := r.Current(context.Background(), "shop-7", usdzar, time.Minute)
	if err != nil {
		panic(err)
	}
	rate, err := r.Use(context.Background(), "shop-7", lock.ID, usdzar)
	if err != nil {
		panic(err)
	}
	db, err := sql.Open("sqlite", "file:orders?mode=memory&cache=shared")
	if err != nil {
		panic(err)
	}
	defer db.Close()
	_, err = db.Exec(`CREATE TABLE orders (id TEXT PRIMARY KEY, rate TEXT NOT NULL); INSERT INTO orders VALUES ('o-1', ?)`, rate)
	if err != nil {
		panic(err)
	}

	var kept ports.LockedRate
	if err := db.QueryRow(`SELECT rate FROM orders WHERE id = 'o-1'`).Scan(&kept); err != nil {
		panic(err)
	}
	refund, err := kept.ToBase(-92_600, ports.RoundHalfUp) // cents of ZAR into cents of USD
	fmt.Println(kept.LockID() == lock.ID, kept.AllIn(), refund, err)
	// Output: true 18.52375 -4999 <nil>
}
