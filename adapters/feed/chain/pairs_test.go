package chain_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/feed/chain"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

func TestPairsAreThoseOfTheAnsweringFeeds(t *testing.T) {
	mute := feedFuncs{pairs: func(context.Context) (ports.PairSet, error) { return ports.PairSet{}, errors.New("503") }}
	r := open(t, chain.Config{})
	feed, err := chain.New([]ports.PriceFeed{mute, r.first, r.next}, nil)
	require.NoError(t, err)
	set, err := feed.Pairs(t.Context())
	require.NoError(t, err)
	require.Equal(t, []ports.Pair{usdngn, usdzar}, set.All())

	feed, err = chain.New([]ports.PriceFeed{mute, mute}, nil)
	require.NoError(t, err)
	_, err = feed.Pairs(t.Context())
	require.Equal(t, errcodes.PriceUnavailable, errcodes.Of(err))
}

func TestPairsAreRenewed(t *testing.T) {
	r := open(t, chain.Config{})
	has := func(want bool) {
		t.Helper()
		set, err := r.Pairs(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, set.Has(usdxof))
	}
	has(false)
	r.first.Offer(usdxof, "600")
	r.clock.Advance(chain.DefaultPairsEvery - 1)
	has(false)
	r.clock.Advance(1)
	has(true)
	r.first.Withdraw(usdxof)
	r.clock.Advance(-time.Hour)
	has(false)
}

func TestLastReadCombinesTheFeeds(t *testing.T) {
	earlier, down := morning.Add(-time.Hour), errors.New("502")
	read := func(at time.Time, err error) ports.PriceFeed { return reader{at: at, err: err} }
	for name, c := range map[string]struct {
		feeds []ports.PriceFeed
		at    time.Time
		err   error
	}{
		"no error":             {[]ports.PriceFeed{read(earlier, nil), read(morning, nil)}, morning, nil},
		"none was read yet":    {[]ports.PriceFeed{read(time.Time{}, down), read(time.Time{}, nil)}, time.Time{}, down},
		"one is down":          {[]ports.PriceFeed{read(morning, nil), read(earlier, down)}, morning, down},
		"one without LastRead": {[]ports.PriceFeed{read(time.Time{}, down), feedFuncs{}}, morning, down},
	} {
		feed, err := chain.New(c.feeds, &chain.Config{Clock: portstest.NewClock(morning)})
		require.NoError(t, err)
		at, err := feed.LastRead()
		require.Equal(t, c.at, at, name)
		require.ErrorIs(t, err, c.err, name)
	}
}

func TestTheListOfFeedsIsCopied(t *testing.T) {
	r := open(t, chain.Config{})
	feeds := []ports.PriceFeed{r.first}
	feed, err := chain.New(feeds, &chain.Config{Clock: r.clock})
	require.NoError(t, err)
	feeds[0] = r.next
	got, err := feed.Mid(t.Context(), usdzar)
	require.NoError(t, err)
	require.Equal(t, "18.1", got.Mid)
}

func TestNewRejectsBadValues(t *testing.T) {
	some := []ports.PriceFeed{feedFuncs{}}
	for name, open := range map[string]func() (*chain.Feed, error){
		"no feed":          func() (*chain.Feed, error) { return chain.New(nil, nil) },
		"a nil feed":       func() (*chain.Feed, error) { return chain.New([]ports.PriceFeed{nil}, nil) },
		"a nil pointer":    func() (*chain.Feed, error) { return chain.New([]ports.PriceFeed{(*chain.Feed)(nil)}, nil) },
		"a negative age":   func() (*chain.Feed, error) { return chain.New(some, &chain.Config{MaxAge: -1}) },
		"a short timeout":  func() (*chain.Feed, error) { return chain.New(some, &chain.Config{Timeout: 1}) },
		"a long timeout":   func() (*chain.Feed, error) { return chain.New(some, &chain.Config{Timeout: chain.MaxTimeout + 1}) },
		"a negative pause": func() (*chain.Feed, error) { return chain.New(some, &chain.Config{PairsEvery: -1}) },
		"a long pause": func() (*chain.Feed, error) {
			return chain.New(some, &chain.Config{PairsEvery: chain.MaxPairsEvery + 1})
		},
	} {
		_, err := open()
		require.Equal(t, errcodes.Configuration, errcodes.Of(err), name)
	}
}
