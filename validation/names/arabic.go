package names

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// arabicLetter contains the Latin spellings of an Arabic letter.
type arabicLetter struct {
	as    []string // anywhere
	first []string // also at the beginning of a word
	last  []string // also at its end
}

// arabicLetters contains the 28 letters and those of loan names: their spellings anywhere;
// at the beginning; at the end. "-" stands for an empty one. Before the lookup, ta marbuta
// becomes heh.
var arabicLetters = arabicTable(map[rune]string{
	'ا': "A AA; E I O U OU; AH", 'ب': "B", 'ت': "T", 'ث': "TH T S", 'ج': "J G GU DJ DG", 'ح': "H", 'خ': "KH", 'د': "D",
	'ذ': "Z DH D TH", 'ر': "R", 'ز': "Z", 'س': "S C", 'ش': "SH CH", 'ص': "S", 'ض': "D DH", 'ط': "T", 'ظ': "Z DH TH",
	'ع': "- A E I O U", 'غ': "GH G", 'ف': "F PH V", 'ق': "Q K G C", 'ك': "K C", 'ل': "L", 'م': "M", 'ن': "N",
	'ه': "H;; A AH E EH HA", 'و': "W V O U OU OO", 'ي': "Y I EE IE EI AI AY EY", 'ء': "-;; A",
	'پ': "P", 'ڤ': "V", 'گ': "G", 'چ': "CH",
	'ﻋ': "A E I O U",               // ع at the beginning, before a consonant
	'إ': "E I",                     // at the beginning
	'ى': "Y I EE IE EI AI AY EY A", // without dots, at the end
})

func arabicTable(rows map[rune]string) map[rune]arabicLetter {
	table := make(map[rune]arabicLetter, len(rows))
	for r, row := range rows {
		var places [3][]string
		for i, place := range strings.Split(row, ";") {
			for _, spelling := range strings.Fields(place) {
				places[i] = append(places[i], strings.Trim(spelling, "-"))
			}
		}
		table[r] = arabicLetter{as: places[0], first: places[1], last: places[2]}
	}
	return table
}

// transliterates reports whether an Arabic word can be read as the Latin one. Each letter
// has one of its spellings, consonants may be doubled, and a short vowel, which Arabic
// does not write, may follow any letter but the last. Long vowels are required: حسين is
// HUSSEIN, not HASSAN. An E after -IN may be silent. Neither word may be longer than
// maxWordLetters.
func transliterates(arabic, latin []byte, marks letterMarks) bool {
	at := uint64(1) // bit i: the letters so far can be read as the first i Latin letters
	var before rune
	for rest := arabic; len(rest) > 0 && at != 0; {
		r, width := utf8.DecodeRune(rest)
		rest = rest[width:]
		next := readLetter(at, latin, arabicLetters[variant(r, rest, before == 0, marks)], before == 0, len(rest) == 0)
		if r == 'ي' && before == 'ا' && len(rest) > 0 || r == 'ي' && before != 0 && utf8.RuneCount(rest) > 1 {
			next |= readLatin(at, latin, yehAsE) // WAEL, SHERIN
		}
		if r == 'ي' && before == 'ا' && len(arabic)-len(rest) == len("اي") {
			next |= readLatin(1, latin, alefYeh) // EHAB, IMAN
		}
		at, before = next, r
	}
	if bytes.HasSuffix(latin, []byte("INE")) && bytes.HasSuffix(arabic, []byte("ين")) {
		at |= at << 1
	}
	return at&(1<<len(latin)) != 0
}

// variant returns the key of a letter whose spellings depend on its place or its marks.
func variant(r rune, rest []byte, first bool, marks letterMarks) rune {
	switch next, _ := utf8.DecodeRune(rest); {
	case r == 'ع' && first && next != 'ا' && next != 'و' && next != 'ي':
		return 'ﻋ'
	case r == 'ا' && first && marks&markBelow != 0:
		return 'إ'
	case r == 'ي' && len(rest) == 0 && marks&markDotless != 0:
		return 'ى'
	}
	return r
}

var (
	yehAsE      = []string{"E"}
	alefYeh     = []string{"E", "I", "EE"}
	shortVowels = []string{"A", "E", "I", "O", "U"}
	firstVowels = []string{"A", "E", "I", "O", "U", "OU"} // MOUHAMED, as in the Maghreb
)

// readLetter reads a letter, its double and a short vowel.
func readLetter(at uint64, latin []byte, letter arabicLetter, first, last bool) uint64 {
	next, vowels := readLatin(at, latin, letter.as), shortVowels
	if first {
		next |= readLatin(at, latin, letter.first)
		vowels = firstVowels
	}
	if last {
		next |= readLatin(at, latin, letter.last)
		vowels = nil
	}
	next |= readDoubled(next, latin)
	return next | readLatin(next, latin, vowels)
}

func readLatin(at uint64, latin []byte, spellings []string) uint64 {
	var next uint64
	for ; at != 0; at &= at - 1 {
		i := bits.TrailingZeros64(at)
		for _, s := range spellings {
			if len(latin)-i >= len(s) && string(latin[i:i+len(s)]) == s {
				next |= 1 << (i + len(s))
			}
		}
	}
	return next
}

func readDoubled(at uint64, latin []byte) uint64 {
	var next uint64
	for ; at != 0; at &= at - 1 {
		i := bits.TrailingZeros64(at)
		if i > 0 && i < len(latin) && latin[i] == latin[i-1] && !isVowel(latin[i]) {
			next |= 1 << (i + 1)
		}
	}
	return next
}

// readsAs reports whether the word is in Arabic script and the other is its
// transliteration, which may include the article: ELMASRY.
func (w *word) readsAs(other *word) bool {
	if w.text[0] < utf8.RuneSelf || !isLatinWord(other.text) {
		return false
	}
	if w.reads(other) {
		return true
	}
	rest := withoutArticle(other.text)
	if rest == nil || !w.article() {
		return false
	}
	part := other.part(rest)
	return w.reads(&part)
}

// reads reports whether the Latin word is a spelling of the Arabic one. Of a listed Arabic
// name only the listed spellings and their misspellings are, and no unlisted name has a
// Latin spelling of a listed one: سالمة is not SALMA, because سلمى is.
func (w *word) reads(latin *word) bool {
	t := theTables()
	switch {
	case len(w.rows) > 0 && len(latin.rows) > 0:
		return oneName(w.rows, latin.rows)
	case len(w.rows) > 0:
		return t.misspells(latin.text, w.rows)
	}
	listed := slices.ContainsFunc(latin.rows, func(row int) bool { return t.arabic[row] })
	return !listed && transliterates(w.spelt, latin.text, w.marks)
}
