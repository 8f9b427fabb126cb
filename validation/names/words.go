package names

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// wordView is a word during a comparison.
type wordView struct {
	*wordSpan
	tables *tables
	text   []byte
	spelt  []byte // what Latin letters spell: the text, or the text with its Arabic article
}

func (t *parsedName) view(w *wordSpan) wordView {
	return wordView{wordSpan: w, tables: t.tables, text: t.text(*w), spelt: t.letters[w.spelt:w.end]}
}

// part returns a part of the word, looked up as a word.
func (w wordView) part(text []byte, span *wordSpan) wordView {
	span.marks = w.marks
	span.rows, span.sound = w.tables.know(text)
	return wordView{wordSpan: span, tables: w.tables, text: text, spelt: text}
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
		return w.sameName(other) || w.sameWithoutArticle(other) || other.sameWithoutArticle(w)
	case gradeTransliterated:
		return w.readsAs(other) || other.readsAs(w)
	case gradeTypo:
		return related(w.rows, other.rows) != twoNames && isTypo(w.text, other.text, typoLetters)
	case gradeInitial:
		return isInitial(w.text, other.text) || isInitial(other.text, w.text)
	case gradeSame, gradeMasked, gradeJoined, gradeCut:
	}
	return false
}

// relation is what the table of names says about two words.
type relation int

const (
	unlisted relation = iota
	oneName
	twoNames
)

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

// sameName reports whether the words are usual spellings of the same name. If both are
// listed, the table decides.
func (w wordView) sameName(other wordView) bool {
	if !sameScript(w.text, other.text) {
		return false
	}
	switch related(w.rows, other.rows) {
	case oneName:
		return true
	case twoNames:
		return bytes.Equal(w.text, other.text)
	case unlisted:
	}
	return bytes.Equal(w.text, other.text) || w.sameSound(other) || w.sameMarked(other) || sameArabic(w.text, other.text)
}

// sameWithoutArticle reports whether the word has an attached article that the other has
// too: ELMASRY is EL MASRY. If both have it attached, what follows must be one Arabic name
// of the table: ELEKE is not ALEKE.
func (w wordView) sameWithoutArticle(other wordView) bool {
	rest, attached := attachedArticle(w.text)
	if !attached || related(w.rows, other.rows) == twoNames {
		return false
	}
	if other.article {
		return w.part(rest, new(wordSpan)).sameName(other)
	}
	otherRest, _ := attachedArticle(other.text)
	rows, otherRows := w.tables.names[string(rest)], w.tables.names[string(otherRest)]
	return slices.ContainsFunc(rows, func(row int) bool { return w.tables.arabic[row] && slices.Contains(otherRows, row) })
}

func (w wordView) sameSound(other wordView) bool {
	if w.sound == 0 || w.sound != other.sound {
		return false
	}
	var a, b [maxWordLetters]byte
	return bytes.Equal(soundWord(a[:0], w.text), soundWord(b[:0], other.text))
}

// sameMarked compares words of which one has the Yoruba letter Ṣ, also written SH, or the
// Ewe letter Ɔ, also written OR.
func (w wordView) sameMarked(other wordView) bool {
	marks := (w.marks | other.marks) & (markS | markO)
	if marks == 0 || !isLatinWord(w.text) || !isLatinWord(other.text) {
		return false
	}
	var a, b, keyA, keyB [maxWordLetters]byte
	return bytes.Equal(soundWord(keyA[:0], unmarked(a[:0], w.text, marks)), soundWord(keyB[:0], unmarked(b[:0], other.text, marks)))
}

func unmarked(to, word []byte, marks letterMarks) []byte {
	for i, c := range word {
		sh := marks&markS != 0 && i > 0 && word[i-1] == 'S' && c == 'H'
		or := marks&markO != 0 && i > 0 && word[i-1] == 'O' && c == 'R'
		if !sh && !or {
			to = append(to, c)
		}
	}
	return to
}

// sameArabic reports whether two Arabic words differ only in a final hamza or in how the
// hamza before a waw is written: رءوف is رؤوف.
func sameArabic(a, b []byte) bool {
	return a[0] >= utf8.RuneSelf && bytes.Equal(withoutHamza(a), withoutHamza(b))
}

func withoutHamza(word []byte) []byte {
	return bytes.TrimSuffix(bytes.ReplaceAll(word, []byte("ءو"), []byte("وو")), []byte("ء"))
}

func sameScript(a, b []byte) bool { return (a[0] < utf8.RuneSelf) == (b[0] < utf8.RuneSelf) }

// sameWord reports whether two words are one name, in one script or in two.
func (w wordView) sameWord(other wordView) bool {
	return w.sameName(other) || w.readsAs(other) || other.readsAs(w)
}

// joins reports whether the word is the words of the text, written as one.
func (w wordView) joins(text []byte) bool {
	if w.hidden || bytes.IndexByte(text, '*') >= 0 || max(len(w.text), len(text)) > maxWordLetters {
		return false
	}
	if !beginAlike(w.text, text) {
		return false
	}
	var joined [maxWordLetters]byte
	var span wordSpan
	start, end := foldWord(joined[:copy(joined[:], text)])
	return w.sameWord(w.part(joined[start:end], &span))
}

// beginAlike reports whether two words can be one name by their first letters.
func beginAlike(a, b []byte) bool {
	if sameScript(a, b) {
		return soundLetter(a) == soundLetter(b)
	}
	if a[0] < utf8.RuneSelf {
		a, b = b, a
	}
	r, _ := utf8.DecodeRune(a)
	begins := func(spelling string) bool { return spelling == "" || spelling[0] == b[0] }
	return slices.ContainsFunc(arabicLetters[r].as, begins) || slices.ContainsFunc(arabicLetters[r].first, begins)
}

// joinsOver reports whether the word is two names with an Arabic article between them,
// each in some spelling: SEIFELISLAM, SALAHUDDIN and HEBATALLAH are SAIF EL ISLAM, SALAH
// EL DIN and HEBA ALLAH.
func (w wordView) joinsOver(first, last wordView) bool {
	rest, attached := attachedArticle(last.text)
	if !last.article && !attached || w.hidden || first.hidden || last.hidden || len(w.text) > maxWordLetters {
		return false
	}
	if !last.article {
		last = last.part(rest, new(wordSpan))
	}
	for i := 2; i < len(w.text)-2; i++ {
		n := articleAt(w.text[i:])
		if n == 0 || i+n >= len(w.text) {
			continue
		}
		var head, stem, tail wordSpan
		if (w.part(w.text[:i], &head).sameWord(first) || w.part(bytes.TrimSuffix(w.text[:i], []byte("T")), &stem).sameWord(first)) &&
			w.part(w.text[i+n:], &tail).sameWord(last) {
			return true
		}
	}
	return false
}

// articleAt returns the length of the article at the beginning, whose L may have become
// the next consonant, or 0. The text has at least three bytes.
func articleAt(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("ال")):
		return len("ال")
	case strings.IndexByte("AEU", text[0]) < 0:
		return 0
	case text[1] == 'L' || text[1] == text[2]:
		return 2
	case text[0] == 'U': // NURUDEEN
		return 1
	}
	return 0
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
	if len(a) < atLeast || !isLatinWord(a) || !isLatinWord(b) {
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
