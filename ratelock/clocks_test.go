package ratelock_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ratelock"
)

func TestAProcessWithACorrectClockDoesNotMintAfterAWrongOne(t *testing.T) {
	r := newRig(t)
	var behind time.Duration
	r.hooks.ClockBehind = func(_ context.Context, _ ports.BookKey, lead time.Duration) { behind = lead }
	ahead := portstest.NewClock(noon.Add(time.Hour))
	sane, wrong := r.service(r.store.RateLocks(), r.clock, plain), r.service(r.store.RateLocks(), ahead, plain)
	early, _, err := wrong.Create(t.Context(), "shop", usdzar)
	require.NoError(t, err)
	_, _, err = sane.Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.ClockBehind)
	require.Equal(t, time.Hour, behind)
	_, _, err = wrong.Create(t.Context(), "shop", usdzar)
	require.NoError(t, err)
	_, minted, err := sane.Create(t.Context(), "shop", usdzar)
	require.NoError(t, err, "a full pair needs no correct clock")
	require.False(t, minted)
	got, err := sane.Get(t.Context(), "shop", early.ID)
	require.NoError(t, err)
	require.Equal(t, ports.LockActive, got.Status)
	r.clock.Set(noon.Add(2*time.Hour + time.Second))
	l, minted, err := sane.Create(t.Context(), "shop", usdzar)
	require.NoError(t, err, "the clock has caught up")
	require.True(t, minted)
	require.Equal(t, r.clock.Now(), l.CreatedAt)
}

func TestARejectedMintStoresTheExpiryItFound(t *testing.T) {
	r := newRig(t)
	early, _ := r.create()
	late := portstest.NewClock(early.ExpiresAt)
	book, err := r.store.RateLocks().Book(t.Context(), early.Book())
	require.NoError(t, err)
	book.HighWater = early.ExpiresAt.Add(time.Hour)
	require.NoError(t, r.store.RateLocks().Save(t.Context(), ports.RateLockChange{Book: book}))
	_, _, err = r.service(r.store.RateLocks(), late, plain).Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.ClockBehind)
	stored, _, err := r.store.RateLocks().Lock(t.Context(), "shop", early.ID)
	require.NoError(t, err)
	require.Equal(t, ports.LockExpired, stored.Status)
}

func TestASmallLeadIsFollowed(t *testing.T) {
	r := newRig(t)
	r.create()
	r.clock.Advance(-ratelock.DefaultMaxClockLead)
	l, minted := r.create()
	require.True(t, minted)
	require.Equal(t, noon.Add(time.Millisecond), l.CreatedAt)
}

// stamped sets the time of prices.
type stamped struct {
	ports.PriceFeed
	at time.Time
}

func (o stamped) Mid(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	p, err := o.PriceFeed.Mid(ctx, pair)
	p.At = o.at
	return p, err
}

func TestEveryTimeIsInWholeMilliseconds(t *testing.T) {
	r := newRig(t)
	fine := noon.Add(1234567 * time.Nanosecond).In(time.FixedZone("Lagos", 3600))
	r.clock.Set(fine)
	locks, err := ratelock.New(ratelock.Ports{Locks: r.store.RateLocks(), Feed: stamped{r.feed, fine}}, plain, &ratelock.Config{Clock: r.clock})
	require.NoError(t, err)
	l, _, err := locks.Create(t.Context(), "shop", usdzar)
	require.NoError(t, err)
	for _, at := range []time.Time{l.CreatedAt, l.ExpiresAt, l.MidAt, l.AsOf} {
		require.Equal(t, at.UTC().Truncate(time.Millisecond), at)
	}
	r.clock.Set(l.ExpiresAt.Add(time.Minute))
	r.get(l.ID)
	events := r.events()
	require.Equal(t, l.CreatedAt, events[0].At)
	require.Equal(t, l.ExpiresAt.Add(time.Minute), events[1].At, "when it was decided")
}
