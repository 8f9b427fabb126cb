package ratelock

import (
	"cmp"
	"context"
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
	// Terms returns what owner gets on pair; ok is false for nothing, which Create
	// and Use reject with [errcodes.FXNotEnabled].
	Terms(owner string, pair ports.Pair) (terms Terms, ok bool)
}

// Terms returns t for everybody.
func (t Terms) Terms(string, ports.Pair) (Terms, bool) { return t, true }

// Check returns [errcodes.Configuration] for the first value out of its bounds.
func (t Terms) Check() error {
	if t.Validity%time.Millisecond != 0 {
		return misconfigured("Terms.Validity is %v, want whole milliseconds", t.Validity)
	}
	return cmp.Or(
		errcodes.Within("Terms.MarkupBps", t.MarkupBps, 0, ports.MaxMarkupBps),
		errcodes.Within("Terms.ToleranceBps", t.ToleranceBps, 0, MaxToleranceBps),
		errcodes.Within("Terms.Validity", t.Validity, MinValidity, ports.MaxValidity),
	)
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

// Terms returns the terms of the most specific entry.
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

// Check returns [errcodes.Configuration] for the first entry out of its bounds.
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

// admit checks what w asks for and sets its terms: 400 before 422.
func (s *Service) admit(ctx context.Context, w *want) error {
	owner, pair := w.key.Owner, w.key.Pair
	if owner == "" {
		return errNoOwner
	}
	_, base := ports.MinorDigits(pair.Base)
	_, quote := ports.MinorDigits(pair.Quote)
	if !base || !quote || pair.Base == pair.Quote {
		return rejectPair(pair)
	}
	// A feed that was never read cannot say what is on offer. A full book needs
	// no price, so the question goes on to the book.
	offered := s.prices.pairs
	if w.tick {
		offered = s.prices.offered
	}
	if list, err := offered(ctx); err == nil && !list.Has(pair) {
		return errcodes.New(errcodes.PairNotOffered, "")
	}
	var ok bool
	if w.terms, ok = s.policy.Terms(owner, pair); !ok {
		return errcodes.New(errcodes.FXNotEnabled, "")
	}
	if w.left > noneLeft && w.left >= w.terms.Validity {
		return invalid("minLeft", "is not below the validity of "+w.terms.Validity.String())
	}
	return nil
}

// rejectPair says what is wrong with a pair that can have no lock: an unknown
// currency, or a pair that nobody can offer, as gold has no amounts to convert.
func rejectPair(pair ports.Pair) error {
	for _, side := range []struct{ field, code string }{{"base", pair.Base}, {"quote", pair.Quote}} {
		switch {
		case side.code == "":
			return invalid(side.field, "required")
		case !ports.KnownCurrency(side.code):
			return invalid(side.field, "not an ISO 4217 currency code")
		}
	}
	return errcodes.New(errcodes.PairNotOffered, "")
}

var errNoOwner = invalid("owner", "required")

func invalid(field, reason string) error {
	return errcodes.New(errcodes.InvalidRequest, field+": "+reason).
		WithDetails(errcodes.FieldDetails{Fields: []errcodes.Field{{Name: field, Reason: reason}}})
}
