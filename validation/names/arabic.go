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

// arabicLetters contains the 28 letters and those of loan names. Before the lookup, ta
// marbuta becomes heh.
var arabicLetters = arabicTable(map[rune][3]string{
	'ا': {"A AA", "E I O U OU", "AH"},
	'ب': {"B", "", ""},
	'ت': {"T", "", ""},
	'ث': {"TH T S", "", ""},
	'ج': {"J G GU DJ DG", "", ""},
	'ح': {"H", "", ""},
	'خ': {"KH", "", ""},
	'د': {"D", "", ""},
	'ذ': {"Z DH D TH", "", ""},
	'ر': {"R", "", ""},
	'ز': {"Z", "", ""},
	'س': {"S C", "", ""},
	'ش': {"SH CH", "", ""},
	'ص': {"S", "", ""},
	'ض': {"D DH", "", ""},
	'ط': {"T", "", ""},
	'ظ': {"Z DH TH", "", ""},
	'ع': {"- A E I O U", "", ""},
	'ﻋ': {"A E I O U", "", ""}, // at the beginning, before a consonant
	'غ': {"GH G", "", ""},
	'ف': {"F PH V", "", ""},
	'ق': {"Q K G C", "", ""},
	'ك': {"K C", "", ""},
	'ل': {"L", "", ""},
	'م': {"M", "", ""},
	'ن': {"N", "", ""},
	'ه': {"H", "", "A AH E EH HA"},
	'و': {"W V O U OU OO", "", ""},
	'ي': {"Y I EE IE EI AI AY EY", "", ""},
	'ى': {"Y I EE IE EI AI AY EY A", "", ""}, // without dots, at the end
	'إ': {"E I", "", ""},                     // at the beginning
	'پ': {"P", "", ""},
	'ڤ': {"V", "", ""},
	'گ': {"G", "", ""},
	'چ': {"CH", "", ""},
	'ء': {"-", "", "A"},
})

// arabicTable splits the spellings; "-" stands for an empty one.
func arabicTable(rows map[rune][3]string) map[rune]arabicLetter {
	table := make(map[rune]arabicLetter, len(rows))
	for r, row := range rows {
		letter := arabicLetter{as: strings.Fields(row[0]), first: strings.Fields(row[1]), last: strings.Fields(row[2])}
		for _, list := range [][]string{letter.as, letter.first, letter.last} {
			for i := range list {
				list[i] = strings.Trim(list[i], "-")
			}
		}
		table[r] = letter
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
		if r == 'ي' && width+len("ا")+len(rest) == len(arabic) && before == 'ا' {
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
	yehAsE           = []string{"E"}
	alefYeh          = []string{"E", "I", "EE"}
	shortVowels      = []string{"A", "E", "I", "O", "U"}
	firstShortVowels = []string{"OU"} // MOUHAMED, as in the Maghreb
)

func readLetter(at uint64, latin []byte, letter arabicLetter, first, last bool) uint64 {
	next := readLatin(at, latin, letter.as)
	if first {
		next |= readLatin(at, latin, letter.first)
	}
	if last {
		next |= readLatin(at, latin, letter.last)
		return next | readDoubled(next, latin)
	}
	next |= readDoubled(next, latin)
	vowels := readLatin(next, latin, shortVowels)
	if first {
		vowels |= readLatin(next, latin, firstShortVowels)
	}
	return next | vowels
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
// transliteration, which may include the article: ELMASRY. If both are in the table of
// names, the table decides.
func (w wordView) readsAs(other wordView) bool {
	if w.text[0] < utf8.RuneSelf || !isLatinWord(other.text) {
		return false
	}
	if w.reads(other) {
		return true
	}
	rest, attached := attachedArticle(other.text)
	var span wordSpan
	return w.article && attached && w.reads(other.part(rest, &span))
}

// reads reports whether the Latin word is a spelling of the Arabic one. If it is listed as
// one of another Arabic name, it is none: سالمة is not SALMA, because سلمى is.
func (w wordView) reads(latin wordView) bool {
	switch known := related(w.rows, latin.rows); {
	case known != unlisted:
		return known == oneName
	case slices.ContainsFunc(latin.rows, func(row int) bool { return w.tables.arabic[row] }):
		return false
	}
	return transliterates(w.spelt, latin.text, w.marks)
}
