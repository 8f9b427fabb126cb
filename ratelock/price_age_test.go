package ratelock_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

// A price up to its age limit makes locks and cancels them for drift; an older one does
// neither (I11).
func TestTheAgeLimitOfAPrice(t *testing.T) {
	for _, c := range []struct {
		name               string
		declared, set, max time.Duration
	}{
		{"the feed declares nothing", 0, 0, ratelock.DefaultMaxPriceAge},
		{"a feed that pauses for long", 128 * time.Hour, 0, 128 * time.Hour},
		{"a feed of a desk", time.Minute, 0, time.Minute},
		{"a longer limit was set", time.Minute, time.Hour, time.Hour},
		{"a shorter limit was set", 128 * time.Hour, time.Hour, time.Hour},
		{"a limit was set and the feed declares nothing", 0, 200 * time.Hour, 200 * time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			r.feed.MaxAge = c.declared
			locks, err := ratelock.New(ratelock.Ports{Locks: r.store.RateLocks(), Feed: r.feed}, plain,
				&ratelock.Config{Clock: r.clock, MaxPriceAge: c.set, PriceTimeout: time.Minute})
			require.NoError(t, err)
			r.feed.SetAt(usdzar, "18.25", noon.Add(-c.max-time.Millisecond))
			_, _, err = locks.Create(t.Context(), "shop", usdzar)
			require.ErrorIs(t, err, errcodes.PriceUnavailable)
			r.feed.SetAt(usdzar, "18.25", noon.Add(-c.max))
			lock, minted, err := locks.Create(t.Context(), "shop", usdzar)
			require.NoError(t, err)
			require.True(t, minted)

			look := func(age time.Duration) {
				r.feed.SetAt(usdzar, "18.7", r.clock.Now().Add(-age))
				require.NoError(t, locks.Drift(t.Context(), r.clock.Now()))
			}
			for range 3 {
				look(c.max + time.Millisecond)
				require.Equal(t, ports.LockActive, r.get(lock.ID).Status)
			}
			for range 2 {
				look(c.max)
			}
			require.Equal(t, ports.LockCancelled, r.get(lock.ID).Status)
		})
	}
}

// A caller knows when to ask again.
func TestPriceUnavailableSaysWhenToAskAgain(t *testing.T) {
	feedSays := func(wait time.Duration) func(*rig) {
		return func(r *rig) {
			r.feed.Fail(errcodes.New(errcodes.PriceUnavailable, "The desk is closed").WithRetryAfter(wait))
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(r *rig)
		want  time.Duration
	}{
		{"the feed knows", feedSays(90 * time.Second), 90 * time.Second},
		{"the feed does not know", feedSays(0), 30 * time.Second},
		{"the feed says at once", feedSays(time.Millisecond), time.Second},
		{"the feed says next week", feedSays(7 * 24 * time.Hour), time.Hour},
		{"an error with another code", func(r *rig) {
			r.feed.Fail(errcodes.New(errcodes.StorageUnavailable, "").WithRetryAfter(5 * time.Second))
		}, 5 * time.Second},
		{"an error without a code", func(r *rig) { r.feed.Fail(errors.New("502")) }, 30 * time.Second},
		{"a price that is too old", func(r *rig) { r.feed.SetAt(usdzar, "18.25", noon.AddDate(-1, 0, 0)) }, 30 * time.Second},
		{"a price that is ahead of the clock", func(r *rig) {
			r.feed.SetAt(usdzar, "18.25", noon.Add(ratelock.DefaultMaxClockLead+40*time.Second))
		}, 40 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			c.spoil(r)
			_, _, err := r.locks.Create(t.Context(), "shop", usdzar)
			require.ErrorIs(t, err, errcodes.PriceUnavailable)
			require.Equal(t, c.want, errcodes.RetryAfterOf(err))
			_, _, err = r.locks.Current(t.Context(), "shop", usdzar, 0)
			require.Equal(t, c.want, errcodes.RetryAfterOf(err))
		})
	}
	r := newRig(t)
	locks, err := ratelock.New(ratelock.Ports{Locks: r.store.RateLocks(), Feed: unreadFeed{r.feed}}, plain, &ratelock.Config{Clock: r.clock})
	require.NoError(t, err)
	_, _, err = locks.Create(t.Context(), "shop", usdzar)
	require.Equal(t, 30*time.Second, errcodes.RetryAfterOf(err), "a feed that does not know its pairs yet")
	feedSays(0)(r)
	_, _, err = r.locks.Create(t.Context(), "shop", usdzar)
	require.Equal(t, "The desk is closed", errcodes.MessageOf(err), "the feed's own text is kept")
}
