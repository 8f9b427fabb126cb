package relay_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/relay"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// sink records events, or fails as its script says.
type sink struct {
	mu   sync.Mutex
	fail map[string][]error // by event id, one per delivery
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

// stored returns a new store whose outbox contains events, in order.
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
	r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: s}, relay.Policy{}, &relay.Config{Clock: clock})
	require.NoError(t, err)
	tick := func(want int) {
		t.Helper()
		n, err := r.Drain(t.Context())
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

func TestAnUndeliverableEventIsBuriedAndCanBeReplayed(t *testing.T) {
	for _, c := range []struct {
		name     string
		errs     []error
		attempts int
	}{
		{"the receiver rejects the event", []error{errcodes.New(errcodes.InvalidRequest, "")}, 50},
		{"attempts are used up", []error{errors.New("x"), errors.New("x")}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := stored(t, event("a1", "a"), event("a2", "a"))
			s := &sink{fail: map[string][]error{"a1": c.errs}}
			clock := portstest.NewClock(noon)
			r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: s}, relay.Policy{Attempts: c.attempts}, &relay.Config{Clock: clock})
			require.NoError(t, err)
			for range 3 {
				err = r.Tick(t.Context(), time.Time{})
				require.NoError(t, err)
				clock.Advance(time.Hour)
			}
			require.Equal(t, []string{"a2"}, s.got, "the next event of the key is delivered")
			n, err := store.DeadLetters().Replay(t.Context(), clock.Now(), storemodel.AuditRow)
			require.NoError(t, err)
			require.Equal(t, 1, n)
			err = r.Tick(t.Context(), time.Time{})
			require.NoError(t, err)
			require.Equal(t, []string{"a2", "a1"}, s.got)
		})
	}
}

func TestTheReceiverMayChooseThePause(t *testing.T) {
	store := stored(t, event("a1", "a"))
	s := &sink{fail: map[string][]error{"a1": {errcodes.New(errcodes.TooManyRequests, "").WithRetryAfter(time.Hour)}}}
	clock := portstest.NewClock(noon)
	r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: s}, relay.Policy{}, &relay.Config{Clock: clock})
	require.NoError(t, err)
	for _, step := range []struct {
		wait time.Duration
		got  int
	}{{0, 0}, {time.Hour - time.Millisecond, 0}, {time.Millisecond, 1}} {
		clock.Advance(step.wait)
		err := r.Tick(t.Context(), time.Time{})
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
		r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: s}, relay.Policy{}, &relay.Config{Batch: 7})
		require.NoError(t, err)
		wg.Go(func() {
			if err := r.Tick(t.Context(), time.Time{}); err != nil {
				t.Errorf("tick: %v", err)
			}
		})
	}
	wg.Wait()
	r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: s}, relay.Policy{}, nil)
	require.NoError(t, err)
	err = r.Tick(t.Context(), time.Time{})
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

func TestRunDrainsTheOutboxUntilItsContextEnds(t *testing.T) {
	store := stored(t, event("a1", "a"), event("a2", "a"))
	s := &sink{}
	clock := portstest.NewClock(noon)
	r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: s}, relay.Policy{}, &relay.Config{Clock: clock, Every: time.Minute})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	pausing := func(want ...string) {
		t.Helper()
		require.Eventually(t, func() bool { return clock.Waiters() == 1 }, time.Minute, time.Millisecond, "Run waits for its next tick")
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

// Stop lets the delivery in progress end and starts no other: other relays can claim
// the rest at once.
func TestStop(t *testing.T) {
	store := stored(t, one(5)...)
	clock := portstest.NewClock(noon)
	s, begun, end := &sink{}, make(chan struct{}), make(chan struct{})
	r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: sinkFunc(func(ctx context.Context, e ports.Event) error {
		close(begun)
		<-end
		return s.Deliver(ctx, e)
	})}, relay.Policy{}, &relay.Config{Clock: clock})
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- r.Run(t.Context()) }()
	<-begun
	late, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, r.Stop(late), errcodes.Canceled, "a delivery is in progress")
	close(end)
	require.NoError(t, r.Stop(t.Context()))
	require.NoError(t, <-done)
	require.Equal(t, []string{"e0"}, s.delivered())
	require.NoError(t, r.Tick(t.Context(), noon))
	require.NoError(t, r.Run(t.Context()))
	require.Equal(t, []string{"e0"}, s.delivered(), "nothing after Stop")

	other, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: s}, relay.Policy{}, &relay.Config{Clock: clock})
	require.NoError(t, err)
	require.NoError(t, other.Tick(t.Context(), noon))
	require.Len(t, s.delivered(), 5)
}

// Run does not pause while events arrive, even if one of them must be tried again.
func TestRunTicksAgainImmediatelyAfterADelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := stored(t, one(5)...)
		s := &sink{fail: map[string][]error{"e0": {errDown}}}
		r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: s}, relay.Policy{FirstPause: time.Minute}, &relay.Config{Batch: 2, Every: time.Minute})
		require.NoError(t, err)
		done := make(chan error, 1)
		go func() { done <- r.Run(t.Context()) }()
		synctest.Wait()
		require.Equal(t, []string{"e1", "e2", "e3", "e4"}, s.delivered())
		require.NoError(t, r.Stop(t.Context()))
		require.NoError(t, <-done)
	})
}

func TestNewRejectsBadValues(t *testing.T) {
	good := relay.Ports{Outbox: stored(t).Outbox(), Sink: &sink{}}
	for want, c := range map[string]struct {
		ports  relay.Ports
		policy relay.Policy
		config relay.Config
	}{
		"Batch is 1001, want 1 to 1000":                          {good, relay.Policy{}, relay.Config{Batch: 1001}},
		"Batch is -1, want 1 to 1000":                            {good, relay.Policy{}, relay.Config{Batch: -1}},
		"Attempts is -1, want at least 1":                        {good, relay.Policy{Attempts: -1}, relay.Config{}},
		"FirstPause is -1ns, want at least 1ns":                  {good, relay.Policy{FirstPause: -1}, relay.Config{}},
		"LongestPause is 59m59.999999999s, want at least 1h0m0s": {good, relay.Policy{FirstPause: time.Hour, LongestPause: time.Hour - 1}, relay.Config{}},
		"Lease is 1.999999ms, want at least 2ms":                 {good, relay.Policy{}, relay.Config{Lease: 2*time.Millisecond - 1}},
		"Every is -1ns, want at least 1ns":                       {good, relay.Policy{}, relay.Config{Every: -1}},
		"Ports.Outbox is required":                               {relay.Ports{Sink: &sink{}}, relay.Policy{}, relay.Config{}},
		"Ports.Sink is required":                                 {relay.Ports{Outbox: good.Outbox, Sink: (*sink)(nil)}, relay.Policy{}, relay.Config{}},
	} {
		_, err := relay.New(c.ports, c.policy, &c.config)
		require.ErrorIs(t, err, errcodes.Configuration)
		require.Equal(t, want, errcodes.MessageOf(err))
	}
	_, err := relay.New(good, relay.Policy{Attempts: 1, FirstPause: time.Hour, LongestPause: time.Hour},
		&relay.Config{Batch: 1000, Lease: 2 * time.Millisecond, Every: 1})
	require.NoError(t, err)
}

func ExampleNew() {
	store, err := memory.New(nil)
	if err != nil {
		panic(err)
	}
	r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: &sink{}}, relay.Policy{}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Tick(context.Background(), time.Now()))
	// Output: <nil>
}
