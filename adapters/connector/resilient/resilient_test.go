package resilient_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/connector/resilient"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// script is a connector that does what the test sets.
type script struct {
	caps  []ports.Capability
	calls atomic.Int64
	mu    sync.Mutex
	do    func(ctx context.Context) (ports.Answer, error)
}

func (s *script) Name() string                     { return "script" }
func (s *script) Capabilities() []ports.Capability { return s.caps }

func (s *script) Lookup(ctx context.Context, _ ports.AccountLookup) (ports.Answer, error) {
	s.calls.Add(1)
	s.mu.Lock()
	do := s.do
	s.mu.Unlock()
	return do(ctx)
}

func (s *script) says(do func(ctx context.Context) (ports.Answer, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.do = do
}

// ending returns a lookup with the outcome.
func ending(o ports.Outcome) func(context.Context) (ports.Answer, error) {
	errs := map[string]error{
		"refused": errcodes.Configuration, "unreachable": errcodes.Unavailable, "malformed": errcodes.MalformedAnswer,
		"timeout": context.DeadlineExceeded, "cancelled": context.Canceled,
	}
	return func(context.Context) (ports.Answer, error) {
		if err, ok := errs[string(o)]; ok {
			return ports.Answer{}, err
		}
		return ports.Answer{Kind: o}, nil
	}
}

func open(tb testing.TB, s *script, cfg *resilient.Config) *resilient.Connector {
	tb.Helper()
	c, err := resilient.New(s, cfg)
	require.NoError(tb, err)
	return c
}

func ask(tb testing.TB, c *resilient.Connector) (ports.Answer, error) {
	tb.Helper()
	return c.Lookup(tb.Context(), ports.AccountLookup{})
}

// small is a breaker that opens after two failures, without a retry.
var small = resilient.Config{MinCalls: 2, NoRetry: true, OpenFor: time.Minute, Window: time.Hour}

func TestEachRowOfTheAnswerTable(t *testing.T) {
	for _, row := range ports.OutcomeRules() {
		t.Run(string(row.Outcome), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{do: ending(row.Outcome)}
				first := open(t, s, nil)
				got, err := ask(t, first)
				want, wantErr := ending(row.Outcome)(t.Context())
				assert.Equal(t, want, got)
				assert.Equal(t, wantErr, err)
				assert.Equal(t, row.Retry, s.calls.Load() == 2, "%d calls", s.calls.Load())

				c := open(t, s, &small)
				for range 2 {
					_, _ = ask(t, c)
				}
				assert.Equal(t, row.Failure, c.State() == resilient.Open, c.State())

				// Two failures open the breaker, unless a success or nothing came
				// between.
				c = open(t, s, &resilient.Config{MinCalls: 3, FailurePercent: 70, NoRetry: true})
				for _, o := range []ports.Outcome{ports.OutcomeMalformed, row.Outcome, ports.OutcomeMalformed} {
					s.says(ending(o))
					_, _ = ask(t, c)
				}
				assert.Equal(t, row.Failure, c.State() == resilient.Open, c.State())
			})
		})
	}
}

func TestTheProbeDecidesTheNextState(t *testing.T) {
	for _, row := range ports.OutcomeRules() {
		t.Run(string(row.Outcome), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{do: ending(ports.OutcomeMalformed)}
				c := open(t, s, &small)
				trip(t, c)
				time.Sleep(time.Minute) //nolint:forbidigo // sleeping in a bubble takes no time
				s.says(ending(row.Outcome))
				_, _ = ask(t, c)
				want := map[[2]bool]resilient.State{
					{true, false}: resilient.Closed, {false, true}: resilient.Open, {false, false}: resilient.HalfOpen,
				}[[2]bool{row.Success, row.Failure}]
				require.Equal(t, want, c.State())
				if row.Success || row.Failure {
					return
				}
				s.says(ending(ports.OutcomeFound))
				a, err := ask(t, c)
				require.NoError(t, err)
				assert.Equal(t, ports.OutcomeFound, a.Kind, "the next lookup is a probe")
				assert.Equal(t, resilient.Closed, c.State())
			})
		})
	}
}

// trip opens a small breaker.
func trip(tb testing.TB, c *resilient.Connector) {
	tb.Helper()
	for range 2 {
		_, _ = ask(tb, c)
	}
	require.Equal(tb, resilient.Open, c.State())
}

func TestAnOpenBreakerReturnsTheRemainingTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: ending(ports.OutcomeMalformed)}
		c := open(t, s, &small)
		trip(t, c)
		time.Sleep(20 * time.Second) //nolint:forbidigo // sleeping in a bubble takes no time
		a, err := ask(t, c)
		require.NoError(t, err)
		assert.Equal(t, ports.Answer{Kind: ports.OutcomeTryLater, After: 40 * time.Second}, a)
		assert.EqualValues(t, 2, s.calls.Load(), "the provider is not called")
	})
}

func TestThereIsOneProbeAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: ending(ports.OutcomeMalformed)}
		c := open(t, s, &small)
		trip(t, c)
		time.Sleep(time.Minute) //nolint:forbidigo // sleeping in a bubble takes no time
		release := make(chan struct{})
		s.says(func(ctx context.Context) (ports.Answer, error) {
			<-release
			return ending(ports.OutcomeFound)(ctx)
		})
		s.calls.Store(0)
		var found, later atomic.Int64
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				a, err := c.Lookup(t.Context(), ports.AccountLookup{})
				assert.NoError(t, err)
				if a.Kind == ports.OutcomeFound {
					found.Add(1)
				} else {
					assert.Equal(t, ports.OutcomeTryLater, a.Kind)
					later.Add(1)
				}
			})
		}
		synctest.Wait()
		assert.EqualValues(t, 19, later.Load())
		close(release)
		wg.Wait()
		assert.EqualValues(t, 1, found.Load())
		assert.EqualValues(t, 1, s.calls.Load())
		assert.Equal(t, resilient.Closed, c.State())
	})
}

// A lookup that began before the breaker opened does not count as the probe.
func TestALateResultIsNotTheProbe(t *testing.T) {
	for _, o := range []ports.Outcome{ports.OutcomeFound, ports.OutcomeMalformed, ports.OutcomeCancelled} {
		t.Run(string(o), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				s := &script{do: func(ctx context.Context) (ports.Answer, error) {
					<-release
					return ending(o)(ctx)
				}}
				c := open(t, s, &small)
				var wg sync.WaitGroup
				wg.Go(func() { _, _ = c.Lookup(t.Context(), ports.AccountLookup{}) })
				synctest.Wait()
				s.says(ending(ports.OutcomeMalformed))
				trip(t, c)
				time.Sleep(time.Minute) //nolint:forbidigo // sleeping in a bubble takes no time
				probe := make(chan struct{})
				s.says(func(ctx context.Context) (ports.Answer, error) {
					<-probe
					return ending(ports.OutcomeFound)(ctx)
				})
				wg.Go(func() { _, _ = c.Lookup(t.Context(), ports.AccountLookup{}) })
				synctest.Wait()
				require.Equal(t, resilient.HalfOpen, c.State())
				close(release)
				synctest.Wait()
				assert.Equal(t, resilient.HalfOpen, c.State())
				calls := s.calls.Load()
				_, _ = ask(t, c)
				assert.Equal(t, calls, s.calls.Load(), "no second probe")
				close(probe)
				wg.Wait()
				assert.Equal(t, resilient.Closed, c.State())
			})
		})
	}
}

func TestOldFailuresLeaveTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: ending(ports.OutcomeMalformed)}
		c := open(t, s, &resilient.Config{MinCalls: 2, NoRetry: true, Window: time.Minute})
		for range 5 {
			_, _ = ask(t, c)
			time.Sleep(2 * time.Minute) //nolint:forbidigo // sleeping in a bubble takes no time
		}
		assert.Equal(t, resilient.Closed, c.State())
	})
}

// setBack is a clock that can be set back.
type setBack struct {
	ports.Clock

	by atomic.Int64
}

func (c *setBack) Now() time.Time { return c.Clock.Now().Round(0).Add(-time.Duration(c.by.Load())) }

// After the clock was set back, the window has neither old failures nor old successes
// that would hide new failures.
func TestOldResultsLeaveTheWindowWhenTheClockIsSetBack(t *testing.T) {
	for _, back := range []time.Duration{time.Second, resilient.DefaultWindow, 2 * time.Minute, time.Hour} {
		for _, before := range []struct {
			many    int
			outcome ports.Outcome
		}{{4, ports.OutcomeMalformed}, {100, ports.OutcomeNotFound}} {
			t.Run(fmt.Sprintf("%s after %d times %s", back, before.many, before.outcome), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, clock := &script{do: ending(before.outcome)}, &setBack{Clock: ports.SystemClock()}
					c := open(t, s, &resilient.Config{NoRetry: true})
					resilient.Clocked(c, clock)
					for range before.many {
						_, _ = ask(t, c)
					}
					clock.by.Store(int64(back))
					time.Sleep(2 * resilient.DefaultWindow) //nolint:forbidigo // sleeping in a bubble takes no time
					s.says(ending(ports.OutcomeMalformed))
					for range resilient.DefaultMinCalls - 1 {
						_, _ = ask(t, c)
					}
					assert.Equal(t, resilient.Closed, c.State())
					_, _ = ask(t, c)
					assert.Equal(t, resilient.Open, c.State())
				})
			})
		}
	}
}

// Setting the clock back by a few seconds does not empty the window. Setting it back by
// any time does not change the pause of an open breaker.
func TestASmallCorrectionOfTheClockChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, clock := &script{do: ending(ports.OutcomeMalformed)}, &setBack{Clock: ports.SystemClock()}
		var heard []resilient.StateChange
		c := open(t, s, &resilient.Config{NoRetry: true, OnStateChange: func(_ context.Context, to resilient.StateChange) { heard = append(heard, to) }})
		resilient.Clocked(c, clock)
		for i := range resilient.DefaultMinCalls {
			assert.Equal(t, resilient.Closed, c.State())
			clock.by.Store(int64(i) * int64(time.Second))
			_, _ = ask(t, c)
		}
		assert.Equal(t, resilient.Open, c.State())
		clock.by.Store(int64(time.Hour))
		_, _ = ask(t, c)
		assert.Equal(t, resilient.Open, c.State())
		assert.EqualValues(t, resilient.DefaultMinCalls, s.calls.Load())
		assert.Equal(t, []resilient.StateChange{{Connector: "script", From: resilient.Closed, To: resilient.Open}}, heard)
	})
}

func TestRetry(t *testing.T) {
	down := func(context.Context) (ports.Answer, error) {
		return ports.Answer{}, errcodes.New(errcodes.Unavailable, "")
	}
	for name, c := range map[string]struct {
		cfg   resilient.Config
		bills bool
		limit time.Duration
		took  time.Duration
		calls int64
	}{
		"once":                                   {calls: 2},
		"not if NoRetry is set":                  {cfg: resilient.Config{NoRetry: true}, calls: 1},
		"not if failures are billed":             {bills: true, calls: 1},
		"not if the breaker has opened":          {cfg: resilient.Config{MinCalls: 1}, calls: 1},
		"if the deadline is far":                 {limit: time.Second, calls: 2},
		"not if the deadline is near":            {limit: 100 * time.Millisecond, calls: 1},
		"not if the first try took too long":     {limit: time.Second, took: 450 * time.Millisecond, calls: 1},
		"if the first try left just enough time": {limit: time.Second, took: 449 * time.Millisecond, calls: 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{caps: []ports.Capability{{BillsFailures: c.bills}}, do: func(ctx context.Context) (ports.Answer, error) {
					time.Sleep(c.took) //nolint:forbidigo // sleeping in a bubble takes no time
					return down(ctx)
				}}
				ctx := t.Context()
				if c.limit > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.limit)
					defer cancel()
				}
				start := time.Now()
				_, err := open(t, s, &c.cfg).Lookup(ctx, ports.AccountLookup{})
				assert.Equal(t, errcodes.Unavailable, errcodes.Of(err))
				assert.Equal(t, c.calls, s.calls.Load())
				waits := time.Duration(c.calls-1) * resilient.DefaultRetryDelay
				assert.Equal(t, waits+time.Duration(c.calls)*c.took, time.Since(start), "the duration is that of the tries and waits")
			})
		})
	}
}

func TestTheSecondTryIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{}
		s.do = func(ctx context.Context) (ports.Answer, error) {
			if s.calls.Load() == 1 {
				return ports.Answer{}, errcodes.Unavailable
			}
			return ending(ports.OutcomeFound)(ctx)
		}
		start := time.Now()
		a, err := ask(t, open(t, s, nil))
		require.NoError(t, err)
		assert.Equal(t, ports.OutcomeFound, a.Kind)
		assert.Equal(t, resilient.DefaultRetryDelay, time.Since(start))
	})
}

func TestTheBreakerOpensDuringTheWaitForTheRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: ending(ports.OutcomeUnreachable)}
		c := open(t, s, &resilient.Config{MinCalls: 3})
		ended := make(chan error, 1)
		go func() {
			_, err := c.Lookup(t.Context(), ports.AccountLookup{})
			ended <- err
		}()
		synctest.Wait() // the first lookup waits for its retry
		s.says(ending(ports.OutcomeMalformed))
		_, _ = ask(t, c)
		_, _ = ask(t, c)
		require.Equal(t, resilient.Open, c.State())
		assert.Equal(t, errcodes.Unavailable, <-ended, "the provider's error, not the breaker's answer")
		assert.EqualValues(t, 3, s.calls.Load())
	})
}

func TestACallerThatLeavesIsNotAFailure(t *testing.T) {
	for name, err := range map[string]error{
		"with the context's error":     context.Canceled,
		"with the connector's own":     errcodes.New(errcodes.Unavailable, ""),
		"with an error without a code": errors.New("use of closed connection"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{do: func(ctx context.Context) (ports.Answer, error) {
					<-ctx.Done()
					return ports.Answer{}, err
				}}
				c := open(t, s, &small)
				for range 10 {
					ctx, cancel := context.WithCancel(t.Context())
					time.AfterFunc(time.Second, cancel)
					_, _ = c.Lookup(ctx, ports.AccountLookup{})
				}
				assert.Equal(t, resilient.Closed, c.State())
				assert.EqualValues(t, 10, s.calls.Load())
			})
		})
	}
}

// A caller with its own clock cannot set a deadline: it cancels the context, with a
// cause that says that the provider was too slow.
func TestATimeoutIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: func(ctx context.Context) (ports.Answer, error) {
			<-ctx.Done()
			return ports.Answer{}, ctx.Err()
		}}
		c := open(t, s, &small)
		for range 10 {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(context.DeadlineExceeded) })
			_, _ = c.Lookup(ctx, ports.AccountLookup{})
		}
		assert.Equal(t, resilient.Open, c.State())
		assert.Less(t, s.calls.Load(), int64(10))
	})
}

func TestADoneContextMakesNoCall(t *testing.T) {
	s := &script{do: ending(ports.OutcomeFound)}
	c := open(t, s, &small)
	ctx, cancel := context.WithTimeout(t.Context(), -time.Second)
	defer cancel()
	for range 10 {
		_, err := c.Lookup(ctx, ports.AccountLookup{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
	assert.Zero(t, s.calls.Load())
	assert.Equal(t, resilient.Closed, c.State())
}

func TestTheContextEndsTheWaitForTheRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: ending(ports.OutcomeUnreachable)}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(resilient.DefaultRetryDelay/2, cancel)
		_, err := open(t, s, nil).Lookup(ctx, ports.AccountLookup{})
		require.ErrorIs(t, err, context.Canceled)
		assert.EqualValues(t, 1, s.calls.Load())
	})
}

func TestAPanicIsAFailureAndIsPassedOn(t *testing.T) {
	s := &script{do: func(context.Context) (ports.Answer, error) { panic("broken") }}
	c := open(t, s, &resilient.Config{MinCalls: 2, MaxConcurrent: 1})
	for range 2 {
		assert.Panics(t, func() { _, _ = ask(t, c) })
	}
	assert.Equal(t, resilient.Open, c.State())
	a, err := ask(t, c)
	require.NoError(t, err)
	assert.Positive(t, a.After, "the panicking lookup is no longer in progress")
}

func TestConcurrentLookupsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const places = 3
		release := make(chan struct{})
		s := &script{do: func(ctx context.Context) (ports.Answer, error) {
			<-release
			return ending(ports.OutcomeFound)(ctx)
		}}
		c := open(t, s, &resilient.Config{MaxConcurrent: places})
		var wg sync.WaitGroup
		for range places {
			wg.Go(func() {
				a, err := c.Lookup(t.Context(), ports.AccountLookup{})
				assert.NoError(t, err)
				assert.Equal(t, ports.OutcomeFound, a.Kind)
			})
		}
		synctest.Wait()
		a, err := ask(t, c)
		require.NoError(t, err)
		assert.Equal(t, ports.Answer{Kind: ports.OutcomeTryLater}, a)
		close(release)
		wg.Wait()
		a, err = ask(t, c)
		require.NoError(t, err)
		assert.Equal(t, ports.OutcomeFound, a.Kind)
	})
}

func TestStateChangesAreReportedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []resilient.StateChange
		cfg := small
		cfg.OnStateChange = func(ctx context.Context, c resilient.StateChange) {
			assert.Equal(t, t.Context(), ctx, "the lookup's context")
			heard = append(heard, c)
		}
		s := &script{do: ending(ports.OutcomeMalformed)}
		c := open(t, s, &cfg)
		trip(t, c)
		for _, o := range []ports.Outcome{ports.OutcomeMalformed, ports.OutcomeUnsupported, ports.OutcomeFound} {
			time.Sleep(time.Minute) //nolint:forbidigo // sleeping in a bubble takes no time
			s.says(ending(o))
			_, _ = ask(t, c)
		}
		change := func(from, to resilient.State) resilient.StateChange {
			return resilient.StateChange{Connector: "script", From: from, To: to}
		}
		assert.Equal(t, []resilient.StateChange{
			change(resilient.Closed, resilient.Open), change(resilient.Open, resilient.HalfOpen),
			change(resilient.HalfOpen, resilient.Open), change(resilient.Open, resilient.HalfOpen),
			change(resilient.HalfOpen, resilient.Closed),
		}, heard)
	})
}

// After any sequence of outcomes, a provider that works again is called again.
func TestTheBreakerAlwaysRecovers(t *testing.T) {
	rows := ports.OutcomeRules()
	rapid.Check(t, func(r *rapid.T) {
		plan := rapid.SliceOfN(rapid.SampledFrom(rows), 0, 30).Draw(r, "outcomes")
		waits := rapid.SliceOfN(rapid.IntRange(0, 90), len(plan), len(plan)).Draw(r, "waits")
		synctest.Test(t, func(t *testing.T) {
			s := &script{}
			c := open(t, s, &small)
			for i, row := range plan {
				s.says(ending(row.Outcome))
				_, _ = ask(t, c)
				time.Sleep(time.Duration(waits[i]) * time.Second) //nolint:forbidigo // sleeping in a bubble takes no time
			}
			time.Sleep(small.OpenFor) //nolint:forbidigo // see above
			s.says(ending(ports.OutcomeFound))
			a, err := ask(t, c)
			require.NoError(t, err)
			require.Equal(t, ports.OutcomeFound, a.Kind)
			require.NotEqual(t, resilient.HalfOpen, c.State())
		})
	})
}

func TestConcurrentUse(t *testing.T) {
	s := &script{}
	s.do = func(ctx context.Context) (ports.Answer, error) {
		rows := ports.OutcomeRules()
		return ending(rows[int(s.calls.Load())%len(rows)].Outcome)(ctx)
	}
	c := open(t, s, &resilient.Config{MinCalls: 3, OpenFor: time.Millisecond, RetryDelay: time.Millisecond, OnStateChange: func(context.Context, resilient.StateChange) {}})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 200 {
				_, _ = c.Lookup(t.Context(), ports.AccountLookup{})
				_ = c.State()
			}
		})
	}
	wg.Wait()
}

func TestNameAndCapabilitiesAreTheInnerOnes(t *testing.T) {
	caps := []ports.Capability{{Market: ports.Market{Country: "ZAF", Type: ports.BankAccount}, ReturnsName: true}}
	c := open(t, &script{caps: caps}, nil)
	assert.Equal(t, "script", c.Name())
	assert.Equal(t, "script", fmt.Sprintf("%+v", c))
	assert.Equal(t, caps, c.Capabilities())
}

func TestNewRejectsBadValues(t *testing.T) {
	_, err := resilient.New((*script)(nil), nil)
	require.ErrorIs(t, err, errcodes.Configuration, "a nil pointer")
	_, err = resilient.New(nil, nil)
	require.Equal(t, errcodes.Configuration, errcodes.Of(err))
	for name, cfg := range map[string]resilient.Config{
		"MinCalls": {MinCalls: -1}, "FailurePercent": {FailurePercent: 101}, "MaxConcurrent": {MaxConcurrent: resilient.MaxMaxConcurrent + 1},
		"Window": {Window: -time.Second}, "OpenFor": {OpenFor: 2 * time.Hour}, "RetryDelay": {RetryDelay: 1},
	} {
		_, err := resilient.New(&script{}, &cfg)
		assert.Equal(t, errcodes.Configuration, errcodes.Of(err), name)
		assert.ErrorContains(t, err, name)
	}
}
