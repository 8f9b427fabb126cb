package relay_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/relay"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// sink takes events, or fails as the script says.
type sink struct {
	mu   sync.Mutex
	fail map[string][]error // by event id, one a delivery
	got  []string
}

func (s *sink) Deliver(_ context.Context, e ports.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errs := s.fail[e.ID]; len(errs) > 0 {
		s.fail[e.ID] = errs[1:]
		if errs[0] != nil {
			return errs[0]
		}
	}
	s.got = append(s.got, e.ID)
	return nil
}

func (s *sink) delivered() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}

// stored puts events into a fresh outbox, in order.
func stored(t testing.TB, events ...ports.Event) *memory.Store {
	t.Helper()
	store, err := memory.New(nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	save(t, store, "ZAR", events...)
	return store
}

// save stores events, in order, with a new book of USD and quote.
func save(t testing.TB, store *memory.Store, quote string, events ...ports.Event) {
	t.Helper()
	key := ports.BookKey{Owner: "shop", Pair: ports.Pair{Base: "USD", Quote: quote}}
	require.NoError(t, store.RateLocks().Save(t.Context(), ports.RateLockChange{Book: ports.Book{Key: key}, Events: events}))
}

func event(id, key string) ports.Event {
	return ports.Event{ID: id, Kind: "test", Key: key, Owner: "shop", At: noon, Data: []byte(`{}`)}
}

func TestEventsOfAKeyArriveInOrder(t *testing.T) {
	store := stored(t, event("a1", "a"), event("b1", "b"), event("a2", "a"), event("a3", "a"))
	down := errcodes.New(errcodes.Unavailable, "")
	s := &sink{fail: map[string][]error{"a1": {down, down}}}
	clock := portstest.NewClock(noon)
	r, err := relay.New(store.Outbox(), s, &relay.Config{Clock: clock})
	require.NoError(t, err)
	tick := func(want int) {
		t.Helper()
		n, err := r.Tick(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	tick(1)
	require.Equal(t, []string{"b1"}, s.got, "b does not wait for a")
	tick(0)
	clock.Advance(relay.DefaultFirstPause)
	tick(0)
	clock.Advance(relay.DefaultFirstPause)
	tick(0)
	clock.Advance(relay.DefaultFirstPause)
	tick(3)
	require.Equal(t, []string{"b1", "a1", "a2", "a3"}, s.got)
	tick(0)
}

func TestWhatCannotBeDeliveredIsBuriedAndCanBeReplayed(t *testing.T) {
	for _, c := range []struct {
		name     string
		errs     []error
		attempts int
	}{
		{"the receiver says never", []error{errcodes.New(errcodes.InvalidRequest, "")}, 50},
		{"attempts are used up", []error{errors.New("x"), errors.New("x")}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := stored(t, event("a1", "a"), event("a2", "a"))
			s := &sink{fail: map[string][]error{"a1": c.errs}}
			clock := portstest.NewClock(noon)
			r, err := relay.New(store.Outbox(), s, &relay.Config{Clock: clock, Attempts: c.attempts})
			require.NoError(t, err)
			for range 3 {
				_, err = r.Tick(t.Context())
				require.NoError(t, err)
				clock.Advance(time.Hour)
			}
			require.Equal(t, []string{"a2"}, s.got, "the next passes")
			n, err := store.DeadLetters().Replay(t.Context(), clock.Now())
			require.NoError(t, err)
			require.Equal(t, 1, n)
			_, err = r.Tick(t.Context())
			require.NoError(t, err)
			require.Equal(t, []string{"a2", "a1"}, s.got)
		})
	}
}

func TestAReceiverMayAskForPatience(t *testing.T) {
	store := stored(t, event("a1", "a"))
	s := &sink{fail: map[string][]error{"a1": {errcodes.New(errcodes.TooManyRequests, "").WithRetryAfter(time.Hour)}}}
	clock := portstest.NewClock(noon)
	r, err := relay.New(store.Outbox(), s, &relay.Config{Clock: clock})
	require.NoError(t, err)
	for _, step := range []struct {
		wait time.Duration
		got  int
	}{{0, 0}, {time.Hour - time.Millisecond, 0}, {time.Millisecond, 1}} {
		clock.Advance(step.wait)
		_, err := r.Tick(t.Context())
		require.NoError(t, err)
		require.Len(t, s.got, step.got)
	}
}

func TestTwoRelaysDeliverEachEventOnce(t *testing.T) {
	var events []ports.Event
	for i := range 200 {
		events = append(events, event(fmt.Sprintf("e%d", i), fmt.Sprintf("k%d", i%20)))
	}
	store := stored(t, events...)
	s := &sink{}
	var wg sync.WaitGroup
	for range 4 {
		r, err := relay.New(store.Outbox(), s, &relay.Config{Batch: 7})
		require.NoError(t, err)
		wg.Go(func() {
			if _, err := r.Tick(t.Context()); err != nil {
				t.Errorf("tick: %v", err)
			}
		})
	}
	wg.Wait()
	r, err := relay.New(store.Outbox(), s, nil)
	require.NoError(t, err)
	_, err = r.Tick(t.Context())
	require.NoError(t, err)
	require.Len(t, s.got, len(events))
	place := map[string]int{}
	for i, id := range s.got {
		_, twice := place[id]
		require.False(t, twice)
		place[id] = i
	}
	for i := 20; i < len(events); i++ {
		require.Less(t, place[events[i-20].ID], place[events[i].ID], "order within a key")
	}
}

func TestRunDrainsAgainAndAgainUntilItsContextEnds(t *testing.T) {
	store := stored(t, event("a1", "a"), event("a2", "a"))
	s := &sink{}
	clock := portstest.NewClock(noon)
	r, err := relay.New(store.Outbox(), s, &relay.Config{Clock: clock, Every: time.Minute})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	pausing := func(want ...string) {
		t.Helper()
		require.Eventually(t, func() bool { return clock.Waiters() == 1 }, 10*time.Second, time.Millisecond, "Run waits for its next tick")
		require.Equal(t, want, s.delivered())
	}
	pausing("a1", "a2")
	save(t, store, "KES", event("a3", "a"))
	clock.Advance(time.Minute - 1)
	pausing("a1", "a2")
	clock.Advance(1)
	pausing("a1", "a2", "a3")
	save(t, store, "GHS", event("a4", "a"))
	clock.Advance(time.Minute)
	pausing("a1", "a2", "a3", "a4")
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

func TestNewRefusesBadValues(t *testing.T) {
	store := stored(t)
	for name, c := range map[string]*relay.Config{
		"a batch of 1001":   {Batch: 1001},
		"no attempts":       {Attempts: -1},
		"a negative pause":  {FirstPause: -1},
		"a shrinking pause": {FirstPause: time.Hour, LongestPause: time.Minute},
		"a negative lease":  {Lease: -1},
		"a lease of 1 ms":   {Lease: time.Millisecond},
		"a negative tick":   {Every: -1},
	} {
		_, err := relay.New(store.Outbox(), &sink{}, c)
		require.ErrorIs(t, err, errcodes.Configuration, name)
	}
	_, err := relay.New(nil, &sink{}, nil)
	require.ErrorIs(t, err, errcodes.Configuration)
}

func ExampleNew() {
	store, err := memory.New(nil)
	if err != nil {
		panic(err)
	}
	r, err := relay.New(store.Outbox(), &sink{}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Tick(context.Background()))
	// Output: 0 <nil>
}
