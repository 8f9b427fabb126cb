package ratelock_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

func TestConcurrentCreatesMintTwoLocks(t *testing.T) {
	r := newRig(t)
	const racers = 32
	release := r.feed.Hold()
	var wg sync.WaitGroup
	var mu sync.Mutex
	minted, ids := 0, map[string]bool{}
	for range racers {
		wg.Go(func() {
			l, m, err := r.locks.Create(context.WithoutCancel(t.Context()), "shop", usdzar)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Errorf("create: %v", err)
			}
			if m {
				minted++
			}
			ids[l.ID] = true
		})
	}
	r.feed.WaitAsked(1)
	release()
	wg.Wait()
	require.Equal(t, ports.MaxLiveLocks, minted)
	require.LessOrEqual(t, len(ids), ports.MaxLiveLocks)
}

// reads counts the reads of books.
type reads struct {
	ports.RateLockStore
	n atomic.Int64
}

func (r *reads) Book(ctx context.Context, key ports.BookKey) (ports.Book, error) {
	defer r.n.Add(1)
	return r.RateLockStore.Book(ctx, key)
}

// A writer that has joined the queue learns of the book that the writer before it saved.
func TestWritersInTheQueueShareTheSavedBook(t *testing.T) {
	synctest.Test(t, writersInTheQueueShareTheSavedBook)
}

func writersInTheQueueShareTheSavedBook(t *testing.T) {
	const racers = 32
	r := newRig(t)
	var conflicts atomic.Int64
	r.hooks.Conflict = func(context.Context, ports.BookKey) { conflicts.Add(1) }
	store := &reads{RateLockStore: r.store.RateLocks()}
	locks := r.service(store, r.clock, plain)
	release := r.feed.Hold()
	var wg sync.WaitGroup
	for range racers {
		wg.Go(func() {
			if _, _, err := locks.Create(context.WithoutCancel(t.Context()), "shop", usdzar); err != nil {
				t.Errorf("create: %v", err)
			}
		})
	}
	synctest.Wait() // each has read the empty book, joined the queue and waits for the price
	release()
	wg.Wait()
	require.Zero(t, conflicts.Load())
	require.EqualValues(t, racers, store.n.Load(), "none has read the book again")
}

func TestACancelledCallerLeavesTheQueue(t *testing.T) {
	r := newRig(t)
	release := r.feed.Hold()
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, _, err := r.locks.Create(ctx, "shop", usdzar)
		done <- err
	}()
	r.feed.WaitAsked(1)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

func TestACancelledCallerDoesNotFailTheOthers(t *testing.T) {
	r := newRig(t)
	release := r.feed.Hold()
	ctx, cancel := context.WithCancel(t.Context())
	first, others := make(chan error, 1), make(chan error, 8)
	store := &reads{RateLockStore: r.store.RateLocks()}
	locks := r.service(store, r.clock, plain)
	create := func(ctx context.Context, done chan<- error) {
		_, _, err := locks.Create(ctx, "shop", usdzar)
		done <- err
	}
	go create(ctx, first)
	r.feed.WaitAsked(1)
	for range cap(others) {
		go create(context.WithoutCancel(t.Context()), others)
	}
	for store.n.Load() < int64(1+cap(others)) {
		runtime.Gosched()
	}
	for range 1_000 {
		runtime.Gosched() // until all have joined the first caller's look at the feed
	}
	cancel()
	require.ErrorIs(t, <-first, context.Canceled)
	r.feed.WaitAsked(2)
	release()
	for range cap(others) {
		require.NoError(t, <-others)
	}
}

// slow blocks saves until release is closed.
type slow struct {
	ports.RateLockStore
	saving, release chan struct{}
}

func (s slow) Save(ctx context.Context, c ports.RateLockChange) error {
	s.saving <- struct{}{}
	<-s.release
	return s.RateLockStore.Save(ctx, c)
}

func TestACallerInTheQueueCanBeCancelled(t *testing.T) {
	r := newRig(t)
	store := slow{r.store.RateLocks(), make(chan struct{}, 2), make(chan struct{})}
	locks := r.service(store, r.clock, plain)
	first, second := make(chan error, 1), make(chan error, 1)
	create := func(ctx context.Context, done chan<- error) {
		_, _, err := locks.Create(ctx, "shop", usdzar)
		done <- err
	}
	go create(context.WithoutCancel(t.Context()), first)
	<-store.saving
	ctx, cancel := context.WithCancel(t.Context())
	go create(ctx, second)
	r.feed.WaitAsked(2) // it has its price and waits for its turn
	cancel()
	require.ErrorIs(t, <-second, context.Canceled)
	close(store.release)
	require.NoError(t, <-first)
	_, minted, err := locks.Create(t.Context(), "shop", usdzar)
	require.NoError(t, err, "the turn is free again")
	require.True(t, minted)
	require.Zero(t, ratelock.Turns(locks), "the queue is empty")
}
