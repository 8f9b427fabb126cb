package names

import (
	"bytes"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// arabicLetter contains the Latin spellings of an Arabic letter.
type arabicLetter struct {
	as    []string // anywhere
	first []string // also at the beginning of a word
	last  []string // also at its end
}

// arabicLetters contains the 28 letters and those of loan names. Before the lookup, hamza
// is dropped, ta marbuta becomes heh, and alef maksura becomes yeh.
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
	'غ': {"GH G", "", ""},
	'ف': {"F PH V", "", ""},
	'ق': {"Q K G C", "", ""},
	'ك': {"K C", "", ""},
	'ل': {"L", "", ""},
	'م': {"M", "", ""},
	'ن': {"N", "", ""},
	'ه': {"H", "", "A AH E EH HA AT ET"},
	'و': {"W V O U OU OO", "", ""},
	'ي': {"Y I EE IE EI AI AY EY", "", "A"},
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
func transliterates(arabic, latin []byte) bool {
	at := uint64(1) // bit i: the letters so far can be read as the first i Latin letters
	var before rune
	for rest := arabic; len(rest) > 0 && at != 0; {
		r, width := utf8.DecodeRune(rest)
		rest = rest[width:]
		at = readLetter(at, latin, arabicLetters[r], before == 0, len(rest) == 0) | readYeh(at, latin, r, before, rest)
		before = r
	}
	if bytes.HasSuffix(latin, []byte("INE")) && bytes.HasSuffix(arabic, []byte("ين")) {
		at |= at << 1
	}
	return at&(1<<len(latin)) != 0
}

// readYeh reads a yeh as E after an alef (WAEL) and before two more letters (SHERIN), and
// an alef before a yeh at the beginning as nothing (EHAB).
func readYeh(at uint64, latin []byte, r, before rune, rest []byte) uint64 {
	switch {
	case r == 'ا' && before == 0 && bytes.HasPrefix(rest, []byte("ي")):
		return at
	case r == 'ي' && before != 0 && (before == 'ا' && len(rest) > 0 || utf8.RuneCount(rest) > 1):
		return readLatin(at, latin, yehAsE)
	}
	return 0
}

var (
	yehAsE           = []string{"E"}
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
	rest, attached := attachedArticle(other.text)
	return w.reads(other.text) || w.article && attached && w.reads(rest)
}

func (w wordView) reads(latin []byte) bool {
	rows := listed[string(w.whole)]
	if rows == nil {
		rows = listed[string(w.text)]
	}
	known := related(rows, listedRows(latin))
	return known == oneName || known == unlisted && transliterates(w.text, latin)
}
