package ratelock_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

// back shows each of its times once, and then the last for ever.
type back struct {
	ports.Clock
	times []time.Time
}

func (b *back) Now() time.Time {
	now := b.times[0]
	if len(b.times) > 1 {
		b.times = b.times[1:]
	}
	return now
}

// I9: what was over when a book decided stays so, although the clock went back
// before that was written down.
func TestCurrentWritesDownWhatItDecided(t *testing.T) {
	r := newRig(t)
	first, _ := r.create()
	r.clock.Advance(30 * time.Minute)
	second, _ := r.create()
	clock := &back{Clock: r.clock, times: []time.Time{first.ExpiresAt, second.CreatedAt}}
	s, err := ratelock.New(ratelock.Ports{Locks: r.store.RateLocks(), Feed: r.feed}, plain, &ratelock.Config{Clock: clock})
	require.NoError(t, err)
	l, _, err := s.Current(t.Context(), "shop", usdzar, 0)
	require.NoError(t, err)
	require.Equal(t, second.ID, l.ID)
	require.Equal(t, first.ExpiresAt, l.AsOf)
	require.Equal(t, ports.LockExpired, r.get(first.ID).Status)
}
