package ratelock_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ratelock"
)

// tick advances the clock by a pause and calls Drift.
func (r *rig) tick(pause time.Duration) {
	r.t.Helper()
	r.clock.Advance(pause)
	require.NoError(r.t, r.locks.Drift(r.t.Context(), r.clock.Now()))
}

// I11. The lock's mid is 18.2500 and its tolerance 200 bps: 17.885 to 18.615.
func TestDriftCancelsWhenConfirmed(t *testing.T) {
	const pause = 2 * time.Second
	for _, c := range []struct {
		name  string
		mids  []string // one for each tick; "" means a dead feed, "stale" an old price
		pause time.Duration
		ends  int // the tick that cancels, from 1; 0 means no tick
	}{
		{"within the tolerance", []string{"18.60", "17.90", "18.25", "18.60"}, pause, 0},
		{"exactly at the tolerance", []string{"18.615", "17.885", "18.615"}, pause, 0},
		{"just beyond, twice", []string{"18.6150001", "18.6150001"}, pause, 2},
		{"below, twice", []string{"17.88", "17.87"}, pause, 2},
		{"the source's time need not change", []string{"18.7", "18.7"}, pause, 2},
		{"one bad tick", []string{"18.25", "99", "18.25", "18.25"}, pause, 0},
		{"single bad ticks", []string{"99", "18.25", "99", "18.25", "99", "18.25"}, pause, 0},
		{"two bad ticks of a jump", []string{"99", "99", "18.25", "18.25"}, pause, 0},
		{"a jump that stays", []string{"21", "21", "21"}, pause, 3},
		{"a third observation of a jump that is too early", []string{"21", "21", "21", "21"}, time.Second, 4},
		{"a jump of exactly ten percent needs two", []string{"20.075", "20.075"}, pause, 2},
		{"a jump that falls back to a drift", []string{"21", "18.7"}, pause, 2},
		{"a dead feed", []string{"", "", "", ""}, pause, 0},
		{"a dead feed between two observations is not an observation", []string{"18.7", "", "18.7"}, pause, 3},
		{"a stale price is not an observation", []string{"18.7", "stale", "stale", "stale"}, pause, 0},
		{"back within, then beyond again", []string{"18.7", "18.3", "18.7", "18.3"}, pause, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			l, _ := r.create()
			r.clock.Advance(10 * time.Minute) // so that it is not a new lock, which every tick lists
			for i, mid := range c.mids {
				switch mid {
				case "":
					r.feed.Fail(errors.New("down"))
				case "stale":
					r.feed.Recover()
					r.feed.SetAt(usdzar, "99", noon.Add(-2*ratelock.DefaultMaxPriceAge))
				default:
					r.feed.Recover()
					r.feed.Set(usdzar, mid)
				}
				r.tick(c.pause)
				want := ports.LockActive
				if c.ends != 0 && i+1 >= c.ends {
					want = ports.LockCancelled
				}
				require.Equal(t, want, r.get(l.ID).Status, "tick %d", i+1)
			}
		})
	}
}

func TestAClockThatJumpsBackDoesNotDelayTheConfirmation(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	r.feed.Set(usdzar, "21")
	for _, pause := range []time.Duration{30 * time.Minute, 2 * time.Second, -20 * time.Minute, time.Second} {
		r.tick(pause)
		require.Equal(t, ports.LockActive, r.get(l.ID).Status)
	}
	r.tick(time.Second)
	require.Equal(t, ports.LockCancelled, r.get(l.ID).Status, "2 s after the jump back")
}

func TestADriftedLockHasTheObservedMidAndTheDeviation(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	r.feed.Set(usdzar, "17.52")
	r.tick(time.Second)
	r.tick(time.Second)
	got := r.get(l.ID)
	require.Equal(t, ports.CancelledMarketDrift, got.CancellationReason)
	require.Equal(t, "17.52", got.ObservedMid)
	require.EqualValues(t, -400, got.DeviationBps)
	events := r.events()
	require.Equal(t, ratelock.EventCancelled, events[1].Kind)
	require.JSONEq(t, fmt.Sprintf(`{"rateLockId":%q,"owner":"shop","base":"USD","quote":"ZAR","midRate":"18.2500","markupBps":150,
		"allInRate":"18.52375","midSource":%q,"midAt":"2026-11-20T12:00:00Z","toleranceBps":200,"createdAt":"2026-11-20T12:00:00Z",
		"expiresAt":"2026-11-20T13:00:00Z","status":"cancelled","cancellationReason":"market_drift","endedAt":"2026-11-20T12:00:02Z",
		"observedMid":"17.52","deviationBps":-400}`, l.ID, l.MidSource), string(events[1].Data))
	_, minted := r.create()
	require.True(t, minted, "the slot is free")
}

func TestDriftUsesEachLocksOwnTolerance(t *testing.T) {
	r := newRig(t)
	calm := plain
	calm.ToleranceBps = 1000
	patient := r.service(r.store.RateLocks(), r.clock, calm)
	tight, _ := r.create()
	loose, _, err := patient.Create(t.Context(), "shop", usdzar)
	require.NoError(t, err)
	r.feed.Set(usdzar, "18.80")
	r.tick(time.Second)
	newcomer, _, err := r.locks.Create(t.Context(), "other", usdzar)
	require.NoError(t, err)
	r.tick(time.Second)
	r.tick(time.Second)
	require.Equal(t, ports.LockCancelled, r.get(tight.ID).Status)
	require.Equal(t, ports.LockActive, r.get(loose.ID).Status)
	n, err := r.locks.Get(t.Context(), "other", newcomer.ID)
	require.NoError(t, err)
	require.Equal(t, ports.LockActive, n.Status, "it was minted at the new mid")
}

func TestDriftFindsLocksMintedWhileTheMidStayedTheSame(t *testing.T) {
	r := newRig(t)
	r.tick(time.Second)
	r.feed.Set(usdzar, "19.00")
	l, _ := r.create()
	r.feed.Set(usdzar, "18.2500")
	r.tick(time.Second)
	r.tick(time.Second)
	require.Equal(t, ports.LockCancelled, r.get(l.ID).Status)
}

// I11 holds for locks of every clock that may mint, even while the mid does not change.
func TestDriftFindsTheNewLocksOfAProcessWhoseClockLags(t *testing.T) {
	for _, c := range []struct {
		lag    time.Duration
		within int // seconds
	}{{50 * time.Second, 2}, {5 * time.Minute, 62}, {ratelock.DefaultMaxClockLead, 62}} {
		for _, minted := range []int{1, 30, 59} { // seconds since the last listing of farOverlap
			t.Run(fmt.Sprintf("%s, after %d s", c.lag, minted), func(t *testing.T) {
				r := newRig(t)
				r.tick(time.Second)
				r.clock.Advance(-time.Hour) // must not delay the next listing of farOverlap
				for range minted {
					r.tick(time.Second)
				}
				lagging := r.service(r.store.RateLocks(), portstest.NewClock(r.clock.Now().Add(-c.lag)), plain)
				r.feed.Set(usdzar, "19.00")
				l, _, err := lagging.Create(t.Context(), "shop", usdzar)
				require.NoError(t, err)
				r.feed.Set(usdzar, "18.2500")
				for range c.within {
					r.tick(time.Second)
				}
				require.Equal(t, ports.LockCancelled, r.get(l.ID).Status)
			})
		}
	}
}

// While the mid does not change, a tick lists the locks of the last minute, and once a
// minute those of the last twelve.
func TestADriftTickListsTheLocksOfTheLastMinutes(t *testing.T) {
	for _, c := range []struct {
		name   string
		age    time.Duration // of a lock at the first tick, which lists all
		pause  time.Duration // until the second tick
		listed int           // locks by the second tick
	}{
		{"a lock of the last minute", 59 * time.Second, time.Second, 1},
		{"an older lock", 61 * time.Second, time.Second, 0},
		{"an older lock, within the minute", 61 * time.Second, 59 * time.Second, 0},
		{"an older lock, after a minute", 61 * time.Second, time.Minute, 1},
		{"an older lock, at the same instant", 61 * time.Second, 0, 0},
		{"an older lock, after the clock went back", 61 * time.Second, -time.Second, 1},
		{"a lock of the last twelve minutes, after a minute", 12*time.Minute - time.Second, time.Minute, 1},
		{"a lock older than twelve minutes, after a minute", 12*time.Minute + time.Second, time.Minute, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			store := &counting{RateLockStore: r.store.RateLocks()}
			r.locks = r.service(store, r.clock, plain)
			r.create()
			r.tick(c.age)
			store.listed = 0
			r.tick(c.pause)
			require.Equal(t, c.listed, store.listed)
		})
	}
}

func TestDriftFindsNewLocksAfterTheClockWentBack(t *testing.T) {
	r := newRig(t)
	r.tick(time.Hour)
	r.clock.Set(noon)
	r.feed.Set(usdzar, "19.00")
	l, _ := r.create()
	r.feed.Set(usdzar, "18.2500")
	r.tick(time.Second)
	r.tick(time.Second)
	require.Equal(t, ports.LockCancelled, r.get(l.ID).Status)
}

func TestZeroToleranceCancelsOnAnyMove(t *testing.T) {
	r := newRig(t)
	strict := plain
	strict.ToleranceBps = 0
	r.locks = r.service(r.store.RateLocks(), r.clock, strict)
	l, _ := r.create()
	r.tick(time.Second)
	r.tick(time.Second)
	require.Equal(t, ports.LockActive, r.get(l.ID).Status, "the mid has not changed")
	r.feed.Set(usdzar, "18.25000001")
	r.tick(time.Second)
	r.tick(time.Second)
	require.Equal(t, ports.LockCancelled, r.get(l.ID).Status)
}

// I8.
func TestCancelAndDriftNeverBothEndALock(t *testing.T) {
	reasons := map[ports.CancellationReason]int{ports.CancelledRequested: 0, ports.CancelledMarketDrift: 0}
	for range 200 {
		r := newRig(t)
		l, _ := r.create()
		r.feed.Set(usdzar, "19")
		r.tick(time.Second)
		var wg sync.WaitGroup
		var cancelled ports.RateLock
		wg.Go(func() {
			if err := r.locks.Drift(context.WithoutCancel(t.Context()), r.clock.Now()); err != nil {
				t.Errorf("drift: %v", err)
			}
		})
		wg.Go(func() {
			var err error
			if cancelled, err = r.locks.Cancel(context.WithoutCancel(t.Context()), "shop", l.ID); err != nil {
				t.Errorf("cancel: %v", err)
			}
		})
		wg.Wait()
		require.Equal(t, cancelled, r.get(l.ID))
		require.Len(t, r.events(), 2, "one end")
		reasons[cancelled.CancellationReason]++
	}
	require.Equal(t, 200, reasons[ports.CancelledRequested]+reasons[ports.CancelledMarketDrift])
}

func TestADriftCancellationThatCouldNotBeStoredIsTriedAgain(t *testing.T) {
	r := newRig(t)
	store := &fickle{RateLockStore: r.store.RateLocks()}
	r.locks = r.service(store, r.clock, plain)
	l, _ := r.create()
	r.feed.Set(usdzar, "18.80")
	r.tick(time.Second)
	store.refuse = true
	r.clock.Advance(time.Second)
	require.ErrorIs(t, r.locks.Drift(t.Context(), r.clock.Now()), errcodes.StorageUnavailable)
	store.refuse = false
	r.tick(time.Second)
	require.Equal(t, ports.LockCancelled, r.get(l.ID).Status)
}

func TestATickThatCannotListLocksIsNotAnObservation(t *testing.T) {
	r := newRig(t)
	store := &fickle{RateLockStore: r.store.RateLocks()}
	r.locks = r.service(store, r.clock, plain)
	l, _ := r.create()
	r.feed.Set(usdzar, "18.80")
	r.tick(time.Second)
	store.hide = true
	r.clock.Advance(time.Second)
	require.ErrorIs(t, r.locks.Drift(t.Context(), r.clock.Now()), errcodes.StorageUnavailable)
	require.Equal(t, ports.LockActive, r.get(l.ID).Status)
	store.hide = false
	r.tick(time.Second)
	require.Equal(t, ports.LockCancelled, r.get(l.ID).Status)
}

func TestALockThatExpiresBeforeItsDriftIsConfirmedIsExpired(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	r.clock.Set(l.ExpiresAt.Add(-time.Second))
	r.feed.Set(usdzar, "18.80")
	r.tick(0)
	r.tick(time.Second)
	require.Equal(t, []string{ratelock.EventMinted, ratelock.EventExpired}, r.kinds())
}

func TestACorruptRecordDoesNotBlockTheOtherLocksOfThePair(t *testing.T) {
	r := newRig(t)
	store := &fickle{RateLockStore: r.store.RateLocks()}
	r.locks = r.service(store, r.clock, plain)
	bad, _, err := r.locks.Create(t.Context(), "damaged", usdzar)
	require.NoError(t, err)
	store.damaged = bad.ID
	good, _ := r.create()
	r.feed.Set(usdzar, "18.80")
	r.tick(time.Second)
	r.tick(time.Second)
	require.Equal(t, ports.LockCancelled, r.get(good.ID).Status)
}

func TestATickDoesNotListTheOldLocksOfPairsWhoseMidIsTheSame(t *testing.T) {
	r := newRig(t)
	store := &counting{RateLockStore: r.store.RateLocks()}
	locks := r.service(store, r.clock, plain)
	moved := ports.Pair{Base: "EUR", Quote: "ZAR"}
	r.feed.Offer(moved, "19.90")
	for i := range 700 {
		_, _, err := locks.Create(t.Context(), fmt.Sprintf("shop-%d", i), usdzar)
		require.NoError(t, err)
	}
	for i := range 7 {
		_, _, err := locks.Create(t.Context(), fmt.Sprintf("shop-%d", i), moved)
		require.NoError(t, err)
	}
	r.clock.Advance(5 * time.Minute)
	require.NoError(t, locks.Drift(t.Context(), r.clock.Now()))
	store.listed = 0
	for range 20 {
		r.clock.Advance(time.Second)
		require.NoError(t, locks.Drift(t.Context(), r.clock.Now()))
	}
	require.Zero(t, store.listed, "locks older than a minute are listed once a minute")
	r.clock.Advance(15 * time.Minute)
	require.NoError(t, locks.Drift(t.Context(), r.clock.Now()))
	store.listed = 0
	r.clock.Advance(15 * time.Minute)
	r.feed.Set(moved, "19.91")
	require.NoError(t, locks.Drift(t.Context(), r.clock.Now()))
	require.Equal(t, 7, store.listed)
}

func TestADriftedLockIsNoLongerChecked(t *testing.T) {
	r := newRig(t)
	store := &counting{RateLockStore: r.store.RateLocks()}
	r.locks = r.service(store, r.clock, plain)
	r.create()
	r.feed.Set(usdzar, "18.80")
	r.tick(time.Second)
	r.tick(time.Second)
	require.Equal(t, []string{ratelock.EventMinted, ratelock.EventCancelled}, r.kinds())
	store.books = 0
	r.tick(time.Second)
	require.Zero(t, store.books, "the mid is the same, and no lock is a suspect")
}
