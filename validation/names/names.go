package names

import (
	"cmp"

	"github.com/corridor-go/corridor/errcodes"
)

// Defaults of [Thresholds].
const (
	DefaultMatch       = 70
	DefaultTypoLetters = 6
)

// hardestScore is the highest score of names that do not match at any threshold. Scores
// that a threshold decides are higher.
const hardestScore = 50

// Thresholds configures [Compare]. The zero value of a field means its default.
type Thresholds struct {
	// Match is the lowest score of a match: 51 to 100, because names that are different
	// by rule score at most 50. Default 70, which every rule with a cost passes alone
	// except JUNIOR on one side only; a first name that one side lacks just passes.
	Match int
	// TypoLetters is the length of the shortest word that may have a typing error: 4 to
	// 100; 100 allows none. Default 6: shorter names that differ by one letter are mostly
	// different names.
	TypoLetters int
}

func (t Thresholds) withDefaults() Thresholds {
	if t.Match == 0 {
		t.Match = DefaultMatch
	}
	if t.TypoLetters == 0 {
		t.TypoLetters = DefaultTypoLetters
	}
	return t
}

// Check returns [errcodes.Configuration] if a value is out of range.
func (t Thresholds) Check() error {
	t = t.withDefaults()
	return cmp.Or(
		errcodes.Within("names.Thresholds.Match", t.Match, hardestScore+1, 100),
		errcodes.Within("names.Thresholds.TypoLetters", t.TypoLetters, 4, 100),
	)
}

// Comparison is the result of [Compare].
type Comparison struct {
	Matches bool   // the score is at least Thresholds.Match, and no rule calls the names different
	Rule    string // the ID of the deciding rule, see [Rules]
	Score   int    // 0 to 100; 100 means the same name
}

// Compare reports whether a supplied name and the name that a provider returned can
// belong to the same holder (SPEC 2.7: a different name is a name_mismatch). It is
// symmetric, deterministic and defined for all texts; a name of more than 1,024 bytes or
// 24 words is decided by the rule unreadable.
//
// First Compare decides what kind of holder each side names. A legal form or a word of
// businesses (BAKERY, BANK, FUND) makes a business; a word that is also a person's name
// (TRUST, CHURCH) does so only beside two other words. Two words without such a sign are a
// person's; so is one word that is listed as a name. Any other word (SAFARICOM), or a
// masked name, may be either: the other side decides. A person never matches a business:
// that is [RuleKind]. What stands before T/A is the holder.
//
// Of two people, Compare ignores case, accents, punctuation and titles, which may not be MR
// and MRS, and pairs the words in any order, but for those of a compound (ABDEL AZIZ). Each word of one name must be found in the other; further words of
// the other are left-out names. Of two businesses, every word counts and must stand in the
// same place; a leading THE, AND and punctuation do not count, and one side may lack the
// legal form. The score starts at 100 and loses the cost of each rule that was needed; the
// most expensive rule decides. Thresholds should have passed [Thresholds.Check].
//
// In doubt Compare rejects, because a rejection can be corrected and a payout cannot: one
// word against several (MENSAH, AMA MENSAH), different legal forms, nicknames, two
// spellings that the tables list as two names. It accepts what names cannot distinguish:
// namesakes, and people with the same initial if one side has only the initial.
func Compare(supplied, returned string, thresholds Thresholds) Comparison {
	thresholds = thresholds.withDefaults()
	var a, b parsedName
	a.read(theTables(), supplied)
	b.read(theTables(), returned)
	var found tally
	switch {
	case !a.legible(), !b.legible(), a.hidden && b.hidden: // two masks would match any two names
		found.hard = ruleUnreadable
	case supplied == returned:
	case a.crowded, b.crowded:
		found.hard = ruleUnreadable
	default:
		found = compareParsed(&a, &b, thresholds.TypoLetters)
	}
	return found.comparison(thresholds)
}

// compareParsed decides what kind of holder each side names, and compares two of a kind.
func compareParsed(a, b *parsedName, typoLetters int) tally {
	formsA, formsB := a.forms, b.forms
	a.shareForms(formsB)
	b.shareForms(formsA)
	if a.business != b.business && !a.open() && !b.open() {
		return tally{hard: ruleKind, paired: 1, left: 1}
	}
	business := a.business || b.business || a.single() && b.single()
	sideA, sideB := a.arrange(business), b.arrange(business)
	x, y := &sideA, &sideB
	if y.before(x) {
		x, y = y, x
	}
	if business {
		return compareBusinesses(x, y)
	}
	return comparePeople(x, y, typoLetters)
}

// IsBusiness reports whether a name is a business's by its words: a legal form, a trade,
// or an institution. A name without such a word may still be one.
func IsBusiness(name string) bool {
	var t parsedName
	t.read(theTables(), name)
	return t.business
}
