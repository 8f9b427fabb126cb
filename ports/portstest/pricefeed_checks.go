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

func checkOfferedPairs(k *feedKit) {
	set := k.pairs(k.Open(k.TB))
	if set.Len() == 0 {
		k.Fatalf("no pair is on offer")
	}
	for _, p := range set.All() {
		if !kit.IsCurrency(p.Base) || !kit.IsCurrency(p.Quote) || p.Base == p.Quote {
			k.Fatalf("%q is no ordered pair of two ISO 4217 codes", p)
		}
	}
}

func checkOwnPrice(k *feedKit) {
	k.eachPrice(k.live(k.Open(k.TB)), func(pair ports.Pair, p ports.Price) {
		if p.Pair != pair {
			k.Fatalf("asked for %s, answered for %s", pair, p.Pair)
		}
	})
}

// eachPrice looks at each price in the order of the pairs. They are no cases: what
// is wrong with one is mostly wrong with all, and a feed may have a thousand.
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
			k.Fatalf("the price of %s is of %s, and it is only %s", pair, p.At, now.UTC())
		case p.At.Location() != time.UTC || p.At.Nanosecond()%int(time.Millisecond) != 0:
			k.Fatalf("the price of %s is of %s: not UTC to the millisecond", pair, p.At)
		}
	})
}

func checkPriceSource(k *feedKit) {
	k.eachPrice(k.live(k.Open(k.TB)), func(pair ports.Pair, p ports.Price) {
		if strings.TrimSpace(p.Source) == "" {
			k.Fatalf("the price of %s names no source", pair)
		}
	})
}

func checkNotOffered(k *feedKit) {
	feed := k.Open(k.TB)
	set := k.pairs(feed)
	k.Case("no pair at all", func() { k.refuses(feed, set, ports.Pair{}) })
	k.Case("made-up codes", func() { k.refuses(feed, set, ports.Pair{Base: "QQQ", Quote: "QQZ"}) })
	kit.EachOf(k, nearPairs, func(name string, near func(p ports.Pair) ports.Pair) {
		for _, p := range set.All() {
			k.refuses(feed, set, near(p))
		}
	})
}

// nearPairs make of a pair on offer one that a careless feed takes for it.
var nearPairs = map[string]func(p ports.Pair) ports.Pair{
	"the inverse":             ports.Pair.Inverse,
	"the base twice":          func(p ports.Pair) ports.Pair { return ports.Pair{Base: p.Base, Quote: p.Base} },
	"another quote":           func(p ports.Pair) ports.Pair { return ports.Pair{Base: p.Base, Quote: "QQQ"} },
	"another base":            func(p ports.Pair) ports.Pair { return ports.Pair{Base: "QQQ", Quote: p.Quote} },
	"a blank behind the base": func(p ports.Pair) ports.Pair { return ports.Pair{Base: p.Base + " ", Quote: p.Quote} },
	"a NUL behind the quote":  func(p ports.Pair) ports.Pair { return ports.Pair{Base: p.Base, Quote: p.Quote + "\x00"} },
	"lower case": func(p ports.Pair) ports.Pair {
		return ports.Pair{Base: strings.ToLower(p.Base), Quote: strings.ToLower(p.Quote)}
	},
}

// refuses checks that feed refuses the pair, unless it is in set.
func (k *feedKit) refuses(feed ports.PriceFeed, set ports.PairSet, p ports.Pair) {
	if !set.Has(p) {
		price, err := feed.Mid(k.Context(), p)
		if err == nil {
			k.Fatalf("%q is not on offer and was answered with %s", p, price.Mid)
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
		k.Fatalf("%d pairs were on offer, and %d a moment later", first.Len(), again.Len())
	}
	for _, p := range first.All() {
		if !again.Has(p) {
			k.Fatalf("%s was on offer, and was not a moment later", p)
		}
	}
}

// checkInverse compares the two directions of a pair. Sources round and derive
// each in its own way; a feed that answers one with the other's number is off
// by much more than the 5 % allowed, unless the number is close to 1.
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
			k.Fatalf("the mids of %s and its inverse are %q and %q: no numbers", pair, there.Mid, back.Mid)
		}
		if round := x.Mul(x, y); round.Cmp(lowest) < 0 || round.Cmp(highest) > 0 {
			k.Fatalf("%s is %s and %s is %s: there and back multiply to %s, not to about 1",
				pair, there.Mid, back.Pair, back.Mid, round.FloatString(4))
		}
	})
}

// promptly is how long a call may go on after its context has ended.
const promptly = 5 * time.Second

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
		k.Code(err, want, method+" on a context that is over")
	case <-ports.SystemClock().After(promptly):
		k.Fatalf("%s goes on for %s after its context has ended", method, promptly)
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
	k.RaceOK("one of many who asked at once", func(i int) error {
		pair := pairs[i%len(pairs)]
		if _, err := feed.Pairs(k.Context()); err != nil {
			return err
		}
		p, err := feed.Mid(k.Context(), pair)
		if err == nil && p.Pair != pair {
			return errcodes.New(errcodes.Internal, "asked for "+pair.String()+", answered for "+p.Pair.String())
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
		k.Fatalf("%s is not on offer", pair)
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
	k.eachPrice(before, func(pair ports.Pair, was ports.Price) {
		is, err := feed.Mid(k.Context(), pair)
		if err != nil {
			k.Code(err, errcodes.PriceUnavailable, "Mid of "+pair.String())
			return
		}
		if is.Mid != was.Mid || !is.At.Equal(was.At) {
			k.Fatalf("the source of %s is down, and its price of %s became %s of %s",
				pair, was.At, is.Mid, is.At)
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
			k.Fatalf("the source has not changed, and Mid of %s answers %v", pair, err)
		}
		if is.Mid != was.Mid || !is.At.Equal(was.At) {
			k.Fatalf("the source has not changed, and its price of %s, %s of %s, became %s of %s: a price is of the source's time, not of the look's",
				pair, was.Mid, was.At, is.Mid, is.At)
		}
	})
}

func checkBroken(k *feedKit) {
	k.Need(len(k.Broken) > 0, "FeedHarness.Broken")
	kit.EachOf(k, k.Broken, func(name string, open func(tb testing.TB) ports.PriceFeed) { k.nothing(open(k.TB)) })
}

// nothing checks that feed has no price, and offers only what it knows without
// its source.
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

// fixed checks that an offer made without the source is the one made with it:
// then the source has no part in it. Only the offer of the whole says so: a part
// of it was learnt.
func (k *feedKit) fixed(set ports.PairSet) {
	if always := k.pairs(k.Open(k.TB)).All(); set.Len() == 0 || !slices.Equal(set.All(), always) {
		k.Fatalf("Pairs offers %v though the source has said nothing that can be used, and %v once it has answered: "+
			"a feed that learns its pairs from the source answers errcodes.PriceUnavailable until then, and another offers the same always",
			set.All(), always)
	}
}
