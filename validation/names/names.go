package names

import (
	"bytes"
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
	// by rule score at most 50. Default 70, which every rule passes alone except the two
	// that cost more than 30: a first name that one side lacks, and JUNIOR on one side
	// only.
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
// Compare ignores case, accents, titles and punctuation, and pairs the words in any
// order. Each word of one name must be found in the other; further words of the other are
// left-out names. The score starts at 100 and loses the cost of each rule that was
// needed; the most expensive rule decides. Thresholds should have passed
// [Thresholds.Check].
//
// In doubt Compare rejects, because a rejection can be corrected and a payout cannot: one
// word against several (MENSAH, AMA MENSAH), a company against a person of that name,
// different legal forms, nicknames. It accepts what names cannot distinguish: namesakes,
// and people with the same initial if one side has only the initial.
func Compare(supplied, returned string, thresholds Thresholds) Comparison {
	thresholds = thresholds.withDefaults()
	var a, b parsedName
	a.read(supplied)
	b.read(returned)
	switch {
	case !a.comparable(&b):
		return Comparison{Rule: ruleTable[ruleUnreadable].ID}
	case supplied == returned:
		return Comparison{Matches: true, Rule: ruleTable[ruleSame].ID, Score: 100}
	case a.crowded || b.crowded:
		return Comparison{Rule: ruleTable[ruleUnreadable].ID}
	case b.before(&a):
		return compareParsed(&b, &a, thresholds)
	}
	return compareParsed(&a, &b, thresholds)
}

// before orders two names, so that the result does not depend on which was supplied.
func (t *parsedName) before(other *parsedName) bool {
	if t.holders != other.holders {
		return t.holders < other.holders
	}
	if order := bytes.Compare(t.letters[:t.size], other.letters[:other.size]); order != 0 {
		return order < 0
	}
	for i := range t.count {
		if t.words[i].end != other.words[i].end {
			return t.words[i].end < other.words[i].end
		}
	}
	return false
}

func compareParsed(a, b *parsedName, thresholds Thresholds) Comparison {
	var found tally
	switch {
	case a.company() != b.company():
		found = tally{hard: ruleKind, paired: 1, left: 1}
	case a.company():
		found = compareCompanies(a, b, thresholds)
	default:
		found = compareHolders(a, b, thresholds)
	}
	return found.comparison(thresholds)
}
