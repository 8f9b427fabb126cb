package names

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// wordView is a word during a comparison.
type wordView struct {
	text    []byte
	whole   []byte // the text with an article, as written
	article bool   // AL or EL precedes it
	hidden  bool
	marked  bool // it has an Ṣ or an Ɔ
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
	gradeSame: ruleSame, gradeSpelling: ruleSpelling, gradeTransliterated: ruleTransliterated,
	gradeJoined: ruleJoined, gradeTypo: ruleTypo, gradeMasked: ruleMasked, gradeInitial: ruleInitial, gradeCut: ruleCut,
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
	a, b := withoutArticle(w, other)
	switch grade {
	case gradeSpelling:
		return sameName(w.text, other.text) || sameName(a, b) || (w.marked || other.marked) && sameUnmarked(w.text, other.text)
	case gradeTransliterated:
		return w.readsAs(other) || other.readsAs(w)
	case gradeTypo:
		return isTypo(w.text, other.text, typoLetters)
	case gradeInitial:
		return isInitial(w.text, other.text) || isInitial(other.text, w.text)
	case gradeSame, gradeMasked, gradeJoined, gradeCut:
	}
	return false
}

// withoutArticle returns the words without an article that is attached to one of them, if
// the other has one too: ELMASRY is EL MASRY.
func withoutArticle(w, other wordView) (a, b []byte) {
	rest, attached := attachedArticle(w.text)
	otherRest, otherAttached := attachedArticle(other.text)
	switch {
	case attached && otherAttached:
		return rest, otherRest
	case attached && other.article:
		return rest, other.text
	case otherAttached && w.article:
		return w.text, otherRest
	}
	return w.text, other.text
}

// joins reports whether the word is the words of the text, written as one.
func (w wordView) joins(text []byte) bool {
	if w.hidden || bytes.IndexByte(text, '*') >= 0 || max(len(w.text), len(text)) > maxWordLetters {
		return false
	}
	var joined [maxWordLetters]byte
	start, end := foldWord(joined[:copy(joined[:], text)])
	return sameWord(w.text, joined[start:end])
}

// joinsOver reports whether the word is two names with an Arabic article between them,
// each in some spelling: SEIFELISLAM, SALAHUDDIN and HEBATALLAH are SAIF EL ISLAM, SALAH
// EL DIN and HEBA ALLAH.
func (w wordView) joinsOver(first, last wordView) bool {
	if w.hidden || first.hidden || last.hidden || len(w.text) > maxWordLetters {
		return false
	}
	rest, attached := attachedArticle(last.text)
	for i := 2; i < len(w.text)-2; i++ {
		n := articleAt(w.text[i:])
		if n == 0 || !sameWord(w.text[:i], first.text) && !sameWord(bytes.TrimSuffix(w.text[:i], []byte("T")), first.text) {
			continue
		}
		if last.article && sameWord(w.text[i+n:], last.text) || attached && sameWord(w.text[i+n:], rest) {
			return true
		}
	}
	return false
}

// articleAt returns the length of the article at the beginning, whose L may have become
// the next consonant, or 0.
func articleAt(word []byte) int {
	switch {
	case bytes.HasPrefix(word, []byte("ال")):
		return len("ال")
	case strings.IndexByte("AEU", word[0]) < 0:
		return 0
	case word[1] == 'L' || word[1] == word[2]:
		return 2
	case word[0] == 'U': // NURUDEEN
		return 1
	}
	return 0
}

// sameWord reports whether two words are one name, in one script or in two.
func sameWord(a, b []byte) bool {
	x, y := wordView{text: a}, wordView{text: b}
	return sameName(a, b) || x.readsAs(y) || y.readsAs(x)
}

func sameScript(a, b []byte) bool { return (a[0] < utf8.RuneSelf) == (b[0] < utf8.RuneSelf) }

// relation is what the table of names says about two words.
type relation int

const (
	unlisted relation = iota
	oneName
	twoNames
)

// relate looks two words up.
func relate(a, b []byte) relation { return related(listedRows(a), listedRows(b)) }

// related compares the rows in which two words are listed.
func related(a, b []int) relation {
	if len(a) == 0 || len(b) == 0 {
		return unlisted
	}
	for _, row := range a {
		if slices.Contains(b, row) {
			return oneName
		}
	}
	return twoNames
}

// listedRows looks a word up. A Latin word that is not in the table is looked up by its
// sound.
func listedRows(word []byte) []int {
	if rows := listed[string(word)]; rows != nil || !isLatinWord(word) {
		return rows
	}
	var buf [maxWordLetters]byte
	return listedSounds[string(soundWord(buf[:0], word))]
}

// minSound is the minimum length of a spelling's key: LEE is not LI.
const minSound = 3

// sameName reports whether the words are usual spellings of the same name.
func sameName(a, b []byte) bool {
	if !sameScript(a, b) {
		return false
	}
	known := relate(a, b)
	return bytes.Equal(a, b) || known == oneName || known == unlisted && (sameSound(a, b) || sameArabic(a, b))
}

func sameSound(a, b []byte) bool {
	if !isLatinWord(a) || !isLatinWord(b) || firstSound(a) != firstSound(b) {
		return false
	}
	var bufA, bufB [maxWordLetters]byte
	keyA, keyB := soundWord(bufA[:0], a), soundWord(bufB[:0], b)
	return len(keyA) >= minSound && bytes.Equal(keyA, keyB)
}

// sameArabic reports whether two Arabic words differ in a final hamza only.
func sameArabic(a, b []byte) bool {
	hamza := []byte("ء")
	return bytes.Equal(bytes.TrimSuffix(a, hamza), bytes.TrimSuffix(b, hamza))
}

// sameUnmarked is sameName for words with the Yoruba letter Ṣ, which is also written SH,
// or the Ewe letter Ɔ, which is also written OR.
func sameUnmarked(a, b []byte) bool {
	var bufA, bufB [maxWordLetters]byte
	return sameName(unmarked(bufA[:0], a), unmarked(bufB[:0], b))
}

func unmarked(to, word []byte) []byte {
	for i, c := range word {
		if i == 0 || !(word[i-1] == 'S' && c == 'H' || word[i-1] == 'O' && c == 'R') {
			to = append(to, c)
		}
	}
	return to
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
	if len(a) < atLeast || !isLatinWord(a) || !isLatinWord(b) || relate(a, b) == twoNames {
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
