package names

import (
	"bytes"
	"unicode/utf8"
)

// wordView is a word during a comparison.
type wordView struct {
	text    []byte
	article bool
	hidden  bool
}

// matchGrade is a kind of agreement of two words, strongest first.
type matchGrade int

const (
	gradeSame matchGrade = iota
	gradeSpelling
	gradeTransliterated
	gradeJoined
	gradeTypo
	gradeMasked
	gradeInitial
	gradeCut
)

// gradeRules maps each grade to its rule.
var gradeRules = [...]ruleIndex{
	gradeSame: ruleSame, gradeSpelling: ruleSpelling, gradeTransliterated: ruleTransliterated, gradeJoined: ruleJoined,
	gradeTypo: ruleTypo, gradeMasked: ruleMasked, gradeInitial: ruleInitial, gradeCut: ruleCut,
}

// writtenOut reports whether the grade requires the whole word on both sides.
func (g matchGrade) writtenOut() bool { return g <= gradeJoined }

// agrees reports whether two words agree in the grade. Joined and truncated words are
// found elsewhere, because they depend on the words around them.
func (w wordView) agrees(other wordView, grade matchGrade, typoLetters int) bool {
	if grade == gradeSame {
		return w.article == other.article && !w.hidden && !other.hidden && bytes.Equal(w.text, other.text)
	}
	if max(len(w.text), len(other.text)) > maxWordLetters {
		return false
	}
	if w.hidden || other.hidden {
		return grade == gradeMasked && w.visibleIn(other)
	}
	switch grade {
	case gradeSpelling:
		return w.soundsLike(other)
	case gradeTransliterated:
		return w.readsAs(other)
	case gradeTypo:
		return isTypo(w.text, other.text, typoLetters)
	case gradeInitial:
		return isInitial(w.text, other.text) || isInitial(other.text, w.text)
	case gradeSame, gradeMasked, gradeJoined, gradeCut:
	}
	return false
}

// soundsLike reports whether the words are usual spellings of the same name.
func (w wordView) soundsLike(other wordView) bool {
	if sameSound(w.text, other.text) {
		return true
	}
	rest, attached := attachedArticle(w.text)
	otherRest, otherAttached := attachedArticle(other.text)
	switch {
	case attached && otherAttached:
		return sameSound(rest, otherRest)
	case attached && other.article:
		return sameSound(rest, other.text)
	case otherAttached && w.article:
		return sameSound(w.text, otherRest)
	}
	return false
}

// minSound is the minimum length of a spelling's key: LEE is not LI.
const minSound = 3

func sameSound(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if !isLatinWord(a) || !isLatinWord(b) {
		return false
	}
	if group := spellingGroups[string(a)]; group != 0 && group == spellingGroups[string(b)] {
		return true
	}
	if firstSound(a) != firstSound(b) {
		return false
	}
	var bufA, bufB [maxWordLetters]byte
	keyA, keyB := soundWord(bufA[:0], a), soundWord(bufB[:0], b)
	return len(keyA) >= minSound && bytes.Equal(keyA, keyB)
}

func firstSound(word []byte) byte {
	sound, _ := soundAt(word)
	return sound
}

// attachedArticle splits words such as ELMASRY and ALMASRY. rest has at least minSound
// letters.
func attachedArticle(word []byte) (rest []byte, ok bool) {
	if len(word) < len("EL")+minSound || word[1] != 'L' || (word[0] != 'A' && word[0] != 'E') {
		return nil, false
	}
	return word[2:], true
}

func isInitial(initial, word []byte) bool {
	return len(initial) == 1 && isLatinWord(initial) && word[0] == initial[0]
}

// isTypo reports whether two words differ by a misspelling of one letter inside the word.
// In the languages of these markets other changes make another name: of the first letter
// (OTIENO, ATIENO), of the last (AMINA, AMINU) and of a consonant in between (WANJIRU,
// WANJIKU; OLUWAFEMI, OLUWAKEMI). Distances such as Jaro-Winkler rate all these pairs as
// nearly equal.
func isTypo(a, b []byte, atLeast int) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < atLeast || !isLatinWord(a) || !isLatinWord(b) || areTwoNames(a, b) {
		return false
	}
	return misspelt(a, b)
}

// misspelt compares two words without their common beginning and end; b is the longer
// one.
func misspelt(a, b []byte) bool {
	from := 0
	for from < len(a) && a[from] == b[from] {
		from++
	}
	till := 0
	for till < len(a)-from && a[len(a)-1-till] == b[len(b)-1-till] {
		till++
	}
	if from == 0 || till == 0 {
		return false
	}
	a, b = a[from:len(a)-till], b[from:len(b)-till]
	switch {
	case len(a) == 0 && len(b) == 1:
		return isVowel(b[0]) || b[0] == 'H'
	case len(a) == 1 && len(b) == 1:
		return nearVowels[[2]byte{a[0], b[0]}] || nearVowels[[2]byte{b[0], a[0]}]
	case len(a) == 2 && len(b) == 2:
		return a[0] == b[1] && a[1] == b[0]
	}
	return false
}

func areTwoNames(a, b []byte) bool {
	group := twoNames[string(a)]
	return group != 0 && group == twoNames[string(b)]
}

// visibleIn compares a word with a masked word, in which a mask stands for any number of
// letters.
func (w wordView) visibleIn(other wordView) bool {
	switch {
	case w.hidden && other.hidden:
		return false
	case w.hidden:
		return maskFits(w.text, other.text)
	}
	return maskFits(other.text, w.text)
}

func maskFits(mask, word []byte) bool {
	at, star, resume := 0, -1, 0
	for i := 0; i < len(word); {
		switch {
		case at < len(mask) && mask[at] == '*':
			star, resume = at, i
			at++
		case at < len(mask) && mask[at] == word[i]:
			at++
			i++
		case star >= 0: // let the last mask stand for one more letter
			resume++
			at, i = star+1, resume
		default:
			return false
		}
	}
	return at == len(mask) || (at == len(mask)-1 && mask[at] == '*')
}

// visible returns the number of visible letters of a masked word.
func (w wordView) visible() int {
	return utf8.RuneCount(w.text) - bytes.Count(w.text, []byte("*"))
}
