package portstest

import (
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// checkOfferedPairs needs no limit on the number of currencies: ISO 4217 has fewer than
// ports.MaxFeedCurrencies.
func checkOfferedPairs(k *feedKit) {
	set := k.pairs(k.Open(k.TB))
	if set.Len() == 0 {
		k.Fatalf("no pair is on offer")
	}
	for _, p := range set.All() {
		_, base := ports.MinorDigits(p.Base)
		_, quote := ports.MinorDigits(p.Quote)
		if !base || !quote || p.Base == p.Quote {
			k.Fatalf("%q is not a pair of two different ISO 4217 currencies that have ports.MinorDigits", p)
		}
	}
}

func checkOwnPrice(k *feedKit) {
	k.eachPrice(k.live(k.Open(k.TB)), func(pair ports.Pair, p ports.Price) {
		if p.Pair != pair {
			k.Fatalf("Mid of %s returned a price of %s", pair, p.Pair)
		}
	})
}

// eachPrice checks each price in the order of the pairs. Prices are not cases: they
// usually share their faults, and a feed may have a thousand.
func (k *feedKit) eachPrice(prices map[ports.Pair]ports.Price, look func(pair ports.Pair, p ports.Price)) {
	for _, pair := range slices.SortedFunc(maps.Keys(prices), ports.Pair.Compare) {
		look(pair, prices[pair])
	}
}

func checkMidText(k *feedKit) {
	k.eachPrice(k.live(k.Open(k.TB)), func(pair ports.Pair, p ports.Price) {
		if err := ports.CheckRate(p.Mid); err != nil {
			k.Fatalf("the mid of %s is %q: %v", pair, p.Mid, err)
		}
	})
}

func checkPriceTime(k *feedKit) {
	prices := k.live(k.Open(k.TB))
	now := k.now()
	k.eachPrice(prices, func(pair ports.Pair, p ports.Price) {
		switch {
		case p.At.IsZero():
			k.Fatalf("the price of %s has no time", pair)
		case p.At.After(now):
			k.Fatalf("the price of %s is dated %s, which is after now, %s", pair, p.At, now.UTC())
		case p.At.Location() != time.UTC || p.At.Nanosecond()%int(time.Millisecond) != 0:
			k.Fatalf("the price of %s is dated %s, which is not UTC to the millisecond", pair, p.At)
		}
	})
}

func checkPriceAge(k *feedKit) {
	k.eachPrice(k.live(k.Open(k.TB)), func(pair ports.Pair, p ports.Price) {
		if p.MaxAge < 0 {
			k.Fatalf("the price of %s declares a MaxAge of %s", pair, p.MaxAge)
		}
	})
}

func checkPriceSource(k *feedKit) {
	k.eachPrice(k.live(k.Open(k.TB)), func(pair ports.Pair, p ports.Price) {
		if strings.TrimSpace(p.Source) == "" {
			k.Fatalf("the price of %s has no source", pair)
		}
	})
}

func checkNotOffered(k *feedKit) {
	feed := k.Open(k.TB)
	set := k.pairs(feed)
	k.Case("the zero pair", func() { k.rejects(feed, set, ports.Pair{}) })
	k.Case("made-up codes", func() { k.rejects(feed, set, ports.Pair{Base: "QQQ", Quote: "QQZ"}) })
	kit.EachOf(k, nearPairs, func(name string, near func(p ports.Pair) ports.Pair) {
		for _, p := range set.All() {
			k.rejects(feed, set, near(p))
		}
	})
}

// nearPairs turn a pair on offer into one that a careless feed takes for it.
var nearPairs = map[string]func(p ports.Pair) ports.Pair{
	"the inverse":            ports.Pair.Inverse,
	"the base twice":         func(p ports.Pair) ports.Pair { return ports.Pair{Base: p.Base, Quote: p.Base} },
	"another quote":          func(p ports.Pair) ports.Pair { return ports.Pair{Base: p.Base, Quote: "QQQ"} },
	"another base":           func(p ports.Pair) ports.Pair { return ports.Pair{Base: "QQQ", Quote: p.Quote} },
	"a space after the base": func(p ports.Pair) ports.Pair { return ports.Pair{Base: p.Base + " ", Quote: p.Quote} },
	"a NUL after the quote":  func(p ports.Pair) ports.Pair { return ports.Pair{Base: p.Base, Quote: p.Quote + "\x00"} },
	"lower case": func(p ports.Pair) ports.Pair {
		return ports.Pair{Base: strings.ToLower(p.Base), Quote: strings.ToLower(p.Quote)}
	},
}

// rejects checks that the feed rejects the pair, unless it is in set.
func (k *feedKit) rejects(feed ports.PriceFeed, set ports.PairSet, p ports.Pair) {
	if !set.Has(p) {
		price, err := feed.Mid(k.Context(), p)
		if err == nil {
			k.Fatalf("%q is not on offer, but Mid returned %s", p, price.Mid)
		}
		k.Code(err, errcodes.PairNotOffered, "Mid of a pair that is not on offer")
	}
}

func checkPairsStable(k *feedKit) {
	feed := k.Open(k.TB)
	first := k.pairs(feed)
	k.live(feed)
	again := k.pairs(feed)
	if first.Len() != again.Len() {
		k.Fatalf("Pairs returned %d pairs, and %d a moment later", first.Len(), again.Len())
	}
	for _, p := range first.All() {
		if !again.Has(p) {
			k.Fatalf("Pairs returned %s, but not a moment later", p)
		}
	}
}

// checkInverse compares the two directions of a pair. Sources round and derive
// each direction in their own way. A feed that returns one direction's number for
// the other is wrong by far more than the 5 % allowed, unless it is close to 1.
func checkInverse(k *feedKit) {
	prices := k.live(k.Open(k.TB))
	lowest, highest := big.NewRat(95, 100), big.NewRat(105, 100)
	k.eachPrice(prices, func(pair ports.Pair, there ports.Price) {
		back, ok := prices[pair.Inverse()]
		if !ok {
			return
		}
		x, ok1 := new(big.Rat).SetString(there.Mid)
		y, ok2 := new(big.Rat).SetString(back.Mid)
		if !ok1 || !ok2 {
			k.Fatalf("the mids of %s and its inverse are %q and %q, want numbers", pair, there.Mid, back.Mid)
		}
		if round := x.Mul(x, y); round.Cmp(lowest) < 0 || round.Cmp(highest) > 0 {
			k.Fatalf("%s is %s and %s is %s: their product is %s, want about 1",
				pair, there.Mid, back.Pair, back.Mid, round.FloatString(4))
		}
	})
}

// promptly is how long a call may take to return once its context is done.
const promptly = time.Minute

func checkFeedContext(k *feedKit) {
	feed := k.Open(k.TB)
	pair := k.anyLive(feed)
	for want, ctx := range kit.ByName(kit.Done(k)) {
		k.Case("Mid "+string(want), func() {
			k.prompt("Mid", want, func() error { _, err := feed.Mid(ctx, pair); return err })
		})
		k.Case("Pairs "+string(want), func() {
			k.prompt("Pairs", want, func() error { _, err := feed.Pairs(ctx); return err })
		})
	}
}

func (k *feedKit) prompt(method string, want errcodes.Code, call func() error) {
	ended := make(chan error, 1)
	go func() { ended <- call() }()
	select {
	case err := <-ended:
		k.Code(err, want, method+" with a done context")
	case <-ports.SystemClock().After(promptly):
		k.Fatalf("%s has not returned %s after its context was done", method, promptly)
	}
}

func (k *feedKit) anyLive(feed ports.PriceFeed) ports.Pair {
	for pair := range k.live(feed) {
		return pair
	}
	return ports.Pair{}
}

func checkFeedRace(k *feedKit) {
	feed := k.Open(k.TB)
	pairs := slices.SortedFunc(maps.Keys(k.live(feed)), ports.Pair.Compare)
	k.RaceOK("one of many concurrent calls of Mid", func(i int) error {
		pair := pairs[i%len(pairs)]
		if _, err := feed.Pairs(k.Context()); err != nil {
			return err
		}
		p, err := feed.Mid(k.Context(), pair)
		if err == nil && p.Pair != pair {
			return errcodes.New(errcodes.Internal, "Mid of "+pair.String()+" returned a price of "+p.Pair.String())
		}
		return err
	})
}

func checkNeverRead(k *feedKit) {
	k.Need(k.NeverRead != nil, "FeedHarness.NeverRead")
	k.nothing(k.NeverRead(k.TB))
}

func checkNoLivePrice(k *feedKit) {
	k.Need(k.NoLivePrice != nil, "FeedHarness.NoLivePrice")
	feed, pair := k.NoLivePrice(k.TB)
	if !k.pairs(feed).Has(pair) {
		k.Fatalf("NoLivePrice's pair %s is not on offer", pair)
	}
	_, err := feed.Mid(k.Context(), pair)
	k.Code(err, errcodes.PriceUnavailable, "Mid")
}

func checkDown(k *feedKit) {
	k.Need(k.Down != nil, "FeedHarness.Down")
	feed, fail := k.Down(k.TB)
	before := k.live(feed)
	fail()
	if _, err := feed.Pairs(k.Context()); err != nil {
		k.Code(err, errcodes.PriceUnavailable, "Pairs")
	}
	k.unchanged(feed, before, "is down")
}

// unchanged checks that each price is as before, or unavailable.
func (k *feedKit) unchanged(feed ports.PriceFeed, before map[ports.Pair]ports.Price, source string) {
	k.eachPrice(before, func(pair ports.Pair, was ports.Price) {
		is, err := feed.Mid(k.Context(), pair)
		if err != nil {
			k.Code(err, errcodes.PriceUnavailable, "Mid of "+pair.String())
			return
		}
		if is.Mid != was.Mid || !is.At.Equal(was.At) {
			k.Fatalf("the source of %s %s, but its price, %s of %s, changed to %s of %s",
				pair, source, was.Mid, was.At, is.Mid, is.At)
		}
	})
}

func checkLookAgain(k *feedKit) {
	k.Need(k.LookAgain != nil, "FeedHarness.LookAgain")
	feed, later := k.LookAgain(k.TB)
	before := k.live(feed)
	later()
	k.eachPrice(before, func(pair ports.Pair, was ports.Price) {
		is, err := feed.Mid(k.Context(), pair)
		if err != nil {
			k.Fatalf("the source has not changed, but Mid of %s returned the error %v", pair, err)
		}
		if is.Mid != was.Mid || !is.At.Equal(was.At) {
			k.Fatalf("the source has not changed, but its price of %s, %s of %s, changed to %s of %s: a price has the source's time, not that of the request",
				pair, was.Mid, was.At, is.Mid, is.At)
		}
	})
}

func checkBroken(k *feedKit) {
	k.Need(len(k.Broken) > 0, "FeedHarness.Broken")
	kit.EachOf(k, k.Broken, func(name string, open func(tb testing.TB) ports.PriceFeed) { k.nothing(open(k.TB)) })
}

func checkTooMany(k *feedKit) {
	k.Need(k.TooMany != nil, "FeedHarness.TooMany")
	feed, grow := k.TooMany(k.TB)
	before, offered := k.live(feed), k.pairs(feed).All()
	grow(tooManyCurrencies())
	k.unchanged(feed, before, "names too many currencies") // asks the source, which Pairs need not do
	if set, err := feed.Pairs(k.Context()); err != nil {
		k.Code(err, errcodes.PriceUnavailable, "Pairs")
	} else if !slices.Equal(set.All(), offered) {
		k.Fatalf("Pairs returned %d pairs, and %d after its source had named %d currencies, more than ports.MaxFeedCurrencies",
			len(offered), set.Len(), ports.MaxFeedCurrencies+1)
	}
}

// tooManyCurrencies returns one code more than ports.MaxFeedCurrencies: EUR, USD, the
// other currencies that have minor digits, and codes that do not exist.
func tooManyCurrencies() []string {
	known, unknown := []string{"EUR", "USD"}, []string{}
	for i := range 26 * 26 * 26 {
		code := string([]byte{byte('A' + i/26/26), byte('A' + i/26%26), byte('A' + i%26)})
		if _, ok := ports.MinorDigits(code); ok && !slices.Contains(known[:2], code) {
			known = append(known, code)
		} else if !ports.KnownCurrency(code) {
			unknown = append(unknown, code)
		}
	}
	return append(known, unknown...)[:ports.MaxFeedCurrencies+1]
}

// nothing checks that the feed has no price and offers only pairs that it knows
// without its source.
func (k *feedKit) nothing(feed ports.PriceFeed) {
	set, err := feed.Pairs(k.Context())
	if err == nil {
		k.fixed(set)
	} else {
		k.Code(err, errcodes.PriceUnavailable, "Pairs")
		set = ports.NewPairSet(ports.Pair{Base: "EUR", Quote: "USD"})
	}
	for _, pair := range set.All() {
		_, err := feed.Mid(k.Context(), pair)
		k.Code(err, errcodes.PriceUnavailable, "Mid of "+pair.String())
	}
}

// fixed checks that the pairs offered without the source are exactly those offered
// with it, so that they do not depend on the source. If they are only some of them,
// the rest was learnt from the source.
func (k *feedKit) fixed(set ports.PairSet) {
	if always := k.pairs(k.Open(k.TB)).All(); set.Len() == 0 || !slices.Equal(set.All(), always) {
		k.Fatalf("Pairs returned %v before the source had a valid answer, and %v afterwards: "+
			"a feed that learns its pairs from the source returns errcodes.PriceUnavailable until then; any other feed always offers the same pairs",
			set.All(), always)
	}
}
