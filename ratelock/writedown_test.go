package ratelock_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

// I9 holds even if the clock goes back before the expiry is stored.
func TestCurrentStoresTheExpiryItDecidedOn(t *testing.T) {
	r := newRig(t)
	first, _ := r.create()
	r.clock.Advance(30 * time.Minute)
	second, _ := r.create()
	clock := &jumpy{Clock: r.clock, times: []time.Time{first.ExpiresAt, second.CreatedAt}}
	s, err := ratelock.New(ratelock.Ports{Locks: r.store.RateLocks(), Feed: r.feed}, plain, &ratelock.Config{Clock: clock})
	require.NoError(t, err)
	l, _, err := s.Current(t.Context(), "shop", usdzar, 0)
	require.NoError(t, err)
	require.Equal(t, second.ID, l.ID)
	require.Equal(t, first.ExpiresAt, l.AsOf)
	require.Equal(t, ports.LockExpired, r.get(first.ID).Status)
}
