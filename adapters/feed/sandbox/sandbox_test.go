package sandbox_test

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/feed/sandbox"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

var (
	morning = time.Date(2026, time.November, 20, 9, 0, 0, 123_456_789, time.UTC)
	usdzar  = ports.Pair{Base: "USD", Quote: "ZAR"}
)

func open(tb testing.TB, clock ports.Clock) *sandbox.Feed {
	tb.Helper()
	f, err := sandbox.New(&sandbox.Config{Clock: clock})
	require.NoError(tb, err)
	return f
}

func TestConforms(t *testing.T) {
	clock := portstest.NewClock(morning)
	portstest.PriceFeed(t, portstest.FeedHarness{
		Now:  clock.Now,
		Open: func(tb testing.TB) ports.PriceFeed { return open(tb, clock) },
	})
}

func TestOffersThePairsOfAllMarketsInBothDirections(t *testing.T) {
	set, err := open(t, nil).Pairs(t.Context())
	require.NoError(t, err)
	for _, major := range []string{"USD", "EUR", "GBP"} {
		for _, local := range []string{"ZAR", "NGN", "KES", "GHS", "EGP", "XOF"} {
			pair := ports.Pair{Base: major, Quote: local}
			require.True(t, set.Has(pair), pair)
			require.True(t, set.Has(pair.Inverse()), pair.Inverse())
		}
	}
	require.Equal(t, 2*3*6+3*2, set.Len())
}

// TestDerivedRowsFollowThePublishedOnes calculates the table from the published rows.
func TestDerivedRowsFollowThePublishedOnes(t *testing.T) {
	f := open(t, nil)
	set, err := f.Pairs(t.Context())
	require.NoError(t, err)
	perUSD := map[string]*big.Rat{"USD": big.NewRat(1, 1)}
	for _, pair := range set.All() {
		if pair.Base == "USD" {
			perUSD[pair.Quote] = rat(t, mid(t, f, pair))
		}
	}
	for _, pair := range set.All() {
		if pair.Base == "USD" {
			continue
		}
		got := mid(t, f, pair)
		require.LessOrEqual(t, len(strings.TrimLeft(strings.ReplaceAll(got, ".", ""), "0")), 10, pair)
		exact := new(big.Rat).Quo(perUSD[pair.Quote], perUSD[pair.Base])
		off := new(big.Rat).Sub(rat(t, got), exact)
		// Half a unit of the tenth digit is at most 5·10^-10 of the value.
		limit := new(big.Rat).Mul(exact, big.NewRat(5, 10_000_000_000))
		require.LessOrEqual(t, off.Abs(off).Cmp(limit), 0, "%s is %s", pair, got)
	}
}

func TestPricesNeverGrowStale(t *testing.T) {
	clock := portstest.NewClock(morning)
	f := open(t, clock)
	for _, days := range []int{0, 30} {
		clock.Set(morning.AddDate(0, 0, days))
		p, err := f.Mid(t.Context(), usdzar)
		require.NoError(t, err)
		require.Equal(t, clock.Now().Truncate(time.Millisecond), p.At)
	}
}

func TestSetChangesOnePair(t *testing.T) {
	f := open(t, nil)
	back := mid(t, f, usdzar.Inverse())
	require.NoError(t, f.Set(usdzar, "17.0000"))
	require.Equal(t, "17.0000", mid(t, f, usdzar))
	require.Equal(t, back, mid(t, f, usdzar.Inverse()))
}

func TestSetRejectsBadValues(t *testing.T) {
	f := open(t, nil)
	for text, want := range map[string]errcodes.Code{"0": errcodes.InvalidRequest, "-1": errcodes.InvalidRequest, "NaN": errcodes.InvalidRequest} {
		require.Equal(t, want, errcodes.Of(f.Set(usdzar, text)), text)
	}
	require.Equal(t, errcodes.PairNotOffered, errcodes.Of(f.Set(ports.Pair{Base: "USD", Quote: "JPY"}, "1")))
	require.Equal(t, "16.1563", mid(t, f, usdzar))
}

func TestSetAndMidRace(t *testing.T) {
	f := open(t, nil)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if err := f.Set(usdzar, fmt.Sprintf("17.%d", i)); err != nil {
				t.Error(err)
			}
			if p, err := f.Mid(t.Context(), usdzar); err != nil || !strings.HasPrefix(p.Mid, "17.") {
				t.Errorf("%s, %v", p.Mid, err)
			}
		})
	}
	wg.Wait()
}

func mid(t *testing.T, f *sandbox.Feed, pair ports.Pair) string {
	t.Helper()
	p, err := f.Mid(t.Context(), pair)
	require.NoError(t, err)
	return p.Mid
}

func rat(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	require.True(t, ok, text)
	return r
}

func ExampleNew() {
	feed, err := sandbox.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	price, err := feed.Mid(context.Background(), ports.Pair{Base: "USD", Quote: "ZAR"})
	fmt.Println(price.Pair, price.Mid, price.Source, err)
	// Output: USD/ZAR 16.1563 sandbox <nil>
}
