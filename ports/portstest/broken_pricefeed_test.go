package portstest

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// bend returns a harness whose feeds are changed by how.
func bend(how func(b *bent)) FeedHarness {
	open := func(f *fake.Feed) *bent {
		b := &bent{Feed: f}
		how(b)
		return b
	}
	nothing := func() *fake.Feed { return fake.NewFeed(func() time.Time { return feedNow }) }
	return FeedHarness{
		Now:         func() time.Time { return feedNow },
		Open:        func(testing.TB) ports.PriceFeed { return open(script()) },
		NeverRead:   func(testing.TB) ports.PriceFeed { return open(nothing()) },
		NoLivePrice: func(testing.TB) (ports.PriceFeed, ports.Pair) { return open(script()), usdngn },
		Down: func(testing.TB) (ports.PriceFeed, func()) {
			b := open(script())
			return b, func() { b.Fail(nil) }
		},
		LookAgain: func(testing.TB) (ports.PriceFeed, func()) { return open(script()), func() {} },
		TooMany:   func(testing.TB) (ports.PriceFeed, func([]string)) { return open(script()), func([]string) {} },
		Broken: map[string]func(testing.TB) ports.PriceFeed{
			"an error page": func(testing.TB) ports.PriceFeed { return open(nothing()) },
		},
	}
}

func sound() FeedHarness { return bend(func(*bent) {}) }

// changed changes the prices that a feed returns.
func changed(change func(p *ports.Price)) FeedHarness {
	return bend(func(b *bent) {
		b.mid = func(ctx context.Context, pair ports.Pair) (ports.Price, error) {
			p, err := b.Feed.Mid(ctx, pair)
			if err == nil {
				change(&p)
			}
			return p, err
		}
	})
}

// instead replaces what a feed returns where the scripted one returns the error code.
func instead(code errcodes.Code, p ports.Price, err error) FeedHarness {
	return bend(func(b *bent) {
		b.mid = func(ctx context.Context, pair ports.Pair) (ports.Price, error) {
			is, was := b.Feed.Mid(ctx, pair)
			if errcodes.Of(was) == code {
				return p, err
			}
			return is, was
		}
	})
}

// pairsInstead replaces the pairs on offer.
func pairsInstead(answer func(set ports.PairSet, err error) (ports.PairSet, error)) FeedHarness {
	return bend(func(b *bent) {
		b.pairs = func(ctx context.Context) (ports.PairSet, error) { return answer(b.Feed.Pairs(ctx)) }
	})
}

func offering(pairs ...ports.Pair) FeedHarness {
	return pairsInstead(func(ports.PairSet, error) (ports.PairSet, error) { return ports.NewPairSet(pairs...), nil })
}

var aPrice = ports.Price{Pair: eurusd, Mid: "1", Source: "?", At: feedNow}

// wrongFeeds returns wrong feeds, by the check that must catch them.
func wrongFeeds() map[string]map[string]FeedHarness {
	return map[string]map[string]FeedHarness{
		"the pairs on offer are ordered pairs of known currencies": {
			"offers nothing":                offering(),
			"offers a lower-case code":      offering(ports.Pair{Base: "eur", Quote: "USD"}),
			"offers a name":                 offering(ports.Pair{Base: "EUR", Quote: "DOLLAR"}),
			"offers a made-up base":         offering(ports.Pair{Base: "AAA", Quote: "USD"}),
			"offers a made-up quote":        offering(ports.Pair{Base: "USD", Quote: "AAA"}),
			"offers gold":                   offering(ports.Pair{Base: "XAU", Quote: "USD"}),
			"offers a pair of one currency": offering(ports.Pair{Base: "EUR", Quote: "EUR"}),
			"fails":                         pairsInstead(func(ports.PairSet, error) (ports.PairSet, error) { return ports.PairSet{}, errors.New("no") }),
		},
		"a pair on offer has its own price or no price": {
			"returns another pair's price":  changed(func(p *ports.Price) { p.Pair = eurusd }),
			"returns the inverse pair":      changed(func(p *ports.Price) { p.Pair = p.Pair.Inverse() }),
			"rejects a pair that it offers": instead(errcodes.PriceUnavailable, ports.Price{}, errcodes.PairNotOffered),
			"fails without a code":          instead(errcodes.PriceUnavailable, ports.Price{}, errors.New("no")),
			"has no price at all":           instead("", ports.Price{}, errcodes.PriceUnavailable),
		},
		"a mid is plain decimal text within bounds": {
			"returns an exponent":    changed(func(p *ports.Price) { p.Mid = "1.6e1" }),
			"returns zero":           changed(func(p *ports.Price) { p.Mid = "0" }),
			"returns a negative mid": changed(func(p *ports.Price) { p.Mid = "-" + p.Mid }),
			"returns NaN":            changed(func(p *ports.Price) { p.Mid = "NaN" }),
			"returns an empty mid":   changed(func(p *ports.Price) { p.Mid = "" }),
			"returns a comma":        changed(func(p *ports.Price) { p.Mid = strings.Replace(p.Mid, ".", ",", 1) }),
			"returns a huge number":  changed(func(p *ports.Price) { p.Mid = "9999999999999" }),
		},
		"a price has a time, in UTC to the millisecond and not in the future": {
			"returns no time":              changed(func(p *ports.Price) { p.At = time.Time{} }),
			"returns tomorrow":             changed(func(p *ports.Price) { p.At = p.At.AddDate(0, 0, 1) }),
			"returns the next millisecond": changed(func(p *ports.Price) { p.At = feedNow.Add(time.Millisecond) }),
			"returns another zone":         changed(func(p *ports.Price) { p.At = p.At.In(time.FixedZone("CET", 3600)) }),
			"returns nanoseconds":          changed(func(p *ports.Price) { p.At = p.At.Add(-time.Nanosecond) }),
		},
		"a price's MaxAge is 0 or above": {
			"declares a negative age": changed(func(p *ports.Price) { p.MaxAge = -1 }),
		},
		"a price names its source": {
			"names no source": changed(func(p *ports.Price) { p.Source = "" }),
			"names a space":   changed(func(p *ports.Price) { p.Source = " " }),
		},
		"a pair that is not on offer is rejected": {
			"returns a price":                 instead(errcodes.PairNotOffered, aPrice, nil),
			"reports it as unavailable":       instead(errcodes.PairNotOffered, ports.Price{}, errcodes.PriceUnavailable),
			"returns an error without a code": instead(errcodes.PairNotOffered, ports.Price{}, errors.New("no")),
			"returns the inverse pair's price": bend(func(b *bent) {
				b.mid = func(ctx context.Context, pair ports.Pair) (ports.Price, error) {
					p, err := b.Feed.Mid(ctx, pair)
					if pair == eurusd.Inverse() {
						p, err = b.Feed.Mid(ctx, eurusd)
						p.Pair = pair
					}
					return p, err
				}
			}),
			"folds case": bend(func(b *bent) {
				b.mid = func(ctx context.Context, pair ports.Pair) (ports.Price, error) {
					return b.Feed.Mid(ctx, ports.Pair{Base: strings.ToUpper(pair.Base), Quote: strings.ToUpper(pair.Quote)})
				}
			}),
			"trims blanks": bend(func(b *bent) {
				b.mid = func(ctx context.Context, pair ports.Pair) (ports.Price, error) {
					return b.Feed.Mid(ctx, ports.Pair{Base: strings.TrimSpace(pair.Base), Quote: pair.Quote})
				}
			}),
			"prices a currency in itself": bend(func(b *bent) {
				b.mid = func(ctx context.Context, pair ports.Pair) (ports.Price, error) {
					if pair.Base == pair.Quote && pair.Base != "" {
						return aPrice, nil
					}
					return b.Feed.Mid(ctx, pair)
				}
			}),
		},
		"the pairs on offer do not change by themselves": {
			"drops a pair after a call": bend(func(b *bent) {
				b.mid = func(ctx context.Context, pair ports.Pair) (ports.Price, error) {
					b.Withdraw(usdngn)
					if pair == usdngn {
						return ports.Price{}, errcodes.PriceUnavailable
					}
					return b.Feed.Mid(ctx, pair)
				}
			}),
			"swaps a pair after a call": bend(func(b *bent) {
				b.mid = func(ctx context.Context, pair ports.Pair) (ports.Price, error) {
					if pair == usdngn {
						b.Withdraw(usdngn)
						b.Drop(usdngn.Inverse())
						return ports.Price{}, errcodes.PriceUnavailable
					}
					return b.Feed.Mid(ctx, pair)
				}
			}),
		},
		"an inverse pair has the price of its own direction": {
			"returns the same mid both ways": changed(func(p *ports.Price) {
				if p.Pair == usdzar.Inverse() {
					p.Mid = "16.1563"
				}
			}),
			"returns text": changed(func(p *ports.Price) { p.Mid = "?" }),
		},
		"a done context ends the call": {
			"ignores the context of Mid": bend(func(b *bent) {
				b.mid = func(ctx context.Context, pair ports.Pair) (ports.Price, error) {
					return b.Feed.Mid(context.WithoutCancel(ctx), pair)
				}
			}),
			"ignores the context of Pairs": bend(func(b *bent) {
				b.pairs = func(ctx context.Context) (ports.PairSet, error) {
					return b.Feed.Pairs(context.WithoutCancel(ctx))
				}
			}),
			"reports it as unavailable": bend(func(b *bent) {
				b.mid = func(ctx context.Context, pair ports.Pair) (ports.Price, error) {
					if ctx.Err() != nil {
						return ports.Price{}, errcodes.Wrap(errcodes.PriceUnavailable, "", ctx.Err())
					}
					return b.Feed.Mid(ctx, pair)
				}
			}),
		},
		"concurrent calls are safe": {
			"shares the last pair between calls": bend(func(b *bent) {
				var last atomic.Pointer[ports.Pair]
				meet := meeting()
				b.mid = func(ctx context.Context, pair ports.Pair) (ports.Price, error) {
					last.Store(&pair)
					meet()
					return b.Feed.Mid(ctx, *last.Load())
				}
			}),
			"rejects the second caller": bend(func(b *bent) {
				meet := meeting()
				b.mid = func(ctx context.Context, pair ports.Pair) (ports.Price, error) {
					if meet() > 1 {
						return ports.Price{}, errcodes.Conflict
					}
					return b.Feed.Mid(ctx, pair)
				}
			}),
		},
		"a feed that was never read returns PriceUnavailable": {
			"offers nothing without an error":       offering(),
			"rejects all pairs":                     instead(errcodes.PriceUnavailable, ports.Price{}, errcodes.PairNotOffered),
			"offers pairs that it cannot know":      unread(&bent{pairs: offers(eurusd), mid: answers(aPrice, errcodes.PriceUnavailable)}),
			"rejects a pair that it offers":         unread(&bent{pairs: offers(scripted...), mid: answers(aPrice, errcodes.PairNotOffered)}),
			"has a price for a pair that it offers": unread(&bent{pairs: offers(scripted...), mid: answers(aPrice, nil)}),
		},
		"a pair without a live price returns PriceUnavailable": {
			"withdraws it":                    offering(usdzar),
			"rejects it":                      instead(errcodes.PriceUnavailable, ports.Price{}, errcodes.PairNotOffered),
			"returns an old price":            instead(errcodes.PriceUnavailable, aPrice, nil),
			"returns an error without a code": instead(errcodes.PriceUnavailable, ports.Price{}, errors.New("null")),
		},
		"a failing source makes no price look newer": {
			"uses the time of the request": downAs(func(p ports.Price) (ports.Price, error) {
				p.At = p.At.Add(time.Hour)
				return p, nil
			}),
			"invents a price":                  downAs(func(p ports.Price) (ports.Price, error) { p.Mid = "1"; return p, nil }),
			"rejects its pairs":                downAs(func(ports.Price) (ports.Price, error) { return ports.Price{}, errcodes.PairNotOffered }),
			"returns the cause without a code": downAs(func(ports.Price) (ports.Price, error) { return ports.Price{}, errors.New("503") }),
			"loses its pairs": func() FeedHarness {
				h := sound()
				h.Down = func(testing.TB) (ports.PriceFeed, func()) {
					b := &bent{Feed: script()}
					return b, func() {
						b.pairs = fails(errors.New("503"))
					}
				}
				return h
			}(),
		},
		"a price keeps its source's time between calls": {
			"uses the time of the request": againAs(func(p ports.Price, now time.Time) (ports.Price, error) { p.At = now; return p, nil }),
			"ages its prices":              againAs(func(p ports.Price, _ time.Time) (ports.Price, error) { p.At = p.At.Add(-1); return p, nil }),
			"invents another price":        againAs(func(p ports.Price, _ time.Time) (ports.Price, error) { p.Mid = "1"; return p, nil }),
			"loses its prices": againAs(func(ports.Price, time.Time) (ports.Price, error) {
				return ports.Price{}, errcodes.PriceUnavailable
			}),
		},
		"a broken answer does not become a price": {
			"offers some of the source's pairs": rubbish(&bent{pairs: offers(usdzar), mid: answers(ports.Price{}, errcodes.PriceUnavailable)}),
			"offers nothing without an error":   offering(),
			"takes it for a price":              instead(errcodes.PriceUnavailable, aPrice, nil),
			"returns the cause without a code":  instead(errcodes.PriceUnavailable, ports.Price{}, errors.New("invalid character '<'")),
		},
		"a source with too many currencies is not used": {
			"offers its currencies":            grownTo(func(b *bent, c []string) { b.Offer(ports.Pair{Base: c[0], Quote: c[2]}, "1") }),
			"uses a price":                     grownTo(func(b *bent, _ []string) { b.SetAt(eurusd, "1", feedNow) }),
			"makes a price look newer":         grownTo(func(b *bent, _ []string) { b.SetAt(eurusd, "1.1733", feedNow.Add(time.Second)) }),
			"loses a pair":                     grownTo(func(b *bent, _ []string) { b.Withdraw(usdngn) }),
			"rejects its pairs":                grownTo(func(b *bent, _ []string) { b.mid = answers(ports.Price{}, errcodes.PairNotOffered) }),
			"returns the cause without a code": grownTo(func(b *bent, _ []string) { b.pairs = fails(errors.New("too many")) }),
		},
	}
}

// grownTo changes the feed whose source names too many currencies.
func grownTo(how func(b *bent, currencies []string)) FeedHarness {
	h := sound()
	h.TooMany = func(testing.TB) (ports.PriceFeed, func([]string)) {
		b := &bent{Feed: script()}
		return b, func(currencies []string) { how(b, currencies) }
	}
	return h
}

// unread replaces the feed whose source has not answered yet, and no other.
func unread(b *bent) FeedHarness {
	h := sound()
	h.NeverRead = func(testing.TB) ports.PriceFeed { return b }
	return h
}

func offers(pairs ...ports.Pair) func(context.Context) (ports.PairSet, error) {
	return func(context.Context) (ports.PairSet, error) { return ports.NewPairSet(pairs...), nil }
}

func fails(err error) func(context.Context) (ports.PairSet, error) {
	return func(context.Context) (ports.PairSet, error) { return ports.PairSet{}, err }
}

func answers(p ports.Price, err error) func(context.Context, ports.Pair) (ports.Price, error) {
	return func(context.Context, ports.Pair) (ports.Price, error) { return p, err }
}

// scripted are the pairs that the scripted feed offers.
var scripted = []ports.Pair{usdzar, usdzar.Inverse(), eurusd, usdngn}

// meeting returns a function that does not delay the sequential calls before the
// race, makes the racers wait for each other, and returns how many have arrived.
// It stops waiting after a minute.
func meeting() func() int32 {
	var come atomic.Int32
	all := make(chan struct{})
	before := int32(len(scripted))
	return func() int32 {
		n := come.Add(1) - before
		if n == kit.Racers {
			close(all)
		}
		if n > 0 {
			select {
			case <-all:
			case <-time.After(time.Minute): // a busy machine may need long
			}
		}
		return n
	}
}

// rubbish returns a harness whose feed with a source of rubbish is b. Its other feeds are sound.
func rubbish(b *bent) FeedHarness {
	h := sound()
	h.Broken = map[string]func(testing.TB) ports.PriceFeed{"rubbish": func(testing.TB) ports.PriceFeed { return b }}
	return h
}

// againAs changes what a feed returns when it asks its source again, an hour later.
func againAs(answer func(was ports.Price, now time.Time) (ports.Price, error)) FeedHarness {
	h := sound()
	h.LookAgain = func(testing.TB) (ports.PriceFeed, func()) {
		b := &bent{Feed: script()}
		return b, func() {
			b.mid = func(ctx context.Context, pair ports.Pair) (ports.Price, error) {
				p, err := b.Feed.Mid(ctx, pair)
				if err != nil {
					return p, err
				}
				return answer(p, feedNow.Add(time.Hour))
			}
		}
	}
	return h
}

// downAs changes what a feed returns while its source is down.
func downAs(answer func(last ports.Price) (ports.Price, error)) FeedHarness {
	h := sound()
	h.Down = func(testing.TB) (ports.PriceFeed, func()) {
		b := &bent{Feed: script()}
		return b, func() {
			b.mid = func(ctx context.Context, pair ports.Pair) (ports.Price, error) {
				p, err := b.Feed.Mid(ctx, pair)
				if err != nil {
					return p, err
				}
				return answer(p)
			}
		}
	}
	return h
}
