package ports

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Pair is an ordered currency pair, each side an upper-case ISO 4217 code.
// A rate r means that 1 Base = r Quote. The merchant prices in the base, and the
// payer pays in the quote (SPEC 4.2).
type Pair struct {
	Base  string `json:"base"`
	Quote string `json:"quote"`
}

// String returns text such as "USD/ZAR".
func (p Pair) String() string { return p.Base + "/" + p.Quote }

// Inverse returns the pair with base and quote exchanged.
func (p Pair) Inverse() Pair { return Pair{p.Quote, p.Base} }

// Compare orders pairs by base, then quote.
func (p Pair) Compare(q Pair) int {
	if c := strings.Compare(p.Base, q.Base); c != 0 {
		return c
	}
	return strings.Compare(p.Quote, q.Quote)
}

// Price is a mid-market price: 1 Pair.Base = Mid Pair.Quote.
type Price struct {
	Pair   Pair
	Mid    string    // plain decimal text as published by the source, a rate by [SetRate]
	Source string    // who published it, for example "ecb"
	At     time.Time // when the source says the price was valid, UTC to the millisecond; never the time of the call

	// MaxAge is how old the source's latest price may become before the source is late
	// with the next one, counted from At. A source that pauses on weekends and holidays
	// spans its longest pause. 0 means [DefaultMaxPriceAge].
	MaxAge time.Duration
}

// DefaultMaxPriceAge is the age up to which a price without a MaxAge can be used: from
// Friday to the same hour on Tuesday, a weekend and a holiday.
const DefaultMaxPriceAge = 96 * time.Hour

// AgeLimit returns the age above which the price is too old to be used: limit if it is
// above 0, which is for a caller that has its own, else the price's MaxAge, else
// [DefaultMaxPriceAge].
func (p Price) AgeLimit(limit time.Duration) time.Duration {
	switch {
	case limit > 0:
		return limit
	case p.MaxAge > 0:
		return p.MaxAge
	default:
		return DefaultMaxPriceAge
	}
}

// MaxFeedCurrencies is the highest number of currencies that one version of a feed's
// source may name, unknown ones included. ISO 4217 has fewer than 200.
const MaxFeedCurrencies = 300

// PriceFeed returns mid-market prices. It offers only pairs of currencies that have
// [MinorDigits]: no made-up codes, and no gold. A feed that learns its currencies from a
// source uses nothing of a version that names more than [MaxFeedCurrencies], as of any
// other invalid version.
type PriceFeed interface {
	// Pairs returns the pairs on offer, whether or not each has a live price now.
	// It is called for every lock request, so that it should answer from memory. A
	// feed that reads its pairs from its source reads it in the first call of Pairs or
	// Mid, or in its constructor, and returns [errcodes.PriceUnavailable] until it has
	// read them once.
	Pairs(ctx context.Context) (PairSet, error)

	// Mid returns the latest price of the pair in exactly this direction: a feed
	// that publishes only the inverse does not offer the pair. Mid returns
	// [errcodes.PairNotOffered] if the pair is not on offer, and
	// [errcodes.PriceUnavailable] if it has no price now (the source was never read,
	// or has suspended the pair), with a RetryAfter if the feed knows when it asks its
	// source again. While the source fails, Mid returns the last valid price with its
	// own At, by which callers see that it is old, or PriceUnavailable. The price's At
	// is not after the time of the call.
	Mid(ctx context.Context, pair Pair) (Price, error)
}

// PairSet is an immutable set of pairs. The zero PairSet is empty. It is one pointer,
// since every request for a lock copies one.
type PairSet struct{ of *pairs }

type pairs struct {
	codes map[uint64]struct{} // pairs of three-letter codes, packed: a fast path, since Has runs for every lock
	other map[Pair]struct{}
	list  []Pair
}

// NewPairSet returns the set of the pairs, without repeats.
func NewPairSet(list ...Pair) PairSet {
	s := PairSet{&pairs{codes: map[uint64]struct{}{}, other: map[Pair]struct{}{}}}
	for _, p := range list {
		if s.Has(p) {
			continue
		}
		if packed, ok := p.packed(); ok {
			s.of.codes[packed] = struct{}{}
		} else {
			s.of.other[p] = struct{}{}
		}
		s.of.list = append(s.of.list, p)
	}
	slices.SortFunc(s.of.list, Pair.Compare)
	return s
}

// packed returns two codes of three bytes as one number.
func (p Pair) packed() (uint64, bool) {
	if len(p.Base) != 3 || len(p.Quote) != 3 {
		return 0, false
	}
	return uint64(p.Base[0])<<40 | uint64(p.Base[1])<<32 | uint64(p.Base[2])<<24 |
		uint64(p.Quote[0])<<16 | uint64(p.Quote[1])<<8 | uint64(p.Quote[2]), true
}

// Has reports whether pair is in the set.
func (s PairSet) Has(pair Pair) bool {
	if s.of == nil {
		return false
	}
	if packed, ok := pair.packed(); ok {
		_, ok := s.of.codes[packed]
		return ok
	}
	_, ok := s.of.other[pair]
	return ok
}

// Len returns the number of pairs.
func (s PairSet) Len() int { return len(s.All()) }

// All returns the pairs in order, in a new slice.
func (s PairSet) All() []Pair {
	if s.of == nil {
		return nil
	}
	return slices.Clone(s.of.list)
}
