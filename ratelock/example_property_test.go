package ratelock_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ratelock"
)

// The README shows this property (I1).
func TestTwoLocksAtMostWhateverTheClockDoes(t *testing.T) {
	pair := ports.Pair{Base: "USD", Quote: "ZAR"}
	terms := ratelock.Terms{MarkupBps: 150, Validity: 24 * time.Hour, ToleranceBps: 200}
	rapid.Check(t, func(t *rapid.T) {
		clock := portstest.NewClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
		feed := fake.NewFeed(clock.Now)
		store := must(memory.New(nil))
		locks := must(ratelock.New(ratelock.Ports{Locks: store.RateLocks(), Feed: feed}, terms, &ratelock.Config{Clock: clock}))
		live := map[string]time.Time{}
		for _, hours := range rapid.SliceOf(rapid.IntRange(-6, 18)).Draw(t, "hours") {
			clock.Advance(time.Duration(hours) * time.Hour)
			feed.Offer(pair, "18.2500") // at the clock's time
			lock, _, err := locks.Create(context.Background(), "shop-7", pair)
			if code := errcodes.Of(err); code != "" && code != errcodes.ClockBehind { // the clock is back before the last lock
				t.Fatal(err)
			}
			live[lock.ID] = lock.ExpiresAt
			maps.DeleteFunc(live, func(_ string, end time.Time) bool { return !end.After(clock.Now()) })
			if len(live) > 2 {
				t.Fatal("three live locks:", live)
			}
		}
	})
}
