package ports

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Pair is an ordered currency pair, each side an upper-case ISO 4217 code.
// A rate r for it means: 1 Base = r Quote. The base is what the merchant prices
// in, the quote what the payer pays in (SPEC 4.2).
type Pair struct {
	Base  string `json:"base"`
	Quote string `json:"quote"`
}

// String gives "USD/ZAR".
func (p Pair) String() string { return p.Base + "/" + p.Quote }

// Inverse gives the pair the other way round.
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
	Mid    string    // plain decimal text, as the source gave it; SetRate reads it
	Source string    // who published it, for example "ecb"
	At     time.Time // the source's own time of the price, UTC to the millisecond; never the time of the look
}

// PriceFeed gives mid-market prices.
type PriceFeed interface {
	// Pairs gives the pairs on offer, whether or not each has a live price now.
	// It is called for every lock request, so it must be cheap: answer from
	// memory. A feed that learns from its source what is on offer, and was never
	// read, knows no pairs yet and answers errcodes.PriceUnavailable.
	Pairs(ctx context.Context) (PairSet, error)

	// Mid gives the latest price of the pair, in exactly this direction: a feed
	// that publishes only the inverse does not offer the pair. A pair that is
	// not offered is errcodes.PairNotOffered; one that is offered but has no
	// live price now (the source is down, or says so) is
	// errcodes.PriceUnavailable. The answer's Mid passes SetRate, and its At is
	// not later than the moment of the look.
	Mid(ctx context.Context, pair Pair) (Price, error)
}

// PairSet is an immutable set of pairs. The zero PairSet is empty. It is one pointer,
// since each lock that is asked for passes one on.
type PairSet struct{ of *pairs }

type pairs struct {
	codes map[uint64]struct{} // pairs of three-letter codes, packed: the common case is asked for every lock
	other map[Pair]struct{}
	list  []Pair
}

// NewPairSet makes a set of pairs; repeats count once.
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

// packed gives two codes of three bytes as one number.
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

// All returns the pairs in order. The slice is the caller's.
func (s PairSet) All() []Pair {
	if s.of == nil {
		return nil
	}
	return slices.Clone(s.of.list)
}
