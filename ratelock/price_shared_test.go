package ratelock_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

// Each caller may be cancelled without affecting the others.
func TestConcurrentCallersShareOneLookAtTheFeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		release := r.feed.Hold()
		create := func(ctx context.Context, owner string) <-chan error {
			done := make(chan error, 1)
			go func() {
				_, _, err := r.locks.Create(ctx, owner, usdzar)
				done <- err
			}()
			synctest.Wait()
			return done
		}
		first := create(t.Context(), "first")
		ctx, cancel := context.WithCancel(t.Context())
		impatient := create(ctx, "impatient")
		last := create(t.Context(), "last")
		require.Equal(t, 1, r.feed.Asked())
		cancel()
		require.ErrorIs(t, <-impatient, context.Canceled)
		release()
		require.NoError(t, <-first)
		require.NoError(t, <-last)
		require.Equal(t, 1, r.feed.Asked())
	})
}

func TestDriftAsksForAtMostSixteenPricesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		const pairs = 40
		for i := range pairs - 1 { // beside usdzar
			r.feed.Offer(ports.Pair{Base: "USD", Quote: fmt.Sprintf("Q%02d", i)}, "2")
		}
		release := r.feed.Hold()
		done := make(chan error, 1)
		go func() { done <- r.locks.Drift(t.Context(), r.clock.Now()) }()
		synctest.Wait()
		require.Equal(t, 16, r.feed.Asked())
		release()
		require.NoError(t, <-done)
		require.Equal(t, pairs, r.feed.Asked())
	})
}

// meanwhile is a feed that calls then before it answers.
type meanwhile struct {
	ports.PriceFeed
	then func()
}

func (m meanwhile) Mid(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	m.then()
	return m.PriceFeed.Mid(ctx, pair)
}

func TestCreateReturnsTheFreshestLockIfThePairFillsWhileItWaitsForThePrice(t *testing.T) {
	r := newRig(t)
	var second ports.RateLock
	feed := meanwhile{r.feed, func() { // another process
		r.create()
		second, _ = r.create()
	}}
	locks, err := ratelock.New(ratelock.Ports{Locks: r.store.RateLocks(), Feed: feed}, plain, &ratelock.Config{Clock: r.clock})
	require.NoError(t, err)
	l, minted, err := locks.Create(t.Context(), "shop", usdzar)
	require.NoError(t, err)
	require.False(t, minted)
	require.Equal(t, second, l)
}
