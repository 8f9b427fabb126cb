package ticker_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/internal/ticker"
	"github.com/corridor-go/corridor/ports/portstest"
)

func TestRun(t *testing.T) {
	clock := portstest.NewClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	l := ticker.New(clock, time.Second)
	rounds := make(chan time.Time, 10)
	var wg sync.WaitGroup
	wg.Go(func() {
		require.NoError(t, l.Run(t.Context(), true, func(_ context.Context, now time.Time) { rounds <- now }))
	})
	require.Equal(t, clock.Now(), <-rounds, "at once")
	clock.BlockUntil(1)
	clock.Advance(time.Second)
	require.Equal(t, clock.Now(), <-rounds, "a second later")

	require.NoError(t, l.Close(t.Context()))
	wg.Wait()
	<-l.Closed()
	require.NoError(t, l.Run(t.Context(), true, func(context.Context, time.Time) { t.Error("a round after Close") }))
	require.NoError(t, l.Close(t.Context()), "twice")
}

// Whoever closes with a context that is done is told of it only when there is
// something left to wait for.
func TestNothingToWaitForIsNoError(t *testing.T) {
	late, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 {
		l := ticker.New(portstest.NewClock(time.Time{}), time.Second)
		require.NoError(t, l.Close(late))
		require.NoError(t, l.Close(late), "twice")
	}
}

// eager is a clock by which every pause is over at once.
type eager struct{ *portstest.Clock }

func (eager) After(time.Duration) <-chan time.Time {
	over := make(chan time.Time, 1)
	over <- time.Time{}
	return over
}

// A round that is due when the service closes, or when ctx is done, is none.
func TestNoRoundBeginsBehindTheEnd(t *testing.T) {
	for range 50 {
		l := ticker.New(eager{portstest.NewClock(time.Time{})}, time.Second)
		rounds := 0
		late, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, l.Run(t.Context(), false, func(context.Context, time.Time) {
			rounds++
			require.ErrorIs(t, l.Close(late), context.Canceled)
		}))
		require.Equal(t, 1, rounds, "Close")

		l = ticker.New(eager{portstest.NewClock(time.Time{})}, time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		require.ErrorIs(t, l.Run(ctx, false, func(context.Context, time.Time) {
			rounds++
			cancel()
		}), context.Canceled)
		require.Equal(t, 2, rounds, "ctx")
	}
}

func TestCloseWaitsForWhatHasBegun(t *testing.T) {
	l := ticker.New(portstest.NewClock(time.Time{}), time.Second)
	require.True(t, l.Begin())
	late, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, l.Close(late), context.Canceled)
	require.False(t, l.Begin(), "nothing begins after Close")
	l.End()
	require.NoError(t, l.Close(t.Context()))
}

func TestRunEndsWithItsContext(t *testing.T) {
	l := ticker.New(portstest.NewClock(time.Time{}), time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, l.Run(ctx, false, nil), context.Canceled)
}
