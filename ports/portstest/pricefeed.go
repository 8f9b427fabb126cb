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
// Only Open is required. If another field is nil, the checks that need it are
// skipped, with the reason in the test's output.
type FeedHarness struct {
	// Open returns a feed with a live price for at least one pair.
	Open func(tb testing.TB) ports.PriceFeed
	// Now returns the time of the feeds' clock; nil means ports.SystemClock.
	Now func() time.Time
	// NeverRead returns a feed whose source has not answered yet. It has no price.
	// It offers the pairs that Open's feed offers, or does not know its pairs yet.
	NeverRead func(tb testing.TB) ports.PriceFeed
	// NoLivePrice returns a feed and a pair that it offers without a live price.
	NoLivePrice func(tb testing.TB) (ports.PriceFeed, ports.Pair)
	// Down returns a feed as Open does, and a function that makes its source fail
	// and lets enough time pass for the feed to ask it again.
	Down func(tb testing.TB) (feed ports.PriceFeed, fail func())
	// LookAgain returns a feed as Open does, whose source states the time of each
	// price, and a function that lets enough time pass for the feed to ask the
	// unchanged source again.
	LookAgain func(tb testing.TB) (feed ports.PriceFeed, later func())
	// TooMany returns a feed as Open does, and a function that makes its source name
	// the currencies, which are more than ports.MaxFeedCurrencies, with a valid price
	// of each in one of them, and lets enough time pass for the feed to ask it again.
	// Those of ISO 4217 come first, EUR and USD before all others.
	TooMany func(tb testing.TB) (feed ports.PriceFeed, grow func(currencies []string))
	// Broken returns feeds whose source has only given invalid answers, by a name
	// for the answer: an error page, half a body, a mid of zero, a day in the
	// future. They behave as NeverRead's feed does. It is nil for a feed whose
	// constructor rejects such a source.
	Broken map[string]func(tb testing.TB) ports.PriceFeed
}

// PriceFeed checks a ports.PriceFeed. Run it with -race: one of the checks calls
// the feed from many goroutines.
func PriceFeed(t *testing.T, h FeedHarness) {
	t.Helper()
	kit.Run(t, nil, feedChecks, func(t *testing.T) *feedKit {
		return &feedKit{kit.Kit{TB: t}, h}
	})
}

type feedCheck kit.Check[*feedKit]

var feedChecks = []feedCheck{
	{"the pairs on offer are ordered pairs of known currencies", checkOfferedPairs},
	{"a pair on offer has its own price or no price", checkOwnPrice},
	{"a mid is plain decimal text within bounds", checkMidText},
	{"a price has a time, in UTC to the millisecond and not in the future", checkPriceTime},
	{"a price's MaxAge is 0 or above", checkPriceAge},
	{"a price names its source", checkPriceSource},
	{"a pair that is not on offer is rejected", checkNotOffered},
	{"the pairs on offer do not change by themselves", checkPairsStable},
	{"an inverse pair has the price of its own direction", checkInverse},
	{"a done context ends the call", checkFeedContext},
	{"concurrent calls are safe", checkFeedRace},
	{"a feed that was never read returns PriceUnavailable", checkNeverRead},
	{"a pair without a live price returns PriceUnavailable", checkNoLivePrice},
	{"a failing source makes no price look newer", checkDown},
	{"a price keeps its source's time between calls", checkLookAgain},
	{"a broken answer does not become a price", checkBroken},
	{"a source with too many currencies is not used", checkTooMany},
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

// live returns the feed's live prices, at least one, by pair.
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
		k.Fatalf("no pair on offer has a live price")
	}
	return prices
}
