package names

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// word is a word during a comparison.
type word struct {
	wordSpan
	text   []byte
	spelt  []byte // what Latin letters spell: the text, or the text with its Arabic article
	rows   []int  // in the table of names
	holder int    // whose name it belongs to, from 0
}

// part returns a part of the word, looked up as a word.
func (w *word) part(text []byte) word {
	return word{wordSpan: wordSpan{marks: w.marks}, text: text, spelt: text, rows: theTables().find(text)}
}

// agrees reports whether two words agree by the rule. Joined and truncated words are
// found elsewhere, because they depend on the words around them.
func (w *word) agrees(other *word, rule ruleIndex, typoLetters int) bool {
	switch {
	case rule == ruleSame:
		return w.article() == other.article() && !w.hidden && !other.hidden && bytes.Equal(w.text, other.text)
	case max(len(w.text), len(other.text)) > maxWordLetters:
		return false
	case w.hidden || other.hidden:
		return rule == ruleMasked && (w.covers(other) || other.covers(w))
	case rule == ruleSpelling:
		return w.sameName(other) || w.sameWithoutArticle(other) || other.sameWithoutArticle(w)
	case rule == ruleTransliterated:
		return w.readsAs(other) || other.readsAs(w)
	case rule == ruleTypo:
		return !twoNames(w.rows, other.rows) && isTypo(w.text, other.text, typoLetters)
	case rule == ruleInitial:
		return w.kind != generationWord && other.kind != generationWord && (isInitial(w.text, other.text) || isInitial(other.text, w.text))
	}
	return false
}

// oneName reports whether two words are listed in the same row of the table of names.
func oneName(a, b []int) bool {
	return slices.ContainsFunc(a, func(row int) bool { return slices.Contains(b, row) })
}

// twoNames reports whether both words are listed, in different rows.
func twoNames(a, b []int) bool { return len(a) > 0 && len(b) > 0 && !oneName(a, b) }

// sameName reports whether the words are usual spellings of the same name. If both are
// listed, the table decides.
func (w *word) sameName(other *word) bool {
	switch {
	case !sameScript(w.text, other.text):
		return false
	case bytes.Equal(w.text, other.text), oneName(w.rows, other.rows):
		return true
	case twoNames(w.rows, other.rows):
		return false
	}
	return w.sameSound(other) || sameArabic(w.text, other.text)
}

// sameWithoutArticle reports whether the word has an attached article that the other has
// too: ELMASRY is EL MASRY. If both have it attached, what follows must be one Arabic name
// of the table: ELEKE is not ALEKE.
func (w *word) sameWithoutArticle(other *word) bool {
	rest := withoutArticle(w.text)
	if rest == nil || twoNames(w.rows, other.rows) {
		return false
	}
	if other.article() {
		part := w.part(rest)
		return part.sameName(other)
	}
	t := theTables()
	rows, otherRows := t.names[string(rest)], t.names[string(withoutArticle(other.text))]
	return slices.ContainsFunc(rows, func(row int) bool { return t.arabic[row] && slices.Contains(otherRows, row) })
}

// sameSound reports whether two Latin words sound alike. Where one of them has the Yoruba
// letter Ṣ or the Ewe letter Ɔ, the other may have SH or OR.
func (w *word) sameSound(other *word) bool {
	if !isLatinWord(w.text) || !isLatinWord(other.text) {
		return false
	}
	marks := (w.marks | other.marks) & (markS | markO)
	var a, b, keyA, keyB [maxWordLetters]byte
	x, y := unmarked(a[:0], w.text, marks), unmarked(b[:0], other.text, marks)
	if !beginAlike(x, y) {
		return false
	}
	key := soundWord(keyA[:0], x)
	return (len(key) >= minSound || marks != 0) && bytes.Equal(key, soundWord(keyB[:0], y))
}

// unmarked returns the word without the H of SH and the R of OR.
func unmarked(to, word []byte, marks letterMarks) []byte {
	if marks == 0 {
		return word
	}
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

// partIs reports whether a part of the word is the other word, in one script or in two.
func (w *word) partIs(text []byte, other *word) bool {
	part := w.part(text)
	return part.sameName(other) || part.readsAs(other) || other.readsAs(&part)
}

// joins reports whether the word is the words of the text, written as one. In one script
// spellings and an article differ by few letters.
func (w *word) joins(text []byte) bool {
	const most = 4 // bytes
	if sameScript(w.text, text) && (len(w.text) > len(text)+most || len(text) > len(w.text)+most) {
		return false
	}
	if w.hidden || bytes.IndexByte(text, '*') >= 0 || max(len(w.text), len(text)) > maxWordLetters || !beginAlike(w.text, text) {
		return false
	}
	var joined [maxWordLetters]byte
	start, end := foldWord(joined[:copy(joined[:], text)])
	return w.partIs(joined[start:end], w)
}

// beginAlike reports whether two words can be one name by their first letters.
func beginAlike(a, b []byte) bool {
	if sameScript(a, b) {
		x, _ := soundAt(a)
		y, _ := soundAt(b)
		return x == y
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
func (w *word) joinsOver(first, last *word) bool {
	rest := withoutArticle(last.text)
	if !last.article() && rest == nil || w.hidden || first.hidden || last.hidden || len(w.text) > maxWordLetters {
		return false
	}
	if !last.article() {
		part := last.part(rest)
		last = &part
	}
	for i := 2; i < len(w.text)-2; i++ {
		n := articleAt(w.text[i:])
		if n == 0 || i+n >= len(w.text) {
			continue
		}
		head, tail := w.text[:i], w.text[i+n:]
		if (w.partIs(head, first) || w.partIs(bytes.TrimSuffix(head, []byte("T")), first)) && w.partIs(tail, last) {
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

// withoutArticle returns what follows the article of words such as ELMASRY and ALMASRY, at
// least minSound letters, or nil.
func withoutArticle(word []byte) []byte {
	if len(word) < len("EL")+minSound || word[1] != 'L' || (word[0] != 'A' && word[0] != 'E') {
		return nil
	}
	return word[2:]
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
	from, till := 0, 0 // letters that agree at the beginning and at the end
	for from < len(a) && a[from] == b[from] {
		from++
	}
	for till < len(a)-from && a[len(a)-1-till] == b[len(b)-1-till] {
		till++
	}
	return from > 0 && till > 0 && misspelt(a[from:len(a)-till], b[from:len(b)-till])
}

// misspelt compares what differs in two words; b is not shorter than a.
func misspelt(a, b []byte) bool {
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

// begins reports whether the word is the beginning of a longer one. A letter or a number
// is no beginning.
func (w *word) begins(other *word) bool {
	return len(other.text) > len(w.text) && len(w.text) > 1 && bytes.HasPrefix(other.text, w.text) && bytes.IndexAny(w.text, "0123456789") < 0
}

// covers reports whether the word is masked and the other, which is not, fits it. A mask
// stands for any number of letters.
func (w *word) covers(other *word) bool {
	fits, err := path.Match(string(w.text), string(other.text))
	return fits && err == nil && w.hidden && !other.hidden
}

// visible returns the number of visible letters of a masked word.
func (w *word) visible() int {
	return utf8.RuneCount(w.text) - bytes.Count(w.text, []byte("*"))
}
