package chain_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/feed/chain"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	morning = time.Date(2026, time.November, 20, 9, 0, 0, 0, time.UTC)
	usdzar  = ports.Pair{Base: "USD", Quote: "ZAR"}
	usdngn  = ports.Pair{Base: "USD", Quote: "NGN"}
	usdxof  = ports.Pair{Base: "USD", Quote: "XOF"}
)

// rig is a chain of two scripted feeds, and the clock of all three.
type rig struct {
	*chain.Feed

	clock       *portstest.Clock
	first, next *fake.Feed
}

func open(tb testing.TB, cfg chain.Config) *rig {
	tb.Helper()
	r := &rig{clock: portstest.NewClock(morning)}
	r.first, r.next = fake.NewFeed(r.clock.Now), fake.NewFeed(r.clock.Now)
	r.first.Offer(usdzar, "18.1")
	r.next.Offer(usdzar, "18.2")
	r.next.Offer(usdngn, "1420")
	cfg.Clock = r.clock
	feed, err := chain.New([]ports.PriceFeed{r.first, r.next}, &cfg)
	require.NoError(tb, err)
	r.Feed = feed
	return r
}

func TestConforms(t *testing.T) {
	clock := portstest.NewClock(morning)
	portstest.PriceFeed(t, portstest.FeedHarness{
		Now:  clock.Now,
		Open: func(tb testing.TB) ports.PriceFeed { return open(tb, chain.Config{}) },
		NeverRead: func(tb testing.TB) ports.PriceFeed {
			tb.Helper()
			feed, err := chain.New([]ports.PriceFeed{fake.NewFeed(clock.Now), fake.NewFeed(clock.Now)}, nil)
			require.NoError(tb, err)
			return feed
		},
		NoLivePrice: func(tb testing.TB) (ports.PriceFeed, ports.Pair) {
			r := open(tb, chain.Config{})
			r.next.Drop(usdngn)
			return r, usdngn
		},
		LookAgain: func(tb testing.TB) (ports.PriceFeed, func()) {
			r := open(tb, chain.Config{})
			return r, func() { r.clock.Advance(time.Hour) }
		},
		Down: func(tb testing.TB) (ports.PriceFeed, func()) {
			r := open(tb, chain.Config{})
			return r, func() {
				r.first.Fail(nil)
				r.next.Fail(errors.New("503"))
				r.clock.Advance(time.Hour)
			}
		},
	})
}

func TestTheFirstFeedThatHasThePriceReturnsIt(t *testing.T) {
	old := morning.Add(-2 * time.Hour)
	for name, c := range map[string]struct {
		script func(r *rig)
		mid    string
		code   errcodes.Code
	}{
		"both have it":                               {func(*rig) {}, "18.1", ""},
		"the first has no price":                     {func(r *rig) { r.first.Drop(usdzar) }, "18.2", ""},
		"the first does not offer it":                {func(r *rig) { r.first.Withdraw(usdzar) }, "18.2", ""},
		"the first fails":                            {func(r *rig) { r.first.Fail(errors.New("503")) }, "18.2", ""},
		"the first returns NaN":                      {func(r *rig) { r.first.Set(usdzar, "NaN") }, "18.2", ""},
		"the first returns zero":                     {func(r *rig) { r.first.Set(usdzar, "0") }, "18.2", ""},
		"the first is in the future":                 {func(r *rig) { r.first.SetAt(usdzar, "18", morning.Add(time.Millisecond)) }, "18.2", ""},
		"the first is old":                           {func(r *rig) { r.first.SetAt(usdzar, "18", old) }, "18.2", ""},
		"the first is as old as allowed":             {func(r *rig) { r.first.SetAt(usdzar, "18", morning.Add(-time.Hour)) }, "18", ""},
		"the first is old and the next has no price": {func(r *rig) { r.first.SetAt(usdzar, "18", old); r.next.Drop(usdzar) }, "18", ""},
		"the first is old and the next is older":     {func(r *rig) { r.first.SetAt(usdzar, "18", old); r.next.SetAt(usdzar, "17", old.Add(-1)) }, "18", ""},
		"the first is old and the next is less old":  {func(r *rig) { r.first.SetAt(usdzar, "18", old); r.next.SetAt(usdzar, "17", old.Add(time.Second)) }, "17", ""},
		"both fail":                                  {func(r *rig) { r.first.Fail(errors.New("503")); r.next.Fail(nil) }, "", errcodes.PriceUnavailable},
		"neither has a price":                        {func(r *rig) { r.first.Drop(usdzar); r.next.Drop(usdzar) }, "", errcodes.PriceUnavailable},
		"one fails and the other does not offer it":  {func(r *rig) { r.first.Fail(nil); r.next.Withdraw(usdzar) }, "", errcodes.PriceUnavailable},
		"neither offers it":                          {func(r *rig) { r.first.Withdraw(usdzar); r.next.Withdraw(usdzar) }, "", errcodes.PairNotOffered},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, chain.Config{MaxAge: time.Hour})
			c.script(r)
			got, err := r.Mid(t.Context(), usdzar)
			require.Equal(t, c.code, errcodes.Of(err), "%v", err)
			require.Equal(t, c.mid, got.Mid)
		})
	}
}

// Each feed's prices have their own limit, unless the chain has one for all.
func TestEachFeedHasItsOwnAgeLimit(t *testing.T) {
	const hour = time.Hour
	for name, c := range map[string]struct {
		first, next, declared, all time.Duration // ages, what the next feed declares, MaxAge
		want                       string
	}{
		"both are young":                         {96 * hour, hour, 128 * hour, 0, "first"},
		"the first is older than the default":    {97 * hour, 110 * hour, 128 * hour, 0, "next"},
		"both are older than their limits":       {97 * hour, 129 * hour, 128 * hour, 0, "first"},
		"a limit for all, which the first keeps": {97 * hour, 96 * hour, 128 * hour, 100 * hour, "first"},
		"a limit for all, which the next keeps":  {97 * hour, 95 * hour, hour, 96 * hour, "next"},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, chain.Config{})
			r.next.MaxAge = c.declared
			r.first.SetAt(usdzar, "18", morning.Add(-c.first))
			r.next.SetAt(usdzar, "19", morning.Add(-c.next))
			feed, err := chain.New([]ports.PriceFeed{r.first, r.next}, &chain.Config{Clock: r.clock, MaxAge: c.all})
			require.NoError(t, err)
			got, err := feed.Mid(t.Context(), usdzar)
			require.NoError(t, err)
			if c.want == "first" {
				require.Equal(t, "18", got.Mid)
				require.Zero(t, got.MaxAge)
			} else {
				require.Equal(t, "19", got.Mid)
				require.Equal(t, c.declared, got.MaxAge)
			}
		})
	}
}

// The feed that asks its source first decides when to ask again.
func TestTheShortestRetryAfterOfTheFeeds(t *testing.T) {
	for name, c := range map[string]struct{ first, next, want time.Duration }{
		"both know":            {time.Minute, time.Second, time.Second},
		"only the first knows": {time.Minute, 0, time.Minute},
		"only the next knows":  {0, time.Minute, time.Minute},
		"neither knows":        {0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, chain.Config{})
			down := func(wait time.Duration) error {
				return errcodes.New(errcodes.PriceUnavailable, "").WithRetryAfter(wait)
			}
			r.first.Fail(down(c.first))
			r.next.Fail(down(c.next))
			_, err := r.Mid(t.Context(), usdzar)
			require.Equal(t, errcodes.PriceUnavailable, errcodes.Of(err))
			require.Equal(t, c.want, errcodes.RetryAfterOf(err))
		})
	}
}

// TestTheChainAgreesWithAPlainLoop compares the chain with a loop over the scripted
// prices.
func TestTheChainAgreesWithAPlainLoop(t *testing.T) {
	const maxAge = time.Hour
	type script struct {
		offered, priced bool
		age             time.Duration
	}
	rapid.Check(t, func(r *rapid.T) {
		scripts := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) script {
			return script{
				rapid.Bool().Draw(r, "offered"), rapid.Bool().Draw(r, "priced"),
				time.Duration(rapid.IntRange(0, 120).Draw(r, "minutes")) * time.Minute,
			}
		}), 1, 5).Draw(r, "feeds")
		clock := portstest.NewClock(morning)
		want, best, offered := -1, time.Duration(0), false
		var feeds []ports.PriceFeed
		for i, s := range scripts {
			f := fake.NewFeed(clock.Now)
			f.Offer(usdxof, "600") // sets the time of the last read
			feeds = append(feeds, f)
			if s.offered {
				offered = true
				f.Drop(usdzar)
			}
			if !s.offered || !s.priced {
				continue
			}
			f.SetAt(usdzar, strconv.Itoa(i+1), morning.Add(-s.age))
			if want < 0 || best > maxAge && s.age < best {
				want, best = i, s.age
			}
		}
		feed, err := chain.New(feeds, &chain.Config{Clock: clock, MaxAge: maxAge})
		require.NoError(t, err)
		got, err := feed.Mid(context.Background(), usdzar)
		switch {
		case want >= 0:
			require.NoError(t, err)
			require.Equal(t, strconv.Itoa(want+1), got.Mid)
		case offered:
			require.Equal(t, errcodes.PriceUnavailable, errcodes.Of(err))
		default:
			require.Equal(t, errcodes.PairNotOffered, errcodes.Of(err))
		}
	})
}

func TestConcurrentCallersForAPairShareOneLookUp(t *testing.T) {
	const callers = 32
	r := open(t, chain.Config{Timeout: chain.MaxTimeout})
	release := r.first.Hold()
	var done sync.WaitGroup
	joined := make([]*waiting, callers)
	for i := range joined {
		joined[i] = &waiting{Context: t.Context(), waits: make(chan struct{})}
		done.Go(func() {
			if p, err := r.Mid(joined[i], usdzar); err != nil || p.Mid != "18.1" {
				t.Errorf("%s, %v", p.Mid, err)
			}
		})
	}
	for _, caller := range joined {
		<-caller.waits
	}
	release()
	done.Wait()
	require.Equal(t, 1, r.first.Asked())
}

func TestACanceledCallerDoesNotEndTheLookUpOfOthers(t *testing.T) {
	r := open(t, chain.Config{Timeout: chain.MaxTimeout})
	release := r.first.Hold()
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { _, err := r.Mid(ctx, usdzar); first <- err }()
	r.first.WaitAsked(1)
	joined := &waiting{Context: t.Context(), waits: make(chan struct{})}
	go func() { _, err := r.Mid(joined, usdzar); second <- err }()
	<-joined.waits
	cancel()
	require.ErrorIs(t, <-first, context.Canceled)
	release()
	require.NoError(t, <-second)
}

func TestAHangingFeedLeavesTimeForTheNext(t *testing.T) {
	synctest.Test(t, aHangingFeedLeavesTimeForTheNext)
}

func aHangingFeedLeavesTimeForTheNext(t *testing.T) {
	forever := make(chan struct{})
	defer close(forever)
	deaf := feedFuncs{
		mid:   func(context.Context, ports.Pair) (ports.Price, error) { <-forever; return ports.Price{}, nil },
		pairs: func(context.Context) (ports.PairSet, error) { <-forever; return ports.PairSet{}, nil },
	}
	r := open(t, chain.Config{})
	feed, err := chain.New([]ports.PriceFeed{deaf, r.next}, &chain.Config{Clock: r.clock, Timeout: 100 * time.Millisecond})
	require.NoError(t, err)
	got, err := feed.Mid(t.Context(), usdzar)
	require.NoError(t, err)
	require.Equal(t, "18.2", got.Mid)
	set, err := feed.Pairs(t.Context())
	require.NoError(t, err)
	require.True(t, set.Has(usdzar))
}

func TestEachFeedHasAnEqualShareOfTheTimeout(t *testing.T) {
	short := func(ctx context.Context) {
		deadline, ok := ctx.Deadline()
		require.True(t, ok)
		require.LessOrEqual(t, time.Until(deadline), chain.DefaultTimeout/2)
	}
	busy := feedFuncs{
		mid: func(ctx context.Context, _ ports.Pair) (ports.Price, error) {
			short(ctx)
			return ports.Price{}, errors.New("503")
		},
		pairs: func(ctx context.Context) (ports.PairSet, error) { short(ctx); return ports.PairSet{}, nil },
	}
	feed, err := chain.New([]ports.PriceFeed{busy, busy}, nil)
	require.NoError(t, err)
	_, err = feed.Mid(t.Context(), usdzar)
	require.Equal(t, errcodes.PriceUnavailable, errcodes.Of(err))
	_, err = feed.Pairs(t.Context())
	require.NoError(t, err)
}

func TestAPanickingFeedIsSkipped(t *testing.T) {
	mad := feedFuncs{
		mid:   func(context.Context, ports.Pair) (ports.Price, error) { panic("index out of range") },
		pairs: func(context.Context) (ports.PairSet, error) { panic("index out of range") },
	}
	r := open(t, chain.Config{})
	feed, err := chain.New([]ports.PriceFeed{mad, r.next}, &chain.Config{Clock: r.clock})
	require.NoError(t, err)
	got, err := feed.Mid(t.Context(), usdzar)
	require.NoError(t, err)
	require.Equal(t, "18.2", got.Mid)
	_, err = feed.Pairs(t.Context())
	require.NoError(t, err)

	feed, err = chain.New([]ports.PriceFeed{mad}, nil)
	require.NoError(t, err)
	_, err = feed.Mid(t.Context(), usdzar)
	require.Equal(t, errcodes.PriceUnavailable, errcodes.Of(err))
	_, err = feed.Pairs(t.Context())
	require.Equal(t, errcodes.PriceUnavailable, errcodes.Of(err))
}

func TestAnAnswerForAnotherPairIsSkipped(t *testing.T) {
	r := open(t, chain.Config{})
	wrong := feedFuncs{mid: func(ctx context.Context, p ports.Pair) (ports.Price, error) { return r.first.Mid(ctx, usdzar) }}
	feed, err := chain.New([]ports.PriceFeed{wrong, r.next}, &chain.Config{Clock: r.clock})
	require.NoError(t, err)
	got, err := feed.Mid(t.Context(), usdngn)
	require.NoError(t, err)
	require.Equal(t, "1420", got.Mid)
}

// waiting is a context that reports when somebody waits for its end.
type waiting struct {
	context.Context

	once  sync.Once
	waits chan struct{}
}

func (w *waiting) Done() <-chan struct{} {
	w.once.Do(func() { close(w.waits) })
	return w.Context.Done()
}

type feedFuncs struct {
	mid   func(context.Context, ports.Pair) (ports.Price, error)
	pairs func(context.Context) (ports.PairSet, error)
}

func (f feedFuncs) Mid(ctx context.Context, p ports.Pair) (ports.Price, error) { return f.mid(ctx, p) }
func (f feedFuncs) Pairs(ctx context.Context) (ports.PairSet, error)           { return f.pairs(ctx) }

type reader struct {
	feedFuncs

	at  time.Time
	err error
}

func (r reader) LastRead() (time.Time, error) { return r.at, r.err }

func ExampleNew() {
	clock := portstest.NewClock(morning)
	desk, bank := fake.NewFeed(clock.Now), fake.NewFeed(clock.Now)
	desk.Drop(usdzar) // the desk is closed
	bank.Offer(usdzar, "18.2500")

	feed, err := chain.New([]ports.PriceFeed{desk, bank}, &chain.Config{Clock: clock, MaxAge: time.Hour})
	if err != nil {
		fmt.Println(err)
		return
	}
	price, err := feed.Mid(context.Background(), usdzar)
	fmt.Println(price.Pair, price.Mid, err)
	// Output: USD/ZAR 18.2500 <nil>
}
