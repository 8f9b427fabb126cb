package ratelock_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

func TestAFullPairNeedsNoPrice(t *testing.T) {
	r := newRig(t)
	r.create()
	second, _ := r.create()
	asked := r.feed.Asked()
	r.feed.Fail(errors.New("the bank is on fire"))
	l, minted := r.create()
	require.False(t, minted)
	require.Equal(t, second.ID, l.ID)
	require.Equal(t, asked, r.feed.Asked())
	_, err := r.locks.Cancel(t.Context(), "shop", second.ID)
	require.NoError(t, err)
	_, _, err = r.locks.Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.PriceUnavailable)
}

func TestAnUnusablePriceIsPriceUnavailable(t *testing.T) {
	at := func(age time.Duration) func(*rig) {
		return func(r *rig) { r.feed.SetAt(usdzar, "18.25", noon.Add(-age)) }
	}
	mid := func(text string) func(*rig) { return func(r *rig) { r.feed.Set(usdzar, text) } }
	for _, c := range []struct {
		name  string
		spoil func(r *rig)
		cause string
	}{
		{"a price older than the limit", at(ratelock.DefaultMaxPriceAge + time.Millisecond), "the price is 96h0m0.001s old, the limit is 96h0m0s"},
		{"a price from the future", at(-ratelock.DefaultMaxClockLead - time.Millisecond), "the price is 10m0.001s ahead of the clock, the limit is 10m0s"},
		{"a mid of zero", mid("0"), "the feed's mid is not a rate"},
		{"a negative mid", mid("-18.25"), "the feed's mid is not a rate"},
		{"NaN", mid("NaN"), "the feed's mid is not a rate"},
		{"an exponent", mid("1.8e1"), "the feed's mid is not a rate"},
		{"an error without a code", func(r *rig) { r.feed.Fail(errors.New("<html>502</html>")) }, "502"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			c.spoil(r)
			_, _, err := r.locks.Create(t.Context(), "shop", usdzar)
			require.ErrorIs(t, err, errcodes.PriceUnavailable)
			require.ErrorContains(t, err, c.cause)
			require.NotContains(t, errcodes.MessageOf(err), "502")
			require.Empty(t, r.events())
		})
	}
}

func TestAPriceOfExactlyTheHighestAgeIsLive(t *testing.T) {
	r := newRig(t)
	r.feed.SetAt(usdzar, "18.25", noon.Add(-ratelock.DefaultMaxPriceAge))
	_, minted := r.create()
	require.True(t, minted)
}

// astray returns the price of another pair.
type astray struct{ ports.PriceFeed }

func (a astray) Mid(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	p, err := a.PriceFeed.Mid(ctx, pair)
	p.Pair = pair.Inverse()
	return p, err
}

// unreadFeed is a feed that was never read.
type unreadFeed struct{ ports.PriceFeed }

func (unreadFeed) Pairs(context.Context) (ports.PairSet, error) {
	return ports.PairSet{}, errcodes.New(errcodes.PriceUnavailable, "")
}

func (unreadFeed) Mid(context.Context, ports.Pair) (ports.Price, error) {
	return ports.Price{}, errcodes.New(errcodes.PriceUnavailable, "")
}

func TestThePriceOfAnotherPairIsPriceUnavailable(t *testing.T) {
	r := newRig(t)
	locks, err := ratelock.New(ratelock.Ports{Locks: r.store.RateLocks(), Feed: astray{r.feed}}, plain, &ratelock.Config{Clock: r.clock})
	require.NoError(t, err)
	_, _, err = locks.Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.PriceUnavailable)
	require.ErrorContains(t, err, "another pair")
	require.Empty(t, r.events())
}

func TestAFeedThatWasNeverReadIsPriceUnavailable(t *testing.T) {
	r := newRig(t)
	locks, err := ratelock.New(ratelock.Ports{Locks: r.store.RateLocks(), Feed: unreadFeed{r.feed}}, plain, &ratelock.Config{Clock: r.clock})
	require.NoError(t, err)
	_, _, err = locks.Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.PriceUnavailable, "not 422: the pairs on offer are unknown")
	r.create()
	second, _ := r.create()
	l, minted, err := locks.Create(t.Context(), "shop", usdzar)
	require.NoError(t, err, "a full pair needs no feed")
	require.False(t, minted)
	require.Equal(t, second.ID, l.ID)
}

func TestAFeedThatHangsOrPanicsIsPriceUnavailable(t *testing.T) {
	r := newRig(t)
	release := r.feed.Hold()
	defer release()
	locks, err := ratelock.New(ratelock.Ports{Locks: r.store.RateLocks(), Feed: r.feed}, plain, &ratelock.Config{Clock: r.clock, PriceTimeout: time.Millisecond})
	require.NoError(t, err)
	_, _, err = locks.Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.PriceUnavailable)
	var log bytes.Buffer
	locks, err = ratelock.New(ratelock.Ports{Locks: r.store.RateLocks(), Feed: panicky{r.feed}}, plain, &ratelock.Config{Clock: r.clock, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	for range 2 {
		_, _, err = locks.Create(t.Context(), "shop", usdzar)
		require.ErrorIs(t, err, errcodes.PriceUnavailable)
	}
	require.Contains(t, log.String(), "panicky.Mid", "where it was")
	locks, err = ratelock.New(ratelock.Ports{Locks: r.store.RateLocks(), Feed: worse{r.feed}}, plain, &ratelock.Config{Clock: r.clock, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	require.ErrorIs(t, locks.Drift(t.Context(), r.clock.Now()), errcodes.PriceUnavailable)
	require.Contains(t, log.String(), "worse.Pairs", "where it was")
	log.Reset()
	release()
	_, minted, err := locks.Create(t.Context(), "shop", usdzar)
	require.NoError(t, err, "a panic of Pairs is ignored if there is a price")
	require.True(t, minted)
	require.Contains(t, log.String(), "worse.Pairs", "where it was")
	require.NotContains(t, log.String(), "0123456789")
}

// mute is a feed whose Pairs never answers.
type mute struct{ ports.PriceFeed }

func (mute) Pairs(ctx context.Context) (ports.PairSet, error) {
	<-ctx.Done()
	return ports.PairSet{}, ctx.Err()
}

func TestAFeedThatHangsDoesNotBlockATick(t *testing.T) {
	synctest.Test(t, aFeedThatHangsDoesNotBlockATick)
}

func aFeedThatHangsDoesNotBlockATick(t *testing.T) {
	r := newRig(t)
	var reported error
	hooks := ratelock.Hooks{Background: func(_ context.Context, err error) { reported = err }}
	locks, err := ratelock.New(ratelock.Ports{Locks: r.store.RateLocks(), Feed: mute{r.feed}}, plain, &ratelock.Config{Clock: r.clock, Hooks: hooks, PriceTimeout: time.Millisecond})
	require.NoError(t, err)
	require.ErrorIs(t, locks.Drift(t.Context(), r.clock.Now()), context.DeadlineExceeded)
	require.ErrorIs(t, reported, context.DeadlineExceeded)

	keeper, err := ratelock.NewKeeper(locks, ratelock.Kept{Owner: "shop", Pair: usdzar, Lead: lead})
	require.NoError(t, err)
	patient, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err = keeper.Tick(patient, r.clock.Now())
	require.NoError(t, patient.Err(), "the tick ends by its own timeout")
	require.NoError(t, err)
	require.Equal(t, []string{ratelock.EventMinted}, r.kinds())
}

type panicky struct{ ports.PriceFeed }

func (panicky) Mid(context.Context, ports.Pair) (ports.Price, error) { panic("account 0123456789") }

type worse struct{ ports.PriceFeed }

func (worse) Pairs(context.Context) (ports.PairSet, error) { panic("account 0123456789") }
