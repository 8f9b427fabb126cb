package names

// Rule is a rule that can decide a comparison of names.
type Rule struct {
	ID      string // the value of Comparison.Rule
	Matches bool   // if only this rule was needed, at the default thresholds
	Cost    int    // points of each use, subtracted from 100; 0 for the same name, and if the rule means a different name
	Meaning string
	// An example that this rule decides at the default thresholds.
	Supplied, Returned string
}

// RuleKind is the ID of the rule that one side names a business and the other a person,
// see [IsBusiness].
const RuleKind = "kind"

// Rules returns the rules. IDs and their meanings are stable; costs may change.
func Rules() []Rule { return append([]Rule(nil), ruleTable[:]...) }

// ruleIndex is the index of a rule in the table. Of rules with equal costs the first one
// is reported.
type ruleIndex int

const (
	// By the first four, words are written out on both sides.
	ruleSame ruleIndex = iota
	ruleSpelling
	ruleJoined
	ruleTransliterated
	ruleMissing
	ruleInitial
	ruleForm
	ruleJoint
	ruleMasked
	ruleCut
	ruleTypo
	ruleFirstMissing
	ruleGeneration
	// All following rules mean a different name.
	ruleDifferent
	ruleSingle
	ruleWeak
	ruleTitle
	ruleKind
	ruleFormDiffers
	ruleUnreadable
	ruleCount
)

var ruleTable = [ruleCount]Rule{
	ruleSame: {
		ID: "same", Matches: true, Cost: 0, Supplied: "Ama Serwaa Mensah", Returned: "MRS. MENSAH, AMA SERWAA",
		Meaning: "The same words in any order, whatever their case, accents, punctuation and titles.",
	},
	ruleSpelling: {
		ID: "spelling", Matches: true, Cost: 2, Supplied: "Mohamed Saeed", Returned: "MUHAMMAD SAID",
		Meaning: "A word has another usual spelling: a doubled letter, a silent H, OU for U, an article, or a listed variant.",
	},
	ruleJoined: {
		ID: "joined", Matches: true, Cost: 2, Supplied: "Salah El-Din Hassanein", Returned: "HASSANEIN SALAHUDDIN",
		Meaning: "Adjacent words are written as one, also over the Arabic article between them.",
	},
	ruleTransliterated: {
		ID: "transliterated", Matches: true, Cost: 4, Supplied: "محمد حسين", Returned: "MOHAMED HUSSEIN",
		Meaning: "A word in Arabic script can be read as the word in Latin script. Of names that are both listed, the list decides.",
	},
	ruleMissing: {
		ID: "missing", Matches: true, Cost: 6, Supplied: "Ama Mensah", Returned: "AMA SERWAA MENSAH",
		Meaning: "One side lacks a name, other than the first, that the other has.",
	},
	ruleInitial: {
		ID: "initial", Matches: true, Cost: 8, Supplied: "A. S. Mensah", Returned: "AMA SERWAA MENSAH",
		Meaning: "One side has only the initial of a name.",
	},
	ruleForm: {
		ID: "form_missing", Matches: true, Cost: 8, Supplied: "Acme Trading", Returned: "ACME TRADING (PTY) LTD",
		Meaning: "The businesses have the same name; one side leaves out the legal form or part of it.",
	},
	ruleJoint: {
		ID: "joint", Matches: true, Cost: 10, Supplied: "Ama Mensah", Returned: "KOFI & AMA MENSAH",
		Meaning: "Each holder of the side with fewer holders is also a holder on the other side.",
	},
	ruleMasked: {
		ID: "masked", Matches: true, Cost: 10, Supplied: "Ama Serwaa Mensah", Returned: "AMA S***** M*****",
		Meaning: "A word is partly hidden, and its visible letters agree.",
	},
	ruleCut: {
		ID: "truncated", Matches: true, Cost: 12, Supplied: "Oluwaseun Adebayo-Ogundiran", Returned: "OLUWASEUN ADEBAYO OGUNDI",
		Meaning: "The last word is the beginning of the other side's word, and the name is as long as a bank's field (20 to 35 characters).",
	},
	ruleTypo: {
		ID: "typo", Matches: true, Cost: 14, Supplied: "Chukwuemeka Okafor", Returned: "OKAFOR CHUKWEUMEKA",
		Meaning: "A long word differs by one letter as misspellings do: two letters swapped, a vowel or H left out, E for A or I, U for O.",
	},
	ruleFirstMissing: {
		ID: "first_missing", Matches: true, Cost: 30, Supplied: "Serwaa Mensah", Returned: "AMA SERWAA MENSAH",
		Meaning: "One side lacks the first name, and two words agree. A son and his father may have such names: a Match above 70 rejects them.",
	},
	ruleGeneration: {
		ID: "generation", Cost: 40, Supplied: "John Mensah", Returned: "JOHN MENSAH JNR",
		Meaning: "Only one side has JUNIOR, SENIOR, II or III.",
	},
	ruleDifferent: {
		ID: "different", Supplied: "John Mensah", Returned: "JAMES MENSAH",
		Meaning: "Each side has a word that the other lacks, or two businesses differ in a word or in the order of words.",
	},
	ruleSingle: {
		ID: "single", Supplied: "Mensah", Returned: "AMA MENSAH",
		Meaning: "One word agrees and the other side has more: a surname alone names a family.",
	},
	ruleWeak: {
		ID: "weak", Supplied: "J. D.", Returned: "JANE DOE",
		Meaning: "Nothing differs, but no word of three letters is written out on both sides, and masked words show fewer than four letters.",
	},
	ruleTitle: {
		ID: "title", Supplied: "Mr A Mensah", Returned: "MRS A MENSAH",
		Meaning: "The titles differ, and they are MR and MRS, fewer than two names are written out, or one side lacks the first name.",
	},
	ruleKind: {
		ID: RuleKind, Supplied: "Kofi Mensah", Returned: "KOFI MENSAH BAKERY",
		Meaning: "One side is a business by a legal form, a trade or an institution, the other is a person.",
	},
	ruleFormDiffers: {
		ID: "form", Supplied: "Acme Trading Ltd", Returned: "ACME TRADING PLC",
		Meaning: "The businesses have the same name and different legal forms.",
	},
	ruleUnreadable: {
		ID: "unreadable", Supplied: "Ama Mensah", Returned: "---",
		Meaning: "A side has no visible letter, is too long (1,024 bytes, 24 words), or both sides hide letters.",
	},
}

// tally is what a comparison has found.
type tally struct {
	used   [ruleDifferent]int // number of uses of each rule
	hard   ruleIndex          // the rule that makes the names different, or zero
	paired int                // number of paired words
	left   int                // number of unpaired words of both sides

	full    int // paired words that are written out
	seen    int // paired words with at least one visible letter
	visible int // visible letters of masked words
}

// note adds two words that agree by a rule.
func (f *tally) note(rule ruleIndex, x, y *word) {
	f.used[rule]++
	f.paired++
	letters := 1
	if rule == ruleMasked {
		letters = min(x.visible(), y.visible())
		f.visible += letters
	}
	if letters > 0 {
		f.seen++
	}
	if rule <= ruleTransliterated && min(len(x.text), len(y.text)) >= fullLetters {
		f.full++
	}
}

// weak reports whether too little of the words is written out.
func (f *tally) weak() bool {
	if f.paired > 1 && f.seen < 2 {
		return true
	}
	if f.full > 0 {
		return false
	}
	guessed := f.used[ruleTypo] + f.used[ruleInitial] + f.used[ruleCut] + f.used[ruleMissing] + f.used[ruleFirstMissing]
	return guessed > 0 || f.used[ruleMasked] > 0 && f.visible < visibleLetters
}

// score returns the score, 0 to 100.
func (f *tally) score() int {
	if f.hard != 0 {
		return hardestScore * f.paired / max(f.paired+f.left, 1)
	}
	score := 100
	for i, n := range f.used {
		score -= n * ruleTable[i].Cost
	}
	return max(score, hardestScore+1)
}

// rule returns the deciding rule.
func (f *tally) rule() ruleIndex {
	if f.hard != 0 {
		return f.hard
	}
	top := ruleSame
	for i, n := range f.used {
		if n > 0 && ruleTable[i].Cost > ruleTable[top].Cost {
			top = ruleIndex(i)
		}
	}
	return top
}

func (f *tally) comparison(thresholds Thresholds) Comparison {
	score := f.score()
	return Comparison{Matches: f.hard == 0 && score >= thresholds.Match, Rule: ruleTable[f.rule()].ID, Score: score}
}

// add adds the tally of another pair of holders.
func (f *tally) add(other *tally) {
	for i := range f.used {
		f.used[i] += other.used[i]
	}
	f.paired += other.paired
	f.left += other.left
	f.hard = max(f.hard, other.hard)
}
