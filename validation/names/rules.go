package names

// Rule is a rule that can decide a comparison of names.
type Rule struct {
	ID      string // as Comparison.Rule gives it
	Matches bool   // by itself, at the default thresholds
	Cost    int    // what each use takes off the score of 100; 0 with a rule that makes a name another one
	Meaning string
	// An example that the rule decides at the default thresholds.
	Supplied, Returned string
}

// Rules gives the published rules. IDs and their meaning stay; costs may
// be tuned.
func Rules() []Rule { return append([]Rule(nil), ruleTable[:]...) }

// ruleIndex is a rule's place in the table. Where two rules cost the same,
// the earlier one is the one named.
type ruleIndex int

const (
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
	// From here on a rule is final.
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
		ID: "joined", Matches: true, Cost: 2, Supplied: "Ade Bayo Ogunleye", Returned: "OGUNLEYE ADEBAYO",
		Meaning: "Words that stand side by side are written as one.",
	},
	ruleTransliterated: {
		ID: "transliterated", Matches: true, Cost: 4, Supplied: "محمد حسين", Returned: "MOHAMED HUSSEIN",
		Meaning: "A word in Arabic script can be read as the word in Latin script.",
	},
	ruleMissing: {
		ID: "missing", Matches: true, Cost: 6, Supplied: "Ama Mensah", Returned: "AMA SERWAA MENSAH",
		Meaning: "One side lacks a name other than the first that the other writes.",
	},
	ruleInitial: {
		ID: "initial", Matches: true, Cost: 8, Supplied: "A. S. Mensah", Returned: "AMA SERWAA MENSAH",
		Meaning: "An initial stands for a name.",
	},
	ruleForm: {
		ID: "form_missing", Matches: true, Cost: 8, Supplied: "Acme Trading", Returned: "ACME TRADING (PTY) LTD",
		Meaning: "Two companies of one name; one side leaves out the legal form, or a part of it.",
	},
	ruleJoint: {
		ID: "joint", Matches: true, Cost: 10, Supplied: "Ama Mensah", Returned: "KOFI & AMA MENSAH",
		Meaning: "Each holder on the side with fewer is a holder on the other.",
	},
	ruleMasked: {
		ID: "masked", Matches: true, Cost: 10, Supplied: "Ama Serwaa Mensah", Returned: "AMA S***** M*****",
		Meaning: "A word is partly hidden, and what is visible of it agrees.",
	},
	ruleCut: {
		ID: "truncated", Matches: true, Cost: 12, Supplied: "Oluwaseun Adebayo-Ogundiran", Returned: "OLUWASEUN ADEBAYO OGUNDI",
		Meaning: "The last word is the beginning of the other's, in a name as long as a bank's field (20 to 35 characters).",
	},
	ruleTypo: {
		ID: "typo", Matches: true, Cost: 14, Supplied: "Chukwuemeka Okafor", Returned: "OKAFOR CHUKWEUMEKA",
		Meaning: "A long word differs by one letter in the way misspellings do: two letters swapped, a vowel or H left out, E for A or I, U for O.",
	},
	ruleFirstMissing: {
		ID: "first_missing", Matches: true, Cost: 30, Supplied: "Serwaa Mensah", Returned: "AMA SERWAA MENSAH",
		Meaning: "One side lacks the first name that the other writes, and two words agree. A son may be named after his father like this: a Match above 70 refuses it.",
	},
	ruleGeneration: {
		ID: "generation", Cost: 40, Supplied: "John Mensah", Returned: "JOHN MENSAH JNR",
		Meaning: "Only one side says JUNIOR, SENIOR, II or III.",
	},
	ruleDifferent: {
		ID: "different", Supplied: "John Mensah", Returned: "JAMES MENSAH",
		Meaning: "Each side has a word that the other has not.",
	},
	ruleSingle: {
		ID: "single", Supplied: "Mensah", Returned: "AMA MENSAH",
		Meaning: "One word agrees and the other side has more: a surname alone names a family.",
	},
	ruleWeak: {
		ID: "weak", Supplied: "J. D.", Returned: "JANE DOE",
		Meaning: "Nothing contradicts, but no word of three letters is written out alike on both sides, and hidden words show less than four letters.",
	},
	ruleTitle: {
		ID: "title", Supplied: "Mr A Mensah", Returned: "MRS A MENSAH",
		Meaning: "Fewer than two names are written out, and the titles are different ones.",
	},
	ruleKind: {
		ID: "kind", Supplied: "Kofi Mensah", Returned: "KOFI MENSAH ENTERPRISES",
		Meaning: "One side is a company by its legal form or its trade, the other is not.",
	},
	ruleFormDiffers: {
		ID: "form", Supplied: "Acme Trading Ltd", Returned: "ACME TRADING PLC",
		Meaning: "Two companies of one name with different legal forms.",
	},
	ruleUnreadable: {
		ID: "unreadable", Supplied: "Ama Mensah", Returned: "---",
		Meaning: "A side has no visible letter, is too long (1,024 bytes, 24 words), or both sides hide letters.",
	},
}

// tally counts what a comparison found.
type tally struct {
	used   [ruleDifferent]int // how often each rule was needed
	hard   ruleIndex          // a final rule; zero: none
	paired int                // words that were paired
	left   int                // words of either side that were not
}

// score gives 0 to 100.
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

// rule gives the rule that decided.
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

// add takes in what another pair of holders gave.
func (f *tally) add(other *tally) {
	for i := range f.used {
		f.used[i] += other.used[i]
	}
	f.paired += other.paired
	f.left += other.left
	f.hard = max(f.hard, other.hard)
}
