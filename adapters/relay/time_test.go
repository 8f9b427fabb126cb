package relay_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/relay"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

type sinkFunc func(context.Context, ports.Event) error

func (f sinkFunc) Deliver(ctx context.Context, e ports.Event) error { return f(ctx, e) }

var errDown = errcodes.New(errcodes.Unavailable, "")

// one returns n events, each with a key of its own.
func one(n int) []ports.Event {
	var events []ports.Event
	for i := range n {
		events = append(events, event(fmt.Sprintf("e%d", i), fmt.Sprintf("k%d", i)))
	}
	return events
}

func TestASlowReceiverDoesNotOutliveTheLease(t *testing.T) {
	store := stored(t, append(one(100), event("second", "k99"))...)
	clock := portstest.NewClock(noon)
	var got []string
	other, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: sinkFunc(func(_ context.Context, e ports.Event) error {
		got = append(got, e.ID)
		return nil
	})}, relay.Policy{}, &relay.Config{Clock: clock})
	require.NoError(t, err)
	slow, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: sinkFunc(func(ctx context.Context, e ports.Event) error {
		clock.Advance(time.Second)
		if err := other.Tick(ctx, time.Time{}); err != nil {
			return err
		}
		got = append(got, e.ID)
		return nil
	})}, relay.Policy{}, &relay.Config{Clock: clock})
	require.NoError(t, err)

	n, err := slow.Drain(t.Context())
	require.NoError(t, err)
	require.Equal(t, 30, n, "half of the lease is reserved for the last delivery")
	clock.Advance(relay.DefaultLease/2 - 1)
	err = other.Tick(t.Context(), time.Time{})
	require.NoError(t, err)
	require.Len(t, got, 30, "the others are still leased")
	clock.Advance(1)
	err = slow.Tick(t.Context(), time.Time{})
	require.NoError(t, err)
	err = other.Tick(t.Context(), time.Time{})
	require.NoError(t, err)

	count := map[string]int{}
	for _, id := range got {
		count[id]++
	}
	require.Len(t, count, 101)
	require.Len(t, got, 101, "no event came twice")
}

func TestEachBatchHasAWholeLease(t *testing.T) {
	store := stored(t, one(4)...)
	clock := portstest.NewClock(noon)
	r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: sinkFunc(func(ctx context.Context, e ports.Event) error {
		clock.Advance(relay.DefaultLease - time.Millisecond)
		claimed, err := store.Outbox().Claim(ctx, clock.Now(), time.Minute, 10)
		for _, c := range claimed {
			require.NotEqual(t, e.ID, c.ID, "an event is claimable during its delivery")
			require.NoError(t, store.Outbox().Retry(ctx, c, noon))
		}
		return err
	})}, relay.Policy{}, &relay.Config{Clock: clock, Batch: 1})
	require.NoError(t, err)
	n, err := r.Drain(t.Context())
	require.NoError(t, err)
	require.Equal(t, 4, n)
}

func TestAPauseStartsAtTheFailure(t *testing.T) {
	const timeout = 30 * time.Second
	store := stored(t, one(2)...)
	clock := portstest.NewClock(noon)
	var tried []string
	failed := map[string]time.Time{}
	r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: sinkFunc(func(_ context.Context, e ports.Event) error {
		if last, ok := failed[e.ID]; ok {
			require.GreaterOrEqual(t, clock.Now().Sub(last), time.Minute<<(e.Attempt-2), e.ID)
		}
		clock.Advance(timeout)
		tried, failed[e.ID] = append(tried, e.ID), clock.Now()
		return errDown
	})}, relay.Policy{FirstPause: time.Minute}, &relay.Config{Clock: clock, Lease: 5 * time.Minute})
	require.NoError(t, err)
	for range 4 {
		err = r.Tick(t.Context(), time.Time{})
		require.NoError(t, err)
	}
	require.Equal(t, []string{"e0", "e1"}, tried)
	clock.Set(failed["e0"].Add(time.Minute))
	err = r.Tick(t.Context(), time.Time{})
	require.NoError(t, err)
	require.Equal(t, []string{"e0", "e1", "e0"}, tried)
}

func TestATickTriesNoEventTwice(t *testing.T) {
	store := stored(t, one(5)...)
	clock := portstest.NewClock(noon)
	tries := map[string]int{}
	r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: sinkFunc(func(_ context.Context, e ports.Event) error {
		tries[e.ID]++
		clock.Advance(10 * time.Second) // the pause of the one before is over
		return errDown
	})}, relay.Policy{}, &relay.Config{Clock: clock, Batch: 2})
	require.NoError(t, err)
	for tick := 1; tick <= 6; tick++ {
		before := len(tries)
		err = r.Tick(t.Context(), time.Time{})
		require.NoError(t, err)
		for id, n := range tries {
			require.LessOrEqual(t, n, tick, id)
		}
		require.LessOrEqual(t, len(tries), before+2, "one batch")
	}
}

func TestPausesDoubleUpToTheLongest(t *testing.T) {
	store := stored(t, event("a", "a"))
	clock := portstest.NewClock(noon)
	var at []time.Time
	r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: sinkFunc(func(context.Context, ports.Event) error {
		at = append(at, clock.Now())
		return errDown
	})}, relay.Policy{FirstPause: 3 * time.Second, LongestPause: 10 * time.Second, Attempts: 100}, &relay.Config{Clock: clock})
	require.NoError(t, err)
	for range 80 * 10 {
		err = r.Tick(t.Context(), time.Time{})
		require.NoError(t, err)
		clock.Advance(time.Second)
	}
	require.Greater(t, len(at), 70, "also when doubling would overflow")
	require.Equal(t, 3*time.Second, at[1].Sub(at[0]))
	require.Equal(t, 6*time.Second, at[2].Sub(at[1]))
	for i := 3; i < len(at); i++ {
		require.Equal(t, 10*time.Second, at[i].Sub(at[i-1]), i)
	}
}

// A claim counts as an attempt: deliveries that time out must not use up the attempts
// of other events.
func TestAHangingReceiverUsesNoAttemptsOfOtherEvents(t *testing.T) {
	usesNoAttemptsOfOthers(t, func(clock *portstest.Clock, _ int) { clock.Advance(30 * time.Second) })
}

// usesNoAttemptsOfOthers makes deliveries fail, each after a time set by take.
func usesNoAttemptsOfOthers(t *testing.T, take func(clock *portstest.Clock, nth int)) {
	t.Helper()
	store := stored(t, one(20)...)
	clock := portstest.NewClock(noon)
	tries, deliveries := map[string]int{}, 0
	r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: sinkFunc(func(_ context.Context, e ports.Event) error {
		tries[e.ID]++
		require.LessOrEqual(t, e.Attempt, tries[e.ID]+1, e.ID)
		deliveries++
		take(clock, deliveries)
		return errDown
	})}, relay.Policy{}, &relay.Config{Clock: clock})
	require.NoError(t, err)
	for range 300 {
		err = r.Tick(t.Context(), time.Time{})
		require.NoError(t, err)
		clock.Advance(relay.DefaultEvery)
	}
	require.Len(t, tries, 20, "each had its turn")
}

// A batch ends when its clock is set back: by that clock its lease would last longer
// than by others. Untried events are claimable by every relay at once.
func TestABatchEndsWhenTheClockIsSetBack(t *testing.T) {
	for name, alone := range map[string]bool{"one relay": true, "two relays": false} {
		t.Run(name, func(t *testing.T) {
			store := stored(t, one(100)...)
			here, there := portstest.NewClock(noon), portstest.NewClock(noon)
			flying, got := "", map[string]int{}
			other, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: sinkFunc(func(_ context.Context, e ports.Event) error {
				require.NotEqual(t, flying, e.ID, "an event is delivered twice at once")
				got[e.ID]++
				return nil
			})}, relay.Policy{}, &relay.Config{Clock: there})
			require.NoError(t, err)
			slow, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: sinkFunc(func(ctx context.Context, e ports.Event) error {
				if len(got) == 0 {
					here.Advance(-time.Hour)
				}
				got[e.ID]++
				flying = e.ID
				here.Advance(20 * time.Second)
				there.Advance(20 * time.Second)
				if !alone {
					err := other.Tick(ctx, time.Time{})
					require.NoError(t, err)
				}
				flying = ""
				return nil
			})}, relay.Policy{}, &relay.Config{Clock: here})
			require.NoError(t, err)
			err = slow.Tick(t.Context(), time.Time{})
			require.NoError(t, err)
			rest := other
			if alone {
				rest = slow
			}
			for len(got) < 100 && here.Now().Before(noon) {
				err = rest.Tick(t.Context(), time.Time{})
				require.NoError(t, err)
				here.Advance(relay.DefaultEvery)
			}
			require.Len(t, got, 100)
			for id, times := range got {
				require.Equal(t, 1, times, id)
			}
		})
	}
}

// A clock that is set back does not measure the receiver's speed: deliveries that time
// out use up no attempts of other events.
func TestAClockThatIsSetBackUsesNoAttemptsOfOtherEvents(t *testing.T) {
	usesNoAttemptsOfOthers(t, func(clock *portstest.Clock, nth int) {
		clock.Advance(30 * time.Second)
		if nth%3 == 0 {
			clock.Advance(-time.Minute)
		}
	})
}

// A slow and a fast relay share an outbox while deliveries fail: deliveries of an event
// do not overlap or repeat, keys keep their order, and FirstPause passes after each
// failure.
func TestDeliveryProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var events []ports.Event
		for i := range rapid.IntRange(1, 30).Draw(rt, "events") {
			events = append(events, event(fmt.Sprintf("e%02d", i), fmt.Sprintf("k%d", rapid.IntRange(0, 9).Draw(rt, "key"))))
		}
		w := &world{clock: portstest.NewClock(noon), flying: map[string]bool{}, done: map[string]bool{}, failed: map[string]time.Time{}, last: map[string]string{}}
		cfg := &relay.Config{Clock: w.clock, Batch: rapid.IntRange(1, 12).Draw(rt, "batch")}
		outbox := stored(t, events...).Outbox()
		fast, err := relay.New(relay.Ports{Outbox: outbox, Sink: w.sink(rt, nil)}, relay.Policy{Attempts: 1 << 20}, cfg)
		require.NoError(rt, err)
		slow, err := relay.New(relay.Ports{Outbox: outbox, Sink: w.sink(rt, func(ctx context.Context) {
			w.clock.Advance(time.Duration(rapid.IntRange(0, 29_999).Draw(rt, "ms")) * time.Millisecond)
			if rapid.Bool().Draw(rt, "meanwhile") {
				w.tick(ctx, rt, fast)
			}
		})}, relay.Policy{Attempts: 1 << 20}, cfg)
		require.NoError(rt, err)
		for i := 0; len(w.done) < len(events); i++ {
			if w.healed = i > 20; i > 200 {
				rt.Fatalf("%d of %d were delivered", len(w.done), len(events))
			}
			w.tick(t.Context(), rt, slow)
			w.clock.Advance(relay.DefaultEvery)
		}
	})
}

type world struct {
	clock  *portstest.Clock
	healed bool
	flying map[string]bool
	done   map[string]bool
	failed map[string]time.Time
	last   map[string]string // by key, the last delivered event
	tried  map[string]bool   // in this tick
}

func (w *world) tick(ctx context.Context, t *rapid.T, r *relay.Relay) {
	outer := w.tried
	w.tried = map[string]bool{}
	err := r.Tick(ctx, time.Time{})
	require.NoError(t, err)
	w.tried = outer
}

func (w *world) sink(t *rapid.T, meanwhile func(context.Context)) sinkFunc {
	return func(ctx context.Context, e ports.Event) error {
		require.False(t, w.flying[e.ID], "%s is being delivered", e.ID)
		require.False(t, w.done[e.ID], "%s was delivered", e.ID)
		require.False(t, w.tried[e.ID], "%s was tried in this tick", e.ID)
		if at, ok := w.failed[e.ID]; ok {
			require.GreaterOrEqual(t, w.clock.Now().Sub(at), relay.DefaultFirstPause, e.ID)
		}
		w.flying[e.ID], w.tried[e.ID] = true, true
		if meanwhile != nil {
			meanwhile(ctx)
		}
		delete(w.flying, e.ID)
		if !w.healed && rapid.IntRange(0, 3).Draw(t, "fails") == 0 {
			w.failed[e.ID] = w.clock.Now()
			return errDown
		}
		require.Less(t, w.last[e.Key], e.ID, "order within a key")
		w.done[e.ID], w.last[e.Key] = true, e.ID
		return nil
	}
}
