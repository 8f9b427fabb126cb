package ratelock_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ratelock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a service with everything around it in the test's hands.
type rig struct {
	t     testing.TB
	clock *portstest.Clock
	feed  *portstest.ScriptedFeed
	store *memory.Store
	locks *ratelock.Service
	hooks ratelock.Hooks
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{t: t, clock: portstest.NewClock(noon)}
	r.feed = portstest.NewScriptedFeed(r.clock.Now)
	r.feed.Offer(usdzar, "18.2500")
	store, err := memory.New(nil)
	require.NoError(t, err)
	r.store = store
	r.locks = r.service(store.RateLocks(), r.clock, plain)
	return r
}

func (r *rig) service(store ports.RateLockStore, clock ports.Clock, policy ratelock.Policy) *ratelock.Service {
	r.t.Helper()
	s, err := ratelock.New(store, r.feed, policy, &ratelock.Config{Clock: clock, Hooks: r.hooks})
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

// events gives the kinds of all events that wait, and takes them out.
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

func TestTheThirdCallGetsTheFreshestAndChangesNothing(t *testing.T) {
	r := newRig(t)
	first, minted := r.create()
	require.True(t, minted)
	require.Equal(t, "18.2500", first.MidRate)
	require.Equal(t, "18.52375", first.AllInRate)
	require.Equal(t, noon, first.CreatedAt)
	require.Equal(t, noon.Add(time.Hour), first.ExpiresAt)
	require.Equal(t, noon, first.AsOf)
	second, minted := r.create()
	require.True(t, minted)
	require.Equal(t, noon.Add(time.Millisecond), second.CreatedAt, "createdAt rises although the clock stands")
	before, err := r.store.RateLocks().Book(t.Context(), first.Book())
	require.NoError(t, err)
	third, minted := r.create()
	require.False(t, minted)
	require.Equal(t, second, third)
	after, err := r.store.RateLocks().Book(t.Context(), first.Book())
	require.NoError(t, err)
	require.Equal(t, before, after, "I3")
	require.Equal(t, []string{ratelock.EventMinted, ratelock.EventMinted}, r.kinds())
}

func TestOwnersAndDirectionsHaveBooksOfTheirOwn(t *testing.T) {
	r := newRig(t)
	r.feed.Offer(usdzar.Inverse(), "0.0547945")
	for _, owner := range []string{"shop", "Shop", "shop "} {
		for _, pair := range []ports.Pair{usdzar, usdzar.Inverse()} {
			for range ports.MaxLiveLocks {
				_, minted, err := r.locks.Create(t.Context(), owner, pair)
				require.NoError(t, err)
				require.True(t, minted)
			}
		}
	}
}

func TestCreateRefusesInOrder(t *testing.T) {
	r := newRig(t)
	usdngn := ports.Pair{Base: "USD", Quote: "NGN"}
	r.feed.Offer(usdngn, "1500.10")
	r.feed.Drop(usdngn)
	some := ratelock.PolicyTable{Owners: map[string]ratelock.OwnerPolicy{"shop": {Default: &plain}}}
	locks := r.service(r.store.RateLocks(), r.clock, some)
	for _, c := range []struct {
		name  string
		owner string
		pair  ports.Pair
		want  errcodes.Code
	}{
		{"lower case", "shop", ports.Pair{Base: "usd", Quote: "ZAR"}, errcodes.InvalidRequest},
		{"no such currency", "shop", ports.Pair{Base: "USD", Quote: "XYZ"}, errcodes.InvalidRequest},
		{"empty", "shop", ports.Pair{}, errcodes.InvalidRequest},
		{"gold is in ISO 4217 and not offered", "shop", ports.Pair{Base: "XAU", Quote: "ZAR"}, errcodes.PairNotOffered},
		{"base is quote", "shop", ports.Pair{Base: "USD", Quote: "USD"}, errcodes.PairNotOffered},
		{"known and not offered", "shop", ports.Pair{Base: "ZAR", Quote: "USD"}, errcodes.PairNotOffered},
		{"not offered comes before not enabled", "stranger", ports.Pair{Base: "ZAR", Quote: "USD"}, errcodes.PairNotOffered},
		{"an owner without terms", "stranger", usdzar, errcodes.FXNotEnabled},
		{"offered without a price", "shop", usdngn, errcodes.PriceUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 2 {
				_, _, err := locks.Create(t.Context(), c.owner, c.pair)
				require.ErrorIs(t, err, c.want, "the same answer twice")
			}
		})
	}
	require.Empty(t, r.events(), "nothing was stored (I13)")
}

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

func TestWhatAFeedShouldNotGive(t *testing.T) {
	for name, spoil := range map[string]func(r *rig){
		"a price older than the limit": func(r *rig) { r.feed.SetAt(usdzar, "18.25", noon.Add(-ratelock.DefaultMaxPriceAge-time.Millisecond)) },
		"a price from the future":      func(r *rig) { r.feed.SetAt(usdzar, "18.25", noon.Add(ratelock.DefaultMaxClockLead+time.Millisecond)) },
		"zero":                         func(r *rig) { r.feed.Set(usdzar, "0") },
		"a negative":                   func(r *rig) { r.feed.Set(usdzar, "-18.25") },
		"NaN":                          func(r *rig) { r.feed.Set(usdzar, "NaN") },
		"an exponent":                  func(r *rig) { r.feed.Set(usdzar, "1.8e1") },
		"an error without a code":      func(r *rig) { r.feed.Fail(errors.New("<html>502</html>")) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			spoil(r)
			_, _, err := r.locks.Create(t.Context(), "shop", usdzar)
			require.ErrorIs(t, err, errcodes.PriceUnavailable)
			require.NotContains(t, errcodes.MessageOf(err), "502")
			require.Empty(t, r.events())
		})
	}
}

func TestExpiryIsForGood(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	r.clock.Set(l.ExpiresAt.Add(-time.Millisecond))
	require.Equal(t, ports.LockActive, r.get(l.ID).Status)
	r.clock.Set(l.ExpiresAt)
	expired := r.get(l.ID)
	require.Equal(t, ports.LockExpired, expired.Status)
	require.Equal(t, l.ExpiresAt, expired.EndedAt)
	r.clock.Set(noon)
	require.Equal(t, expired, r.get(l.ID), "I9: the clock went back, the answer did not")
	cancelled, err := r.locks.Cancel(t.Context(), "shop", l.ID)
	require.NoError(t, err)
	require.Equal(t, expired, cancelled, "I8")
	require.Equal(t, []string{ratelock.EventMinted, ratelock.EventExpired}, r.kinds())
}

func TestAReadOfOneLockWritesDownTheOthersEnd(t *testing.T) {
	r := newRig(t)
	first, _ := r.create()
	r.clock.Advance(time.Minute)
	second, _ := r.create()
	r.clock.Set(first.ExpiresAt)
	require.Equal(t, ports.LockActive, r.get(second.ID).Status)
	r.clock.Set(second.CreatedAt)
	require.Equal(t, ports.LockExpired, r.get(first.ID).Status, "I9: the book had decided past its end")
}

func TestARefusalForWantOfAPriceRestsOnExpiryWrittenDown(t *testing.T) {
	r := newRig(t)
	r.create()
	l, _ := r.create()
	r.clock.Set(l.ExpiresAt)
	r.feed.Fail(errors.New("down"))
	_, _, err := r.locks.Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.PriceUnavailable)
	r.clock.Set(noon)
	require.Equal(t, ports.LockExpired, r.get(l.ID).Status)
}

func TestCancelIsIdempotentAndFreesASlot(t *testing.T) {
	r := newRig(t)
	first, _ := r.create()
	r.create()
	r.clock.Advance(time.Minute)
	want, err := r.locks.Cancel(t.Context(), "shop", first.ID)
	require.NoError(t, err)
	require.Equal(t, ports.LockCancelled, want.Status)
	require.Equal(t, ports.CancelledRequested, want.CancellationReason)
	require.Equal(t, want.EndedAt, noon.Add(time.Minute))
	for range 3 {
		r.clock.Advance(2 * time.Hour)
		again, err := r.locks.Cancel(t.Context(), "shop", first.ID)
		require.NoError(t, err)
		require.Equal(t, want, again)
		require.Equal(t, want, r.get(first.ID), "I4")
	}
	_, minted := r.create()
	require.True(t, minted, "I12")
}

func TestAnothersLockIsNotFound(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	for _, c := range [][2]string{{"other", l.ID}, {"shop", "rl_unknown"}, {"shop", ""}, {"shop", l.ID + " "}, {"", l.ID}} {
		_, err := r.locks.Get(t.Context(), c[0], c[1])
		require.ErrorIs(t, err, errcodes.NotFound)
		_, err = r.locks.Cancel(t.Context(), c[0], c[1])
		require.ErrorIs(t, err, errcodes.NotFound)
		_, err = r.locks.Use(t.Context(), c[0], c[1], usdzar)
		require.ErrorIs(t, err, errcodes.RateLockNotFound)
	}
	require.Equal(t, ports.LockActive, r.get(l.ID).Status)
}

func TestOneWrongClockDoesNotCarryTheOthersIntoItsFuture(t *testing.T) {
	r := newRig(t)
	var behind time.Duration
	r.hooks.ClockBehind = func(_ ports.BookKey, lead time.Duration) { behind = lead }
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
	require.NoError(t, err, "a full pair asks no clock to agree")
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

func TestASmallLeadIsFollowed(t *testing.T) {
	r := newRig(t)
	r.create()
	r.clock.Advance(-ratelock.DefaultMaxClockLead)
	l, minted := r.create()
	require.True(t, minted)
	require.Equal(t, noon.Add(time.Millisecond), l.CreatedAt)
}

func TestRacersMintTwo(t *testing.T) {
	r := newRig(t)
	const racers = 32
	release := r.feed.Hold()
	var wg sync.WaitGroup
	var mu sync.Mutex
	minted, ids := 0, map[string]bool{}
	for range racers {
		wg.Go(func() {
			l, m, err := r.locks.Create(context.WithoutCancel(t.Context()), "shop", usdzar)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Errorf("create: %v", err)
			}
			if m {
				minted++
			}
			ids[l.ID] = true
		})
	}
	r.feed.WaitAsked(1)
	release()
	wg.Wait()
	require.Equal(t, ports.MaxLiveLocks, minted)
	require.LessOrEqual(t, len(ids), ports.MaxLiveLocks)
}

// reads counts the reads of books.
type reads struct {
	ports.RateLockStore
	n atomic.Int64
}

func (r *reads) Book(ctx context.Context, key ports.BookKey) (ports.Book, error) {
	defer r.n.Add(1)
	return r.RateLockStore.Book(ctx, key)
}

func TestRacersOfOneProcessHardlyConflict(t *testing.T) {
	const pairs, racers = 10, 32
	r := newRig(t)
	var conflicts atomic.Int64
	r.hooks.Conflict = func(ports.BookKey) { conflicts.Add(1) }
	store := &reads{RateLockStore: r.store.RateLocks()}
	locks := r.service(store, r.clock, plain)
	for i := range pairs {
		store.n.Store(0)
		release := r.feed.Hold()
		var wg sync.WaitGroup
		for range racers {
			wg.Go(func() {
				if _, _, err := locks.Create(context.WithoutCancel(t.Context()), fmt.Sprintf("shop-%d", i), usdzar); err != nil {
					t.Errorf("create: %v", err)
				}
			})
		}
		for store.n.Load() < racers {
			runtime.Gosched() // until all have seen the empty book
		}
		release()
		wg.Wait()
	}
	require.LessOrEqual(t, conflicts.Load(), int64(pairs), "they tell one another what they saved")
}

func TestACallerWhoGivesUpLeavesTheQueue(t *testing.T) {
	r := newRig(t)
	release := r.feed.Hold()
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, _, err := r.locks.Create(ctx, "shop", usdzar)
		done <- err
	}()
	r.feed.WaitAsked(1)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

func TestWhoGivesUpDoesNotTakeTheOthersAlong(t *testing.T) {
	r := newRig(t)
	release := r.feed.Hold()
	ctx, cancel := context.WithCancel(t.Context())
	first, others := make(chan error, 1), make(chan error, 8)
	store := &reads{RateLockStore: r.store.RateLocks()}
	locks := r.service(store, r.clock, plain)
	create := func(ctx context.Context, told chan<- error) {
		_, _, err := locks.Create(ctx, "shop", usdzar)
		told <- err
	}
	go create(ctx, first)
	r.feed.WaitAsked(1)
	for range cap(others) {
		go create(context.WithoutCancel(t.Context()), others)
	}
	for store.n.Load() < int64(1+cap(others)) {
		runtime.Gosched()
	}
	for range 1_000 {
		runtime.Gosched() // from the book to the look under way is not far
	}
	cancel()
	require.ErrorIs(t, <-first, context.Canceled)
	r.feed.WaitAsked(2)
	release()
	for range cap(others) {
		require.NoError(t, <-others)
	}
}

// astray answers for another pair than the one asked for.
type astray struct{ ports.PriceFeed }

func (a astray) Mid(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	p, err := a.PriceFeed.Mid(ctx, pair)
	p.Pair = pair.Inverse()
	return p, err
}

// unread is a feed that was never read.
type unreadFeed struct{ ports.PriceFeed }

func (unreadFeed) Pairs(context.Context) (ports.PairSet, error) {
	return ports.PairSet{}, errcodes.New(errcodes.PriceUnavailable, "")
}

func (unreadFeed) Mid(context.Context, ports.Pair) (ports.Price, error) {
	return ports.Price{}, errcodes.New(errcodes.PriceUnavailable, "")
}

func TestAFeedThatAnswersForAnotherPair(t *testing.T) {
	r := newRig(t)
	locks, err := ratelock.New(r.store.RateLocks(), astray{r.feed}, plain, &ratelock.Config{Clock: r.clock})
	require.NoError(t, err)
	_, _, err = locks.Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.PriceUnavailable)
	require.Empty(t, r.events())
}

func TestAFeedThatWasNeverRead(t *testing.T) {
	r := newRig(t)
	locks, err := ratelock.New(r.store.RateLocks(), unreadFeed{r.feed}, plain, &ratelock.Config{Clock: r.clock})
	require.NoError(t, err)
	_, _, err = locks.Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.PriceUnavailable, "not 422: nobody knows what is on offer")
	r.create()
	second, _ := r.create()
	l, minted, err := locks.Create(t.Context(), "shop", usdzar)
	require.NoError(t, err, "a full pair needs no feed")
	require.False(t, minted)
	require.Equal(t, second.ID, l.ID)
}

func TestAnActiveLockOutsideItsBookIsCorrupt(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	locks := r.service(orphaning{r.store.RateLocks()}, r.clock, plain)
	_, err := locks.Get(t.Context(), "shop", l.ID)
	require.ErrorIs(t, err, errcodes.CorruptRecord)
}

// orphaning loses the slots of a book that is read with a lock.
type orphaning struct{ ports.RateLockStore }

func (o orphaning) Lock(ctx context.Context, owner, id string) (ports.RateLock, ports.Book, error) {
	l, b, err := o.RateLockStore.Lock(ctx, owner, id)
	b.Slots = [ports.MaxLiveLocks]ports.RateLock{}
	return l, b, err
}

// slow holds saves until it is let go.
type slow struct {
	ports.RateLockStore
	saving, release chan struct{}
}

func (s slow) Save(ctx context.Context, c ports.RateLockChange) error {
	s.saving <- struct{}{}
	<-s.release
	return s.RateLockStore.Save(ctx, c)
}

func TestWhoWaitsInTheQueueMayGiveUp(t *testing.T) {
	r := newRig(t)
	store := slow{r.store.RateLocks(), make(chan struct{}, 2), make(chan struct{})}
	locks := r.service(store, r.clock, plain)
	first, second := make(chan error, 1), make(chan error, 1)
	create := func(ctx context.Context, told chan<- error) {
		_, _, err := locks.Create(ctx, "shop", usdzar)
		told <- err
	}
	go create(context.WithoutCancel(t.Context()), first)
	<-store.saving
	ctx, cancel := context.WithCancel(t.Context())
	go create(ctx, second)
	r.feed.WaitAsked(2) // it has its price and goes for its turn
	cancel()
	require.ErrorIs(t, <-second, context.Canceled)
	close(store.release)
	require.NoError(t, <-first)
	_, minted, err := locks.Create(t.Context(), "shop", usdzar)
	require.NoError(t, err, "the turn is free again")
	require.True(t, minted)
	require.Zero(t, ratelock.Turns(locks), "nothing is left of those who queued")
}

func TestAFeedThatHangsOrPanicsIsNoLivePrice(t *testing.T) {
	r := newRig(t)
	defer r.feed.Hold()()
	locks, err := ratelock.New(r.store.RateLocks(), r.feed, plain, &ratelock.Config{Clock: r.clock, PriceTimeout: time.Millisecond})
	require.NoError(t, err)
	_, _, err = locks.Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.PriceUnavailable)
	locks, err = ratelock.New(r.store.RateLocks(), panicky{r.feed}, plain, &ratelock.Config{Clock: r.clock})
	require.NoError(t, err)
	for range 2 {
		_, _, err = locks.Create(t.Context(), "shop", usdzar)
		require.ErrorIs(t, err, errcodes.PriceUnavailable)
	}
}

type panicky struct{ ports.PriceFeed }

func (panicky) Mid(context.Context, ports.Pair) (ports.Price, error) { panic("a bug of the feed") }

func TestNewRefusesBadValues(t *testing.T) {
	r := newRig(t)
	store := r.store.RateLocks()
	for name, attempt := range map[string]func() error{
		"no store":  func() error { _, err := ratelock.New(nil, r.feed, plain, nil); return err },
		"no feed":   func() error { _, err := ratelock.New(store, nil, plain, nil); return err },
		"no policy": func() error { _, err := ratelock.New(store, r.feed, nil, nil); return err },
		"negative markup": func() error {
			_, err := ratelock.New(store, r.feed, ratelock.Terms{MarkupBps: -1, Validity: time.Hour}, nil)
			return err
		},
		"a life of a year": func() error {
			_, err := ratelock.New(store, r.feed, ratelock.Terms{Validity: 365 * 24 * time.Hour}, nil)
			return err
		},
		"no life": func() error { _, err := ratelock.New(store, r.feed, ratelock.Terms{}, nil); return err },
		"a bad entry in a table": func() error {
			_, err := ratelock.New(store, r.feed, ratelock.PolicyTable{Owners: map[string]ratelock.OwnerPolicy{
				"shop": {Pairs: map[ports.Pair]ratelock.Terms{usdzar: {Validity: time.Microsecond}}},
			}}, nil)
			return err
		},
		"a negative pause": func() error { _, err := ratelock.New(store, r.feed, plain, &ratelock.Config{Every: -1}); return err },
	} {
		t.Run(name, func(t *testing.T) { require.ErrorIs(t, attempt(), errcodes.Configuration) })
	}
}

// whim is a policy that New cannot check.
type whim ratelock.Terms

func (w whim) Terms(string, ports.Pair) (ratelock.Terms, bool) { return ratelock.Terms(w), true }

func TestTermsOfADynamicPolicyAreCheckedBeforeALockHasThem(t *testing.T) {
	r := newRig(t)
	locks := r.service(r.store.RateLocks(), r.clock, whim{MarkupBps: -500, Validity: time.Hour})
	_, _, err := locks.Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.Configuration)
	require.Empty(t, r.events())
}

// oddly stamps prices with a time that is not in whole milliseconds.
type oddly struct {
	ports.PriceFeed
	at time.Time
}

func (o oddly) Mid(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	p, err := o.PriceFeed.Mid(ctx, pair)
	p.At = o.at
	return p, err
}

func TestEveryTimeIsInWholeMilliseconds(t *testing.T) {
	r := newRig(t)
	odd := noon.Add(1234567 * time.Nanosecond).In(time.FixedZone("Lagos", 3600))
	r.clock.Set(odd)
	locks, err := ratelock.New(r.store.RateLocks(), oddly{r.feed, odd}, plain, &ratelock.Config{Clock: r.clock})
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

func TestTheMostSpecificTermsCount(t *testing.T) {
	everyone, owner, pair := plain, plain, plain
	owner.MarkupBps, pair.MarkupBps = 50, 0
	table := ratelock.PolicyTable{Everyone: &everyone, Owners: map[string]ratelock.OwnerPolicy{
		"vip":    {Default: &owner, Pairs: map[ports.Pair]ratelock.Terms{usdzar: pair}},
		"banned": {},
	}}
	for _, c := range []struct {
		owner string
		pair  ports.Pair
		bps   int
		ok    bool
	}{
		{"shop", usdzar, 150, true}, {"vip", usdzar, 0, true}, {"vip", usdzar.Inverse(), 50, true}, {"banned", usdzar, 0, false},
	} {
		terms, ok := table.Terms(c.owner, c.pair)
		require.Equal(t, c.ok, ok)
		require.Equal(t, c.bps, terms.MarkupBps)
	}
}
