package validation

// NameRule is a rule that can decide a comparison of names.
type NameRule struct {
	ID      string // as NameComparison.Rule gives it
	Matches bool   // by itself, at the default thresholds
	Cost    int    // what each use takes off the score of 100; 0 with a rule that makes a name another one
	Meaning string
	// An example that the rule decides at the default thresholds.
	Supplied, Returned string
}

// NameRules gives the published rules. IDs and their meaning stay; costs may
// be tuned.
func NameRules() []NameRule { return append([]NameRule(nil), nameRules[:]...) }

// nameRuleIndex is a rule's place in the table. Where two rules cost the same,
// the earlier one is the one named.
type nameRuleIndex int

const (
	nameSame nameRuleIndex = iota
	nameSpelling
	nameJoined
	nameTransliterated
	nameMissing
	nameInitial
	nameForm
	nameJoint
	nameMasked
	nameCut
	nameTypo
	nameFirstMissing
	nameGeneration
	// From here on a rule is final.
	nameDifferent
	nameSingle
	nameWeak
	nameTitle
	nameKind
	nameFormDiffers
	nameUnreadable
	nameRuleCount
)

var nameRules = [nameRuleCount]NameRule{
	nameSame: {
		ID: "same", Matches: true, Cost: 0, Supplied: "Ama Serwaa Mensah", Returned: "MRS. MENSAH, AMA SERWAA",
		Meaning: "The same words in any order, whatever their case, accents, punctuation and titles.",
	},
	nameSpelling: {
		ID: "spelling", Matches: true, Cost: 2, Supplied: "Mohamed Saeed", Returned: "MUHAMMAD SAID",
		Meaning: "A word has another usual spelling: a doubled letter, a silent H, OU for U, an article, or a listed variant.",
	},
	nameJoined: {
		ID: "joined", Matches: true, Cost: 2, Supplied: "Ade Bayo Ogunleye", Returned: "OGUNLEYE ADEBAYO",
		Meaning: "Words that stand side by side are written as one.",
	},
	nameTransliterated: {
		ID: "transliterated", Matches: true, Cost: 4, Supplied: "محمد حسين", Returned: "MOHAMED HUSSEIN",
		Meaning: "A word in Arabic script can be read as the word in Latin script.",
	},
	nameMissing: {
		ID: "missing", Matches: true, Cost: 6, Supplied: "Ama Mensah", Returned: "AMA SERWAA MENSAH",
		Meaning: "One side lacks a name other than the first that the other writes.",
	},
	nameInitial: {
		ID: "initial", Matches: true, Cost: 8, Supplied: "A. S. Mensah", Returned: "AMA SERWAA MENSAH",
		Meaning: "An initial stands for a name.",
	},
	nameForm: {
		ID: "form_missing", Matches: true, Cost: 8, Supplied: "Acme Trading", Returned: "ACME TRADING (PTY) LTD",
		Meaning: "Two companies of one name; one side leaves out the legal form, or a part of it.",
	},
	nameJoint: {
		ID: "joint", Matches: true, Cost: 10, Supplied: "Ama Mensah", Returned: "KOFI & AMA MENSAH",
		Meaning: "Each holder on the side with fewer is a holder on the other.",
	},
	nameMasked: {
		ID: "masked", Matches: true, Cost: 10, Supplied: "Ama Serwaa Mensah", Returned: "AMA S***** M*****",
		Meaning: "A word is partly hidden, and what is visible of it agrees.",
	},
	nameCut: {
		ID: "truncated", Matches: true, Cost: 12, Supplied: "Oluwaseun Adebayo-Ogundiran", Returned: "OLUWASEUN ADEBAYO OGUNDI",
		Meaning: "The last word is the beginning of the other's, in a name as long as a bank's field (20 to 35 characters).",
	},
	nameTypo: {
		ID: "typo", Matches: true, Cost: 14, Supplied: "Chukwuemeka Okafor", Returned: "OKAFOR CHUKWEUMEKA",
		Meaning: "A long word differs by one letter in the way misspellings do: two letters swapped, a vowel or H left out, E for A or I, U for O.",
	},
	nameFirstMissing: {
		ID: "first_missing", Matches: true, Cost: 30, Supplied: "Serwaa Mensah", Returned: "AMA SERWAA MENSAH",
		Meaning: "One side lacks the first name that the other writes, and two words agree. A son may be named after his father like this: a Match above 70 refuses it.",
	},
	nameGeneration: {
		ID: "generation", Cost: 40, Supplied: "John Mensah", Returned: "JOHN MENSAH JNR",
		Meaning: "Only one side says JUNIOR, SENIOR, II or III.",
	},
	nameDifferent: {
		ID: "different", Supplied: "John Mensah", Returned: "JAMES MENSAH",
		Meaning: "Each side has a word that the other has not.",
	},
	nameSingle: {
		ID: "single", Supplied: "Mensah", Returned: "AMA MENSAH",
		Meaning: "One word agrees and the other side has more: a surname alone names a family.",
	},
	nameWeak: {
		ID: "weak", Supplied: "J. D.", Returned: "JANE DOE",
		Meaning: "Nothing contradicts, but no word of three letters is written out alike on both sides, and hidden words show less than four letters.",
	},
	nameTitle: {
		ID: "title", Supplied: "Mr A Mensah", Returned: "MRS A MENSAH",
		Meaning: "Fewer than two names are written out, and the titles are different ones.",
	},
	nameKind: {
		ID: "kind", Supplied: "Kofi Mensah", Returned: "KOFI MENSAH ENTERPRISES",
		Meaning: "One side is a company by its legal form or its trade, the other is not.",
	},
	nameFormDiffers: {
		ID: "form", Supplied: "Acme Trading Ltd", Returned: "ACME TRADING PLC",
		Meaning: "Two companies of one name with different legal forms.",
	},
	nameUnreadable: {
		ID: "unreadable", Supplied: "Ama Mensah", Returned: "---",
		Meaning: "A side has no visible letter, is too long (1,024 bytes, 24 words), or both sides hide letters.",
	},
}

// nameTally counts what a comparison found.
type nameTally struct {
	used   [nameDifferent]int // how often each rule was needed
	hard   nameRuleIndex      // a final rule; zero: none
	paired int                // words that were paired
	left   int                // words of either side that were not
}

// score gives 0 to 100.
func (f *nameTally) score() int {
	if f.hard != 0 {
		return hardestScore * f.paired / max(f.paired+f.left, 1)
	}
	score := 100
	for i, n := range f.used {
		score -= n * nameRules[i].Cost
	}
	return max(score, hardestScore+1)
}

// rule gives the rule that decided.
func (f *nameTally) rule() nameRuleIndex {
	if f.hard != 0 {
		return f.hard
	}
	top := nameSame
	for i, n := range f.used {
		if n > 0 && nameRules[i].Cost > nameRules[top].Cost {
			top = nameRuleIndex(i)
		}
	}
	return top
}

func (f *nameTally) comparison(thresholds NameThresholds) NameComparison {
	score := f.score()
	return NameComparison{Matches: f.hard == 0 && score >= thresholds.Match, Rule: nameRules[f.rule()].ID, Score: score}
}

// add takes in what another pair of holders gave.
func (f *nameTally) add(other *nameTally) {
	for i := range f.used {
		f.used[i] += other.used[i]
	}
	f.paired += other.paired
	f.left += other.left
	f.hard = max(f.hard, other.hard)
}
