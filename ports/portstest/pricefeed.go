package portstest

import (
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// FeedHarness opens a feed for [PriceFeed] in the states that the suite needs.
// Each function is called once for each check and cleans up through tb.Cleanup.
// Only Open is required; a field that is nil leaves out the checks that need
// it, with the reason in the test's output.
type FeedHarness struct {
	// Open gives a feed with a live price for at least one pair.
	Open func(tb testing.TB) ports.PriceFeed
	// Now is the clock that the feeds are given; nil is the machine's.
	Now func() time.Time
	// NeverRead gives a feed whose source has not answered yet. It has no price;
	// the pairs that it offers are those of Open, or none is known.
	NeverRead func(tb testing.TB) ports.PriceFeed
	// NoLivePrice gives a feed, and a pair that it offers without a live price.
	NoLivePrice func(tb testing.TB) (ports.PriceFeed, ports.Pair)
	// Down gives a feed as Open does, and a function that makes its source fail
	// and lets so much time pass that the feed looks at it again.
	Down func(tb testing.TB) (feed ports.PriceFeed, fail func())
	// LookAgain gives a feed as Open does, of a source that says of when each of
	// its prices is, and a function that lets so much time pass that the feed looks
	// at the source again, and finds it as it was.
	LookAgain func(tb testing.TB) (feed ports.PriceFeed, later func())
	// Broken gives feeds whose source has answered with rubbish from the start,
	// by a name for the rubbish: an error page, half a body, a mid of zero, a
	// day in the future. They stand as NeverRead's does. A feed whose constructor
	// refuses such a source has none.
	Broken map[string]func(tb testing.TB) ports.PriceFeed
}

// PriceFeed checks a ports.PriceFeed. Run it with -race: one of the checks asks
// from many goroutines at once.
func PriceFeed(t *testing.T, h FeedHarness) {
	t.Helper()
	kit.Run(t, nil, feedChecks, func(t *testing.T) *feedKit {
		return &feedKit{kit.Kit{TB: t}, h}
	})
}

type feedCheck kit.Check[*feedKit]

var feedChecks = []feedCheck{
	{"the pairs on offer are ordered pairs of currency codes", checkOfferedPairs},
	{"a pair on offer has its own price, or none", checkOwnPrice},
	{"a mid is plain decimal text within bounds", checkMidText},
	{"a price carries a time of its own, in UTC to the millisecond, not in the future", checkPriceTime},
	{"a price names its source", checkPriceSource},
	{"a pair that is not on offer is refused", checkNotOffered},
	{"the pairs on offer stay the same while nothing happens", checkPairsStable},
	{"the way back has a price of its own direction", checkInverse},
	{"a context that is over ends the call", checkFeedContext},
	{"many may ask at once", checkFeedRace},
	{"a feed that was never read says so", checkNeverRead},
	{"a pair without a live price is unavailable", checkNoLivePrice},
	{"a source that fails makes no price look newer", checkDown},
	{"a price keeps its source's time from look to look", checkLookAgain},
	{"a broken answer is no price", checkBroken},
}

type feedKit struct {
	kit.Kit
	FeedHarness
}

func (k *feedKit) now() time.Time {
	if k.Now == nil {
		return ports.SystemClock().Now()
	}
	return k.Now()
}

func (k *feedKit) pairs(feed ports.PriceFeed) ports.PairSet {
	set, err := feed.Pairs(k.Context())
	if err != nil {
		k.Fatalf("Pairs: %v", err)
	}
	return set
}

// live gives the prices that feed has, by pair; at least one.
func (k *feedKit) live(feed ports.PriceFeed) map[ports.Pair]ports.Price {
	prices := map[ports.Pair]ports.Price{}
	for _, pair := range k.pairs(feed).All() {
		p, err := feed.Mid(k.Context(), pair)
		if err == nil {
			prices[pair] = p
			continue
		}
		k.Code(err, errcodes.PriceUnavailable, "Mid of "+pair.String()+", which is on offer")
	}
	if len(prices) == 0 {
		k.Fatalf("no pair has a live price")
	}
	return prices
}
