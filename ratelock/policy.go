package ratelock

import (
	"cmp"
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

// Terms are the business terms of the locks of an owner's pair. A lock keeps the terms
// of its creation (SPEC 2.3). Markup and tolerance may be zero.
//
// Terms are also a [Policy]: the same terms for every owner and pair.
type Terms struct {
	MarkupBps    int           // on top of the mid, in basis points: 0 to MaxMarkupBps
	Validity     time.Duration // life of a lock, in whole milliseconds: MinValidity to [ports.MaxValidity]
	ToleranceBps int           // drift beyond this cancels the lock: 0 to MaxToleranceBps
}

// Policy decides on terms. Implementations must be quick and safe for
// concurrent use: Terms is called for every request.
type Policy interface {
	// Terms returns the owner's terms for the pair. If ok is false, the owner has no
	// terms, and Create and Use return [errcodes.FXNotEnabled].
	Terms(owner string, pair ports.Pair) (terms Terms, ok bool)
}

// Terms returns t for every owner and pair.
func (t Terms) Terms(string, ports.Pair) (Terms, bool) { return t, true }

// Check returns [errcodes.Configuration] if a value is out of its bounds.
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

// PolicyTable is a [Policy] as a table. An owner without an entry has the terms Everyone.
type PolicyTable struct {
	Everyone *Terms                 // nil means no terms
	Owners   map[string]OwnerPolicy // by owner
}

// OwnerPolicy is one owner's entry in a [PolicyTable]. A pair without an entry has the
// terms Default.
type OwnerPolicy struct {
	Default *Terms // nil means no terms
	Pairs   map[ports.Pair]Terms
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

// Check returns [errcodes.Configuration] if a value in the table is out of its bounds.
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

// admit checks w and sets its terms. Errors with status 400 come before those with 422.
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
	// A feed that was never read does not know its pairs. An error is ignored here,
	// because a full book needs no price.
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
	if w.left > alwaysMint && w.left >= w.terms.Validity {
		return invalid("minLeft", fmt.Sprintf("is %s, want less than the validity of %s", w.left, w.terms.Validity))
	}
	return nil
}

// rejectPair returns the error for a pair that cannot have a lock: InvalidRequest for an
// unknown currency, otherwise PairNotOffered, for example for gold, which has no amounts.
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
