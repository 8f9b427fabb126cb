package main

import (
	"context"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ratelock"
)

const (
	movedPairs  = 10
	movedLocks  = 1_000 // live locks per moved pair, whatever the total
	stillPairs  = 90
	driftWindow = 15 * time.Minute // between ticks, so that locks are old enough
)

// driftOver measures a drift tick over a store of total live locks.
func driftOver(total int) side {
	return func(made *setup) step {
		ctx, store := context.Background(), openMemory(made)
		clock := portstest.NewClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
		feed := fake.NewFeed(clock.Now)
		for i := range movedPairs + stillPairs {
			feed.Offer(numbered(i), "18.2500")
		}
		for i := range total {
			pair := i % movedPairs
			if i >= movedPairs*movedLocks {
				pair = movedPairs + i%stillPairs
			}
			check(store.RateLocks().Save(ctx, mintedRecord(i, numbered(pair), clock.Now())))
		}
		s := must(ratelock.New(ratelock.Ports{Locks: store.RateLocks(), Feed: feed}, terms, &ratelock.Config{Clock: clock}))
		moves := 0
		tick := func(n int) {
			for range n {
				moves++
				clock.Advance(driftWindow)
				for i := range movedPairs + stillPairs {
					mid := "18.2500"
					if i < movedPairs {
						mid = fmt.Sprintf("18.25%02d", moves%2)
					}
					feed.Set(numbered(i), mid)
				}
				check(s.Drift(ctx, clock.Now()))
			}
		}
		tick(2)
		return tick
	}
}

// numbered returns the i-th pair of invented codes, which stores accept.
func numbered(i int) ports.Pair {
	return ports.Pair{Base: fmt.Sprintf("B%02d", i), Quote: "ZAR"}
}

// mintedRecord returns the change that mints the i-th lock in its own book.
func mintedRecord(i int, pair ports.Pair, now time.Time) ports.RateLockChange {
	l := ports.RateLock{
		ID: fmt.Sprintf("rl_%09d", i), Owner: fmt.Sprintf("client-%d", i), Base: pair.Base, Quote: pair.Quote,
		MidRate: "18.2500", MarkupBps: markupBps, AllInRate: "18.52375", MidSource: "bench", MidAt: now, ToleranceBps: 200,
		CreatedAt: now, ExpiresAt: now.Add(7 * 24 * time.Hour), Status: ports.LockActive,
	}
	book := ports.Book{Key: l.Book(), HighWater: now}
	book.Slots[0] = l
	return ports.RateLockChange{Book: book, Minted: &l}
}
