package background_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func config(clock ports.Clock) background.Config {
	return background.Config{
		Clock: clock, Every: time.Second, Logger: slog.New(slog.DiscardHandler), Work: "tests",
		Failed: func(context.Context, error) {},
	}
}

func idle(context.Context, time.Time) error { return nil }

func TestRunTicksAtOnceAndThenByTheClock(t *testing.T) {
	clock := portstest.NewClock(noon)
	wake := make(chan struct{})
	cfg := config(clock)
	cfg.Wake = wake
	l := background.New(cfg)
	ticks := make(chan time.Time, 10)
	var wg sync.WaitGroup
	wg.Go(func() {
		require.NoError(t, l.Run(t.Context(), func(_ context.Context, now time.Time) error {
			ticks <- now
			return errors.New("it goes on all the same")
		}))
	})
	require.Equal(t, noon, <-ticks, "at once")
	clock.BlockUntil(1)
	clock.Advance(time.Second)
	require.Equal(t, noon.Add(time.Second), <-ticks, "a second later")
	wake <- struct{}{}
	require.Equal(t, noon.Add(time.Second), <-ticks, "woken")

	require.False(t, l.Stopped())
	require.NoError(t, l.Stop(t.Context()))
	require.True(t, l.Stopped())
	wg.Wait()
	<-l.Stopping()
	require.NoError(t, l.Run(t.Context(), func(context.Context, time.Time) error {
		t.Error("a tick after Stop")
		return nil
	}))
	require.NoError(t, l.Stop(t.Context()), "twice")
}

// Stop with a context that is done returns its error only if there is something to wait
// for.
func TestStopWithNothingToWaitForReturnsNoError(t *testing.T) {
	late, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 {
		l := background.New(config(portstest.NewClock(noon)))
		require.NoError(t, l.Stop(late))
		require.NoError(t, l.Stop(late), "twice")
	}
}

// eager is a clock whose waits are over at once.
type eager struct{ *portstest.Clock }

func (eager) After(time.Duration) <-chan time.Time {
	over := make(chan time.Time, 1)
	over <- time.Time{}
	return over
}

func TestNoTickBeginsAfterStop(t *testing.T) {
	for range 50 {
		l := background.New(config(eager{portstest.NewClock(noon)}))
		ticks := 0
		late, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, l.Run(t.Context(), func(context.Context, time.Time) error {
			ticks++
			require.ErrorIs(t, l.Stop(late), errcodes.Canceled)
			return nil
		}))
		require.Equal(t, 1, ticks, "Stop")

		l = background.New(config(eager{portstest.NewClock(noon)}))
		ctx, cancel := context.WithCancel(t.Context())
		err := l.Run(ctx, func(context.Context, time.Time) error {
			ticks++
			cancel()
			return nil
		})
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, errcodes.Canceled)
		require.Equal(t, 2, ticks, "ctx")
		require.ErrorIs(t, l.Run(ctx, idle), context.Canceled, "done before it began")
	}
}

func TestStopWaitsForBegunWork(t *testing.T) {
	l := background.New(config(portstest.NewClock(noon)))
	require.True(t, l.Begin())
	late, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, l.Stop(late), context.Canceled)
	require.False(t, l.Begin(), "nothing begins after Stop")
	l.End()
	require.NoError(t, l.Stop(t.Context()))
}

func TestReportLogsAndPassesOnErrors(t *testing.T) {
	var log bytes.Buffer
	var hooked []error
	cfg := config(portstest.NewClock(noon))
	cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	cfg.Failed = func(_ context.Context, err error) { hooked = append(hooked, err) }
	l := background.New(cfg)
	down := errors.New("the store is down")

	require.NoError(t, l.Report(t.Context(), nil))
	cut, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, l.Report(cut, down), down, "cut short")
	require.Empty(t, hooked)
	require.Empty(t, log.String())

	got := l.Report(t.Context(), down)
	require.ErrorIs(t, got, down)
	require.ErrorIs(t, got, errcodes.Internal, "as errcodes.Of says")
	require.Equal(t, []error{got}, hooked)
	require.Contains(t, log.String(), "work=tests")
	require.Contains(t, log.String(), "the store is down")
}

// store returns a store with n work items, each due one second after the previous one.
func store(t *testing.T, n int) ports.Work {
	t.Helper()
	s, err := memory.New(nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	tx := ports.Transaction{
		ID: "t", Owner: "o", Direction: errcodes.Payin, Status: ports.TransactionPending, CreatedAt: noon,
	}
	change := ports.TransactionChange{Transaction: tx}
	for i := range n {
		change.Work = append(change.Work, ports.WorkItem{
			ID: string(rune('a' + i)), Kind: "k", DueAt: noon.Add(time.Duration(i) * time.Second), Payload: []byte{byte(i)},
		})
	}
	require.NoError(t, s.Transactions().Save(t.Context(), change))
	return s.Work()
}

func TestDrainProcessesDueWork(t *testing.T) {
	l := background.New(config(portstest.NewClock(noon)))
	damaged, down := errcodes.New(errcodes.CorruptRecord, ""), errcodes.New(errcodes.StorageUnavailable, "")
	answers := []struct {
		done bool
		err  error
	}{{true, nil}, {false, nil}, {false, down}, {true, down}, {true, damaged}, {false, damaged}, {true, nil}}
	work := store(t, len(answers))
	did := []byte{}
	d := background.Drain{
		Work: work, Kind: "k", Lease: time.Minute, Retry: 5 * time.Second,
		Do: func(_ context.Context, payload []byte, _ time.Time) (bool, error) {
			did = append(did, payload[0])
			return answers[payload[0]].done, answers[payload[0]].err
		},
	}
	err := l.Drain(t.Context(), d, noon.Add(5*time.Second))
	require.Equal(t, []byte{0, 1, 2, 3, 4, 5}, did, "item 6 is not due")
	require.ErrorIs(t, err, errcodes.StorageUnavailable)
	require.ErrorIs(t, err, errcodes.CorruptRecord)

	did = nil
	require.NoError(t, l.Drain(t.Context(), d, noon.Add(10*time.Second-time.Millisecond)))
	require.Equal(t, []byte{6}, did)
	did = nil
	require.ErrorIs(t, l.Drain(t.Context(), d, noon.Add(10*time.Second)), errcodes.StorageUnavailable)
	slices.Sort(did)
	require.Equal(t, []byte{1, 2}, did, "what was not done, after Retry; what is done or damaged is gone")
}

func TestDrainReadsPageAfterPageUntilStop(t *testing.T) {
	l := background.New(config(portstest.NewClock(noon)))
	did := 0
	d := background.Drain{
		Work: store(t, 250), Kind: "k", Lease: time.Minute, Retry: time.Second,
		Do: func(context.Context, []byte, time.Time) (bool, error) {
			did++
			return true, nil
		},
	}
	require.NoError(t, l.Drain(t.Context(), d, noon.Add(220*time.Second)))
	require.Equal(t, 221, did)
	require.NoError(t, l.Stop(t.Context()))
	d.Work, did = store(t, 250), 0
	require.NoError(t, l.Drain(t.Context(), d, noon.Add(time.Hour)))
	require.Equal(t, 100, did, "one page")
}

func TestDrainReleasesItsItemsWhenTheContextEnds(t *testing.T) {
	l := background.New(config(portstest.NewClock(noon)))
	work, did := store(t, 5), 0
	ctx, cancel := context.WithCancel(t.Context())
	d := background.Drain{
		Work: work, Kind: "k", Lease: time.Minute, Retry: 5 * time.Second,
		Do: func(ctx context.Context, _ []byte, _ time.Time) (bool, error) {
			if did++; did == 2 {
				cancel()
			}
			return did == 1, ctx.Err()
		},
	}
	now := noon.Add(10 * time.Second)
	require.ErrorIs(t, l.Drain(ctx, d, now), context.Canceled)
	require.Equal(t, 2, did)
	free := func(at time.Time) int {
		items, err := work.Claim(t.Context(), "k", at, time.Minute, 10)
		require.NoError(t, err)
		return len(items)
	}
	require.Equal(t, 3, free(now), "those that were not begun")
	require.Equal(t, 1, free(now.Add(d.Retry)), "the interrupted one")
}

// stolen is work whose items are claimed by another process before they are done.
type stolen struct {
	ports.Work

	claim error
}

func (stolen) Done(context.Context, ports.WorkItem) error { return errcodes.New(errcodes.Conflict, "") }
func (s stolen) Claim(context.Context, string, time.Time, time.Duration, int) ([]ports.WorkItem, error) {
	return []ports.WorkItem{{ID: "a"}}, s.claim
}

func TestDrainOfAnItemClaimedByAnotherIsNotAFailure(t *testing.T) {
	l := background.New(config(portstest.NewClock(noon)))
	did := 0
	d := background.Drain{Work: stolen{}, Do: func(context.Context, []byte, time.Time) (bool, error) {
		did++
		return true, nil
	}}
	require.NoError(t, l.Drain(t.Context(), d, noon))
	d.Work = stolen{claim: errcodes.New(errcodes.OutcomeUnknown, "")}
	require.ErrorIs(t, l.Drain(t.Context(), d, noon), errcodes.OutcomeUnknown)
	assert.Equal(t, 1, did, "items beside an error are ignored")
}
