package webhook_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/relay"
	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

type tester interface {
	rapid.TB
	Context() context.Context
}

// stored returns a new store with events, in order.
func stored(tb tester, events ...ports.Event) *memory.Store {
	store, err := memory.New(nil)
	require.NoError(tb, err)
	key := ports.BookKey{Owner: "acme", Pair: ports.Pair{Base: "USD", Quote: "ZAR"}}
	require.NoError(tb, store.RateLocks().Save(tb.Context(), ports.RateLockChange{Book: ports.Book{Key: key}, Events: events}))
	return store
}

// unreliable returns the drawn answers in order, and then accepts all events.
type unreliable struct {
	mu      sync.Mutex
	secrets []webhook.Secret
	clock   ports.Clock
	faults  []int
	kept    []ports.Event
	bodies  map[string]string
	bad     string
}

// The faults. After lost the receiver has the event, but the sender gets no answer.
const (
	fine = iota
	refusing
	busy
	lost
	redirecting
	faults
)

func (u *unreliable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	fault := fine
	if len(u.faults) > 0 {
		fault, u.faults = u.faults[0], u.faults[1:]
	}
	receiver, err := webhook.NewReceiver(u.secrets, &webhook.ReceiverConfig{Clock: u.clock})
	if err != nil {
		u.bad = err.Error()
		return
	}
	m, err := receiver.Receive(r)
	if err != nil {
		u.bad = err.Error()
		return
	}
	e, err := m.Event()
	if had, again := u.bodies[e.ID]; err != nil || again && had != string(m.Body) {
		u.bad = fmt.Sprint("another body: ", err)
	}
	u.bodies[e.ID] = string(m.Body)
	switch fault {
	case refusing:
		w.WriteHeader(http.StatusInternalServerError)
	case busy:
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
	case redirecting:
		http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
	case lost:
		u.kept = append(u.kept, e)
		panic(http.ErrAbortHandler)
	default:
		u.kept = append(u.kept, e)
	}
}

func TestEventsOfAKeyArriveInOrderDespiteFaults(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		keys := rapid.SliceOfN(rapid.IntRange(0, 2), 1, 12).Draw(rt, "keys")
		var events []ports.Event
		for i, key := range keys {
			events = append(events, event(fmt.Sprintf("event-%02d", i), fmt.Sprint("lock-", key)))
		}
		clock := portstest.NewClock(noon)
		u := &unreliable{
			secrets: secretsOf(1), clock: clock, bodies: map[string]string{},
			faults: rapid.SliceOfN(rapid.IntRange(0, faults-1), 0, 40).Draw(rt, "faults"),
		}
		server := httptest.NewServer(u)
		defer server.Close()
		sink, err := webhook.New(server.URL, secretsOf(1), private(clock))
		require.NoError(rt, err)
		store := stored(rt, events...)
		r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: sink}, relay.Policy{}, &relay.Config{Clock: clock})
		require.NoError(rt, err)
		for range 60 {
			err = r.Tick(rt.Context(), clock.Now())
			require.NoError(rt, err)
			clock.Advance(relay.DefaultLongestPause)
		}
		require.NoError(rt, sink.Close())
		require.NoError(rt, store.Close())

		u.mu.Lock()
		defer u.mu.Unlock()
		require.Empty(rt, u.bad)
		require.Len(rt, u.bodies, len(events), "all events arrive")
		last := map[string]string{}
		for _, e := range u.kept {
			key := events[index(e.ID)].Key
			require.GreaterOrEqual(rt, e.ID, last[key], "in order, except for repeats")
			last[key] = e.ID
		}
	})
}

func index(id string) (i int) {
	_, _ = fmt.Sscanf(id, "event-%d", &i)
	return i
}

func TestTheRelayWaitsAsLongAsTheReceiverAsks(t *testing.T) {
	for name, header := range map[string]string{"seconds": "3600", "a date": noon.Add(time.Hour).Format(http.TimeFormat)} {
		for _, code := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
			t.Run(fmt.Sprint(name, " with ", code), func(t *testing.T) {
				s, clock := &shop{}, portstest.NewClock(noon)
				s.answers(status(code, "Retry-After", header))
				tick := ticking(t, s, clock, event("event-1", "lock-1"))
				tick(1)
				s.answers(nil)
				clock.Advance(time.Hour - time.Millisecond)
				tick(1)
				clock.Advance(time.Millisecond)
				tick(2)
				clock.Advance(time.Hour)
				tick(2)
			})
		}
	}
}

func TestAnUndeliverableEventDoesNotBlockTheNext(t *testing.T) {
	s, clock := &shop{}, portstest.NewClock(noon)
	broken := event("event-1", "lock-1")
	broken.Data = []byte("not JSON")
	tick := ticking(t, s, clock, broken, event("event-2", "lock-1"))
	tick(1)
	require.Equal(t, "event-2", s.received()[0].header.Get(webhook.HeaderID))
}

// ticking returns a func that ticks a relay to the shop, and checks the total number of
// requests.
func ticking(t *testing.T, s *shop, clock ports.Clock, events ...ports.Event) func(requests int) {
	t.Helper()
	store := stored(t, events...)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: serve(t, s, private(clock))}, relay.Policy{}, &relay.Config{Clock: clock})
	require.NoError(t, err)
	return func(requests int) {
		t.Helper()
		err := r.Tick(t.Context(), clock.Now())
		require.NoError(t, err)
		require.Len(t, s.received(), requests)
	}
}
