package ratelock_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ratelock"
)

const lead = 20 * time.Minute

func (r *rig) current(left time.Duration) ports.RateLock {
	r.t.Helper()
	l, short, err := r.locks.Current(r.t.Context(), "shop", usdzar, left)
	require.NoError(r.t, err)
	require.Equal(r.t, l.ExpiresAt.Sub(l.AsOf) < left, short)
	return l
}

func TestCurrentOverlapsTheOldLockWithItsReplacement(t *testing.T) {
	r := newRig(t)
	first := r.current(lead)
	require.Equal(t, first.ID, r.current(lead).ID, "one lock for all callers")
	r.clock.Set(first.ExpiresAt.Add(-lead))
	require.Equal(t, first.ID, r.current(lead).ID, "valid for exactly lead")
	r.clock.Advance(time.Millisecond)
	second := r.current(lead)
	require.NotEqual(t, first.ID, second.ID)
	require.Equal(t, ports.LockActive, r.get(first.ID).Status, "the old lock stays active")
	require.Equal(t, second.ID, r.current(lead).ID)
}

func TestConcurrentCallsOfCurrentMintOneReplacement(t *testing.T) {
	r := newRig(t)
	first := r.current(lead)
	r.clock.Set(first.ExpiresAt.Add(-time.Minute))
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			if _, _, err := r.locks.Current(context.WithoutCancel(t.Context()), "shop", usdzar, lead); err != nil {
				t.Errorf("current: %v", err)
			}
		})
	}
	wg.Wait()
	require.Len(t, r.events(), 2, "one replacement")
}

func TestCurrentReturnsTheFreshestLockIfItCannotMintAReplacement(t *testing.T) {
	r := newRig(t)
	first := r.current(lead)
	r.clock.Set(first.ExpiresAt.Add(-time.Minute))
	r.feed.Fail(errors.New("down"))
	require.Equal(t, first.ID, r.current(lead).ID, "no price")
	_, short, err := r.locks.Current(t.Context(), "shop", usdzar, lead)
	require.NoError(t, err)
	require.True(t, short)
	r.feed.Recover()
	second := r.current(lead)
	r.clock.Set(second.ExpiresAt.Add(-time.Second))
	third := r.current(lead)
	r.clock.Set(second.ExpiresAt)
	fourth, _ := r.create()
	r.clock.Set(third.ExpiresAt.Add(-time.Second))
	require.Equal(t, fourth.ID, r.current(lead).ID, "no slot")
	r.clock.Set(fourth.ExpiresAt)
	r.feed.Fail(errors.New("down"))
	_, short, err = r.locks.Current(t.Context(), "shop", usdzar, lead)
	require.ErrorIs(t, err, errcodes.PriceUnavailable)
	require.False(t, short)
}

func TestCurrentStoresTheExpiryItFound(t *testing.T) {
	r := newRig(t)
	first := r.current(lead)
	r.clock.Set(first.ExpiresAt.Add(-time.Minute))
	second := r.current(lead)
	r.clock.Set(first.ExpiresAt)
	require.Equal(t, second.ID, r.current(lead).ID, "the only one left")
	r.clock.Set(second.CreatedAt)
	require.Equal(t, ports.LockExpired, r.get(first.ID).Status, "I9")
}

func TestCurrentRejectsAMinLeftThatNoLockCanHave(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		left time.Duration
		want string
	}{
		{-1, "minLeft: is -1ns, want at least 0"},
		{plain.Validity, "minLeft: is 1h0m0s, want less than the validity of 1h0m0s"},
		{100 * time.Hour, "minLeft: is 100h0m0s, want less than the validity of 1h0m0s"},
	} {
		_, _, err := r.locks.Current(t.Context(), "shop", usdzar, c.left)
		require.ErrorIs(t, err, errcodes.InvalidRequest)
		require.Equal(t, c.want, errcodes.MessageOf(err))
	}
}

func TestUseReturnsTheRateOfAValidLockOnly(t *testing.T) {
	r := newRig(t)
	r.feed.Offer(usdzar.Inverse(), "0.0547945")
	l, _ := r.create()
	rate, err := r.locks.Use(t.Context(), "shop", l.ID, usdzar)
	require.NoError(t, err)
	require.Equal(t, l.ID, rate.LockID())
	require.Equal(t, l.AllInRate, rate.AllIn())
	require.Equal(t, noon, rate.UsedAt())

	_, err = r.locks.Use(t.Context(), "shop", l.ID, usdzar.Inverse())
	require.ErrorIs(t, err, errcodes.RateLockCurrencyMismatch)
	_, err = r.locks.Use(t.Context(), "shop", "rl_none", usdzar)
	require.ErrorIs(t, err, errcodes.RateLockNotFound)

	_, err = r.locks.Cancel(t.Context(), "shop", l.ID)
	require.NoError(t, err)
	_, err = r.locks.Use(t.Context(), "shop", l.ID, usdzar)
	require.ErrorIs(t, err, errcodes.RateLockInvalid)
	var replacement errcodes.ReplacementDetails
	require.NotErrorAs(t, err, &replacement, "no other lock is live")

	next, _ := r.create()
	_, err = r.locks.Use(t.Context(), "shop", l.ID, usdzar)
	require.ErrorAs(t, err, &replacement)
	require.Equal(t, next.ID, replacement.RateLockID)

	r.clock.Set(next.ExpiresAt)
	_, err = r.locks.Use(t.Context(), "shop", next.ID, usdzar)
	require.ErrorIs(t, err, errcodes.RateLockInvalid)
	refund, err := rate.ToQuote(-10_00, ports.RoundHalfUp)
	require.NoError(t, err, "the rate is valid after the lock has ended")
	require.EqualValues(t, -185_24, refund)
	for _, status := range []errcodes.Code{errcodes.RateLockInvalid, errcodes.RateLockNotFound, errcodes.RateLockCurrencyMismatch, errcodes.FXNotEnabled} {
		require.Equal(t, 422, errcodes.Info(status).Status)
	}
}

func TestUseNeedsTerms(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	nobody := r.service(r.store.RateLocks(), r.clock, ratelock.PolicyTable{})
	_, err := nobody.Use(t.Context(), "shop", l.ID, usdzar)
	require.ErrorIs(t, err, errcodes.FXNotEnabled)
}

func TestUseReportsASwappedPairAsAMismatch(t *testing.T) {
	r := newRig(t)
	one := ratelock.PolicyTable{Owners: map[string]ratelock.OwnerPolicy{"shop": {Pairs: map[ports.Pair]ratelock.Terms{usdzar: plain}}}}
	locks := r.service(r.store.RateLocks(), r.clock, one)
	l, _ := r.create()
	_, err := locks.Use(t.Context(), "shop", l.ID, usdzar.Inverse())
	require.ErrorIs(t, err, errcodes.RateLockCurrencyMismatch)
}

func TestAStoppedKeeperDoesNotRun(t *testing.T) {
	r := newRig(t)
	k, err := ratelock.NewKeeper(r.locks, ratelock.Kept{Owner: "shop", Pair: usdzar, Lead: lead})
	require.NoError(t, err)
	require.NoError(t, k.Stop(t.Context()))
	require.NoError(t, k.Run(t.Context()))
	require.Empty(t, r.events())
	require.NoError(t, r.locks.Stop(t.Context()))
	require.NoError(t, k.Tick(t.Context(), r.clock.Now()))
	require.Len(t, r.events(), 1, "all but Run works after Stop")
}

func TestCurrentReturnsALiveLockWhileTheClockIsBehind(t *testing.T) {
	r := newRig(t)
	r.feed.SetAt(usdzar, "18.2500", noon.Add(-2*time.Hour))
	l := r.current(lead)
	r.clock.Set(noon.Add(-time.Hour))
	require.Equal(t, l.ID, r.current(lead).ID, "the book decides at its own time")
	r.clock.Set(l.ExpiresAt.Add(-time.Minute))
	next := r.current(lead)
	_, err := r.locks.Cancel(t.Context(), "shop", next.ID)
	require.NoError(t, err)
	r.clock.Set(noon.Add(-time.Hour))
	require.Equal(t, l.ID, r.current(lead).ID, "in its last minute, since no other can be minted")
	_, err = r.locks.Cancel(t.Context(), "shop", l.ID)
	require.NoError(t, err)
	_, _, err = r.locks.Current(t.Context(), "shop", usdzar, lead)
	require.ErrorIs(t, err, errcodes.ClockBehind)
}

func TestAKeeperMintsReplacementsInAdvance(t *testing.T) {
	r := newRig(t)
	k, err := ratelock.NewKeeper(r.locks, ratelock.Kept{Owner: "shop", Pair: usdzar, Lead: lead})
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, k.Tick(t.Context(), r.clock.Now()))
	}
	require.Len(t, r.events(), 1)
	r.clock.Advance(plain.Validity - lead + time.Second)
	for range 3 {
		require.NoError(t, k.Tick(t.Context(), r.clock.Now()))
	}
	require.Len(t, r.events(), 1, "one replacement")
	asked := r.feed.Asked()
	r.current(lead)
	require.Equal(t, asked, r.feed.Asked(), "Current does not ask the feed")
}

// A Keeper that cannot replace a lock near its expiry reports it.
func TestAKeeperReportsThatItCannotReplace(t *testing.T) {
	r := newRig(t)
	var reported error
	hooks := ratelock.Hooks{Background: func(_ context.Context, err error) { reported = err }}
	locks, err := ratelock.New(ratelock.Ports{Locks: r.store.RateLocks(), Feed: r.feed}, plain, &ratelock.Config{Clock: r.clock, Hooks: hooks})
	require.NoError(t, err)
	k, err := ratelock.NewKeeper(locks, ratelock.Kept{Owner: "shop", Pair: usdzar, Lead: lead})
	require.NoError(t, err)
	require.NoError(t, k.Tick(t.Context(), r.clock.Now()))
	r.feed.Fail(nil)
	require.NoError(t, k.Tick(t.Context(), r.clock.Now()), "nothing is due")
	require.NoError(t, reported)
	r.clock.Advance(plain.Validity - lead + time.Second)
	require.ErrorIs(t, k.Tick(t.Context(), r.clock.Now()), errcodes.PriceUnavailable)
	require.ErrorIs(t, reported, errcodes.PriceUnavailable)
}

func TestAKeepersDefaultLeadIsAnHour(t *testing.T) {
	r := newRig(t)
	day := plain
	day.Validity = 24 * time.Hour
	r.locks = r.service(r.store.RateLocks(), r.clock, day)
	k, err := ratelock.NewKeeper(r.locks, ratelock.Kept{Owner: "shop", Pair: usdzar})
	require.NoError(t, err)
	require.NoError(t, k.Tick(t.Context(), r.clock.Now()))
	r.clock.Advance(23 * time.Hour)
	require.NoError(t, k.Tick(t.Context(), r.clock.Now()))
	require.Len(t, r.events(), 1, "an hour is left")
	r.clock.Advance(time.Millisecond)
	require.NoError(t, k.Tick(t.Context(), r.clock.Now()))
	require.Len(t, r.events(), 1, "the replacement of SPEC 4.2")
}

func TestAKeeperKeepsTheOtherPairsAfterAFailure(t *testing.T) {
	r := newRig(t)
	missing := ports.Pair{Base: "EUR", Quote: "ZAR"}
	k, err := ratelock.NewKeeper(r.locks, ratelock.Kept{Owner: "shop", Pair: missing, Lead: lead}, ratelock.Kept{Owner: "shop", Pair: usdzar, Lead: lead})
	require.NoError(t, err)
	require.ErrorIs(t, k.Tick(t.Context(), r.clock.Now()), errcodes.PairNotOffered)
	require.Len(t, r.events(), 1, "the other pair is kept")
	_, err = ratelock.NewKeeper(r.locks, ratelock.Kept{Owner: "shop", Pair: usdzar, Lead: plain.Validity})
	require.ErrorIs(t, err, errcodes.Configuration)
	nobody := r.service(r.store.RateLocks(), r.clock, ratelock.PolicyTable{})
	_, err = ratelock.NewKeeper(nobody, ratelock.Kept{Owner: "shop", Pair: usdzar, Lead: -1})
	require.ErrorIs(t, err, errcodes.Configuration, "also while the pair has no terms")
	for _, nothing := range []*ratelock.Service{nil, {}} {
		_, err = ratelock.NewKeeper(nothing)
		require.ErrorIs(t, err, errcodes.Configuration)
	}
	_, err = ratelock.NewKeeper(r.locks, ratelock.Kept{Pair: usdzar, Lead: lead})
	require.ErrorIs(t, err, errcodes.Configuration, "no owner")
}

// Faults of the policy, of Random and of the store have codes of their own.
func TestCreateReportsAFaultyPolicyRandomOrStore(t *testing.T) {
	r := newRig(t)
	locks := r.service(r.store.RateLocks(), r.clock, careless{})
	_, _, err := locks.Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.Configuration)
	locks, err = ratelock.New(ratelock.Ports{Locks: r.store.RateLocks(), Feed: r.feed}, plain, &ratelock.Config{Clock: r.clock, Random: strings.NewReader("")})
	require.NoError(t, err)
	_, _, err = locks.Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.Internal)
	require.Empty(t, r.events(), "I13")
	require.NoError(t, r.store.Close())
	_, _, err = r.locks.Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.Closed)
}

// careless is a policy without a method Check.
type careless struct{}

func (careless) Terms(string, ports.Pair) (ratelock.Terms, bool) {
	return ratelock.Terms{Validity: time.Microsecond}, true
}

func TestRunTicksUntilStop(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	k, err := ratelock.NewKeeper(r.locks, ratelock.Kept{Owner: "shop", Pair: usdzar, Lead: lead})
	require.NoError(t, err)
	errs := make(chan error, 2)
	go func() { errs <- r.locks.Run(t.Context()) }()
	go func() { errs <- k.Run(t.Context()) }()
	r.clock.BlockUntil(2)
	r.clock.Set(l.ExpiresAt)
	r.clock.BlockUntil(2)
	require.NoError(t, r.locks.Stop(t.Context()))
	require.NoError(t, <-errs)
	require.NoError(t, k.Stop(t.Context()))
	require.NoError(t, <-errs)
	require.NoError(t, r.locks.Stop(t.Context()), "a second time")
	require.NoError(t, r.locks.Run(t.Context()), "a stopped service does not run")
	got, _, err := r.store.RateLocks().Lock(t.Context(), "shop", l.ID)
	require.NoError(t, err)
	require.Equal(t, ports.LockExpired, got.Status, "the sweep stored it")
}

func TestAKeepersRunTicksAtOnce(t *testing.T) {
	r := newRig(t)
	k, err := ratelock.NewKeeper(r.locks, ratelock.Kept{Owner: "shop", Pair: usdzar, Lead: lead})
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- k.Run(t.Context()) }()
	r.clock.BlockUntil(1)
	require.Len(t, r.events(), 1, "before the first pause")
	require.NoError(t, k.Stop(t.Context()))
	require.NoError(t, <-done)
}

func TestStopWaitsForTheTick(t *testing.T) {
	r := newRig(t)
	var observed atomic.Int64
	r.hooks.Observed = func(context.Context, ports.Pair, error) { observed.Add(1) }
	r.locks = r.service(r.store.RateLocks(), r.clock, plain)
	release := r.feed.Hold()
	done, closed := make(chan error, 1), make(chan error, 1)
	go func() { done <- r.locks.Run(t.Context()) }()
	r.feed.WaitAsked(1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, r.locks.Stop(ended), context.Canceled, "a tick is under way")
	go func() { closed <- r.locks.Stop(t.Context()) }()
	release()
	require.NoError(t, <-closed)
	require.EqualValues(t, 1, observed.Load(), "the tick had ended")
	require.NoError(t, <-done)
}

func TestRunEndsWithItsContext(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error, 1)
	go func() { errs <- r.locks.Run(ctx) }()
	r.clock.BlockUntil(1)
	cancel()
	require.ErrorIs(t, <-errs, context.Canceled)
}

var _ ports.Clock = (*portstest.Clock)(nil)
