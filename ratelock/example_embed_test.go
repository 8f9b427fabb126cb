package ratelock_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/corridor-go/corridor/adapters/feed/sandbox"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

// A shop prices in USD and collects ZAR, at a rate that it has locked.
func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	store := must(memory.New(nil)) // or sqlite.Open, postgres.New
	feed := must(sandbox.New(nil)) // or ecb, file, your own: two methods
	terms := ratelock.Terms{MarkupBps: 150, Validity: 24 * time.Hour, ToleranceBps: 200}
	locks := must(ratelock.New(ratelock.Ports{Locks: store.RateLocks(), Feed: feed}, terms, nil))
	go locks.Run(ctx) // ends locks that expire, and those from which the market has moved away

	pair := ports.Pair{Base: "USD", Quote: "ZAR"} // priced in USD, paid in ZAR
	lock, _, err := locks.Current(ctx, "shop-7", pair, time.Hour)
	if err != nil {
		log.Fatal(err)
	}
	rate := must(locks.Use(ctx, "shop-7", lock.ID, pair)) // store it with the order: it is also the rate of refunds
	fmt.Println("49.99 USD =", must(rate.ToQuoteText("49.99", ports.RoundHalfUp)), "ZAR at", lock.AllInRate)
	// Output: 49.99 USD = 819.77 ZAR at 16.3986445
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
