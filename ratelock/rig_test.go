package ratelock_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ratelock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a service with a clock, a feed and a store that the test controls.
type rig struct {
	t     testing.TB
	clock *portstest.Clock
	feed  *fake.Feed
	store *memory.Store
	locks *ratelock.Service
	hooks ratelock.Hooks
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{t: t, clock: portstest.NewClock(noon)}
	r.feed = fake.NewFeed(r.clock.Now)
	r.feed.Offer(usdzar, "18.2500")
	store, err := memory.New(nil)
	require.NoError(t, err)
	r.store = store
	r.locks = r.service(store.RateLocks(), r.clock, plain)
	return r
}

func (r *rig) service(store ports.RateLockStore, clock ports.Clock, policy ratelock.Policy) *ratelock.Service {
	r.t.Helper()
	s, err := ratelock.New(ratelock.Ports{Locks: store, Feed: r.feed}, policy, &ratelock.Config{
		Clock: clock, Hooks: r.hooks, PriceTimeout: time.Minute, // of real time, so that a busy machine does not exceed it
	})
	require.NoError(r.t, err)
	return s
}

func (r *rig) create() (ports.RateLock, bool) {
	r.t.Helper()
	l, minted, err := r.locks.Create(r.t.Context(), "shop", usdzar)
	require.NoError(r.t, err)
	return l, minted
}

func (r *rig) get(id string) ports.RateLock {
	r.t.Helper()
	l, err := r.locks.Get(r.t.Context(), "shop", id)
	require.NoError(r.t, err)
	return l
}

// events returns all waiting events, and acknowledges them.
func (r *rig) events() []ports.Event {
	r.t.Helper()
	var all []ports.Event
	for {
		batch, err := r.store.Outbox().Claim(r.t.Context(), r.clock.Now(), time.Minute, 1000)
		require.NoError(r.t, err)
		if len(batch) == 0 {
			return all
		}
		for _, e := range batch {
			require.NoError(r.t, r.store.Outbox().Ack(r.t.Context(), e))
		}
		all = append(all, batch...)
	}
}

func (r *rig) kinds() []string {
	var kinds []string
	for _, e := range r.events() {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

func drawRate(t *rapid.T) string {
	return rapid.StringMatching(`(0|[1-9][0-9]{0,11})(\.[0-9]{1,18})?`).
		Filter(func(text string) bool { return ports.CheckRate(text) == nil }).Draw(t, "rate")
}
