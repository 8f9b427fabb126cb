package names

import (
	"bytes"
	"fmt"

	"github.com/corridor-go/corridor/errcodes"
)

// Defaults of [Thresholds].
const (
	DefaultMatch       = 70
	DefaultTypoLetters = 6
)

// hardestScore is the most that a comparison scores which no threshold can
// turn into a match; what a threshold decides scores more.
const hardestScore = 50

// Thresholds tune [Compare]. The zero value of each field is its default.
type Thresholds struct {
	// Match is the lowest score of a match. Default 70, which every rule passes
	// alone but the two that cost more than 30: a first name that one side lacks,
	// and JUNIOR on one side only. 51 to 100: what is a different name by rule
	// scores at most 50 and matches at no threshold.
	Match int
	// TypoLetters is the length of the shortest word that may be misspelt by one
	// letter. Default 6: shorter names one letter apart are mostly two names.
	// 4 to 100; 100 allows no typing error.
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

// Check refuses values out of their range with errcodes.Configuration.
func (t Thresholds) Check() error {
	t = t.withDefaults()
	for _, bound := range []struct {
		name            string
		value, min, max int
	}{
		{"Match", t.Match, hardestScore + 1, 100},
		{"TypoLetters", t.TypoLetters, 4, 100},
	} {
		if bound.value < bound.min || bound.value > bound.max {
			return errcodes.New(errcodes.Configuration, fmt.Sprintf("names.Thresholds.%s is %d to %d", bound.name, bound.min, bound.max))
		}
	}
	return nil
}

// Comparison is the result of [Compare].
type Comparison struct {
	Matches bool   // no different name: the score is at least Thresholds.Match
	Rule    string // the ID of the rule that decided, see [Rules]
	Score   int    // 0 to 100; 100 is the same name
}

// Compare tells whether a supplied name and the one that a provider
// returned can be the same holder's (SPEC 2.7: a different name is a
// name_mismatch). It is symmetric, deterministic and total: any two texts give
// a result, of a name over 1,024 bytes or 24 words the rule unreadable.
//
// Names are compared word by word, in any order, after case, accents, titles
// and punctuation are taken off. Each word of the one must be found in the
// other; what the other has beyond that are names left out. A match starts at
// 100 and loses the cost of each rule that it needed; the rule that cost most
// decides. Thresholds should have passed [Thresholds.Check].
//
// What it prefers to refuse, since a refusal can be corrected and a payout
// cannot: one word against several (MENSAH, AMA MENSAH), a company against a
// person of that name, legal forms that differ, nicknames. What no comparison
// of names can tell apart it takes: namesakes, and people who share an initial
// when one side gives no more.
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

// before orders two names, so that which of them was supplied changes nothing.
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
