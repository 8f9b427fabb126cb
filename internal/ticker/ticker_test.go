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
