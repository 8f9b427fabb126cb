package ratelock

import (
	"context"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Bounds of [Terms].
const (
	MaxMarkupBps    = ports.MaxMarkupBps
	MaxToleranceBps = 100_000
	MinValidity     = time.Second
)

// Terms are what a business decides about the locks of an owner's pair. They
// are fixed into each lock at its creation (SPEC 2.3). Zero markup and zero
// tolerance are legitimate.
//
// Terms are a [Policy] themselves: the same for everybody.
type Terms struct {
	MarkupBps    int           // over the mid, in basis points: 0 to MaxMarkupBps
	Validity     time.Duration // life of a lock, whole milliseconds: MinValidity to [ports.MaxValidity]
	ToleranceBps int           // drift beyond this cancels the lock: 0 to MaxToleranceBps
}

// Policy decides on terms. Implementations must be quick and safe for
// concurrent use: Terms is called for every request.
type Policy interface {
	// Terms gives what owner gets on pair; false: nothing, which Create and
	// Use refuse with errcodes.FXNotEnabled.
	Terms(owner string, pair ports.Pair) (Terms, bool)
}

// Terms gives t to everybody.
func (t Terms) Terms(string, ports.Pair) (Terms, bool) { return t, true }

// Check reports the first value out of its bounds, as errcodes.Configuration.
func (t Terms) Check() error {
	switch {
	case t.MarkupBps < 0 || t.MarkupBps > MaxMarkupBps:
		return badTerms("markup of %d bps is outside 0 to %d", t.MarkupBps, MaxMarkupBps)
	case t.ToleranceBps < 0 || t.ToleranceBps > MaxToleranceBps:
		return badTerms("tolerance of %d bps is outside 0 to %d", t.ToleranceBps, MaxToleranceBps)
	case t.Validity < MinValidity || t.Validity > ports.MaxValidity:
		return badTerms("validity of %v is outside %v to %v", t.Validity, MinValidity, ports.MaxValidity)
	case t.Validity%time.Millisecond != 0:
		return badTerms("validity of %v is not in whole milliseconds", t.Validity)
	default:
		return nil
	}
}

func badTerms(format string, args ...any) error {
	return errcodes.New(errcodes.Configuration, fmt.Sprintf(format, args...))
}

// PolicyTable is a [Policy] written down. The most specific entry counts: the
// owner's pair, then the owner, then Everyone.
type PolicyTable struct {
	Everyone *Terms                 // owners without an entry; nil: they get nothing
	Owners   map[string]OwnerPolicy // by owner
}

// OwnerPolicy is one owner's entry of a [PolicyTable].
type OwnerPolicy struct {
	Default *Terms               // pairs without an entry; nil: they get nothing
	Pairs   map[ports.Pair]Terms // by pair
}

// Terms looks the owner's pair up.
func (p PolicyTable) Terms(owner string, pair ports.Pair) (Terms, bool) {
	entry, ok := p.Owners[owner]
	if !ok {
		return deref(p.Everyone)
	}
	if t, ok := entry.Pairs[pair]; ok {
		return t, true
	}
	return deref(entry.Default)
}

func deref(t *Terms) (Terms, bool) {
	if t == nil {
		return Terms{}, false
	}
	return *t, true
}

// Check reports the first entry out of its bounds, as errcodes.Configuration.
func (p PolicyTable) Check() error {
	all := []*Terms{p.Everyone}
	for _, entry := range p.Owners {
		all = append(all, entry.Default)
		for _, t := range entry.Pairs {
			all = append(all, &t)
		}
	}
	for _, t := range all {
		if t == nil {
			continue
		}
		if err := t.Check(); err != nil {
			return err
		}
	}
	return nil
}

// admit checks the pair and finds its terms: 400 before 422.
func (s *Service) admit(ctx context.Context, owner string, pair ports.Pair) (Terms, error) {
	return s.admitOffered(ctx, owner, pair, s.prices.pairs)
}

func (s *Service) admitOffered(
	ctx context.Context, owner string, pair ports.Pair, offered func(context.Context) (ports.PairSet, error),
) (Terms, error) {
	if !convertible(pair.Base) || !convertible(pair.Quote) || pair.Base == pair.Quote {
		return Terms{}, refusePair(pair)
	}
	// A feed that was never read cannot say what is on offer. A full book needs
	// no price, so the question goes on to the book.
	if list, err := offered(ctx); err == nil && !list.Has(pair) {
		return Terms{}, errcodes.New(errcodes.PairNotOffered, "")
	}
	terms, ok := s.policy.Terms(owner, pair)
	if !ok {
		return Terms{}, errcodes.New(errcodes.FXNotEnabled, "")
	}
	return terms, nil
}

// refusePair says what is wrong with a pair that can have no lock: a currency
// that is none, or a pair that nobody can offer.
func refusePair(pair ports.Pair) error {
	if err := checkCode("base", pair.Base); err != nil {
		return err
	}
	if err := checkCode("quote", pair.Quote); err != nil {
		return err
	}
	return errcodes.New(errcodes.PairNotOffered, "")
}

func checkCode(field, code string) error {
	switch {
	case code == "":
		return invalid(field, "required")
	case !ports.KnownCurrency(code):
		return invalid(field, "not an ISO 4217 currency code")
	default:
		return nil
	}
}

// convertible reports whether the currency has amounts to convert: gold has
// none that could be rounded.
func convertible(code string) bool {
	_, ok := ports.MinorDigits(code)
	return ok
}

func invalid(field, reason string) error {
	return errcodes.New(errcodes.InvalidRequest, field+": "+reason).
		WithDetails(errcodes.FieldDetails{Fields: []errcodes.Field{{Name: field, Reason: reason}}})
}
