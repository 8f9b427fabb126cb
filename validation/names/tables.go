package names

import (
	"bytes"
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// wordKind is the role of a word.
type wordKind byte

const (
	plainWord wordKind = iota
	titleWord
	formWord       // a legal form
	businessWord   // only names of businesses and institutions contain it
	doubtfulWord   // a businessWord that is also a given name or a surname
	generationWord // it stays, because JUNIOR is also a given name
	andWord
	articleWord
	sisterWord    // SR
	tradingAsWord // what follows is the name of a shop
)

// rewritten reports whether words or phrases of the kind are written as the first of their
// row.
func (k wordKind) rewritten(phrases bool) bool {
	return k == businessWord || k == generationWord || k == formWord && !phrases
}

// besideNames reports whether words of the kind stand before, after or between names.
func (k wordKind) besideNames() bool { return k == titleWord || k == sisterWord || k == andWord }

// leftOut reports whether words of the kind are not compared.
func (k wordKind) leftOut(business bool) bool {
	return k == andWord || k == titleWord && !business
}

type vocabularyEntry struct {
	as       string // how the word is kept; "" means unchanged
	bit      uint64 // of a title or a legal form
	kind     wordKind
	anywhere bool // a legal form that need not stand at the end
	longest  byte // number of words of the longest phrase that begins with the word
}

// The tables. A row's words are separated by commas (in names.txt by blanks), and #
// begins a comment. In business.txt ? marks a doubtfulWord; in forms.txt + begins a form
// that contains LTD, and - one that is no legal form.
var (
	//go:embed tables/titles.txt
	titlesTable string
	//go:embed tables/forms.txt
	formsTable string
	//go:embed tables/business.txt
	businessTable string
	//go:embed tables/names.txt
	namesTable string
)

// The bits of the first two rows of titles.txt, MR and MRS.
const (
	titleOfMan   = 1
	titleOfWoman = 2
)

// noForm is the bit of COMPANY, which is not a legal form.
const noForm = 1 << 63

// generations distinguish a son from his father.
var generations = [][]string{{"JUNIOR", "JR", "JNR"}, {"SR", "SENIOR", "SNR"}, {"II"}, {"III"}}

// tradingAs are the marks between a holder and the name of the shop. Between the letters
// there is a slash.
var tradingAs = [][]string{{"T A", "T AS", "D B A", "DBA", "TRADING AS"}}

// nearVowels are vowels that misspellings confuse.
var nearVowels = map[[2]byte]bool{{'A', 'E'}: true, {'E', 'I'}: true, {'O', 'U'}: true, {'I', 'Y'}: true}

// letterFolds are letters that Unicode does not decompose: Latin letters with a stroke or
// hook, those of Hausa, Akan and Ewe, and Arabic variants. Keys are upper-case.
var letterFolds = map[rune]string{
	'Ł': "L", 'Ø': "O", 'Đ': "D", 'Ð': "D", 'Æ': "AE", 'Œ': "OE", 'ß': "SS", 'ẞ': "SS", 'Þ': "TH", 'Ħ': "H", 'Ŧ': "T", 'I': "I",
	'Ɓ': "B", 'Ɗ': "D", 'Ƙ': "K", 'Ƴ': "Y", 'Ŋ': "N", 'Ɔ': "O", 'Ɛ': "E", 'Ə': "E", 'Ɖ': "D", 'Ƒ': "F", 'Ɣ': "G", 'Ʋ': "V", 'Ɩ': "I",
	'ٱ': "ا", 'ة': "ه", 'ى': "ي", 'ی': "ي", 'ک': "ك", 'ھ': "ه", 'ہ': "ه",
}

// accents are marks by which names do not differ: Unicode's combining diacritics and
// Arabic vowel signs. Vowel signs of other scripts count as letters.
var accents = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0300, Hi: 0x036F, Stride: 1},
	{Lo: 0x0610, Hi: 0x061A, Stride: 1},
	{Lo: 0x064B, Hi: 0x065F, Stride: 1},
	{Lo: 0x0670, Hi: 0x0670, Stride: 1},
	{Lo: 0x06D6, Hi: 0x06ED, Stride: 1},
	{Lo: 0x1AB0, Hi: 0x1AFF, Stride: 1},
	{Lo: 0x1DC0, Hi: 0x1DFF, Stride: 1},
	{Lo: 0x20D0, Hi: 0x20FF, Stride: 1},
	{Lo: 0xFE20, Hi: 0xFE2F, Stride: 1},
}}

// tables are the tables as a comparison uses them.
type tables struct {
	vocabulary map[string]vocabularyEntry
	phrases    map[string]vocabularyEntry // by their letters
	forms      map[string]uint64          // the bit of each form as it is written
	names      map[string][]int           // the rows of each name
	sounds     map[string][]int           // the rows of each sound
	arabic     map[int]bool               // the rows that contain Arabic
	latin      map[int][]string           // the Latin spellings of each row
}

// theTables reads the tables when a program compares its first names.
var theTables = sync.OnceValue(func() *tables {
	t := tables{
		vocabulary: map[string]vocabularyEntry{
			"AND": {kind: andWord}, "OR": {kind: andWord}, "و": {kind: andWord}, "AL": {kind: articleWord}, "EL": {kind: articleWord},
		},
		phrases: map[string]vocabularyEntry{}, forms: map[string]uint64{},
		names: map[string][]int{}, sounds: map[string][]int{}, arabic: map[int]bool{}, latin: map[int][]string{},
	}
	t.readVocabulary()
	t.vocabulary["SR"] = vocabularyEntry{kind: sisterWord}
	t.readNames()
	return &t
})

// rowsOf splits a table into its rows.
func rowsOf(table, separator string) (rows [][]string) {
	for line := range strings.Lines(folded(table)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			rows = append(rows, strings.Split(line, separator))
		}
	}
	return rows
}

// folded writes the Arabic letters as the reader does.
func folded(text string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(text) {
		if as, known := letterFolds[r]; known {
			b.WriteString(as)
		} else if !isSilent(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (t *tables) readVocabulary() {
	tables := []struct {
		kind wordKind
		rows [][]string
	}{
		{titleWord, rowsOf(titlesTable, ", ")}, {formWord, rowsOf(formsTable, ", ")}, {businessWord, rowsOf(businessTable, ", ")},
		{generationWord, generations}, {tradingAsWord, tradingAs},
	}
	for _, phrases := range []bool{false, true} { // how a phrase is written depends on its words
		for _, table := range tables {
			for i, row := range table.rows {
				t.enterRow(table.kind, i, row, phrases)
			}
		}
	}
}

// enterRow enters the words of a row, or its phrases.
func (t *tables) enterRow(kind wordKind, i int, row []string, phrases bool) {
	entry := vocabularyEntry{bit: 1 << i}
	if first := strings.TrimLeft(row[0], marksOfRows); len(row) > 1 && kind.rewritten(phrases) && !strings.Contains(first, " ") {
		entry.as = first
	}
	switch row[0][0] {
	case '+':
		entry.bit |= 1 // of LTD, the first row
	case '-':
		entry.bit = noForm
	}
	for _, marked := range row {
		text := strings.TrimLeft(marked, marksOfRows)
		entry.kind = kind
		if marked[0] == '?' {
			entry.kind = doubtfulWord
		}
		if kind == formWord {
			t.forms[text] = entry.bit
			entry.anywhere = phrases || text[0] >= utf8.RuneSelf
		}
		switch words := strings.Fields(text); {
		case len(words) > 1 && phrases:
			t.enterPhrase(words, entry)
		case len(words) == 1 && !phrases:
			t.vocabulary[text] = entry
		}
	}
}

const marksOfRows = "?+-"

func (t *tables) enterPhrase(words []string, entry vocabularyEntry) {
	first := t.vocabulary[words[0]]
	first.longest = max(first.longest, byte(len(words)))
	t.vocabulary[words[0]] = first
	for i, word := range words {
		words[i] = cmp.Or(t.vocabulary[word].as, word)
	}
	t.phrases[strings.Join(words, "")] = entry
}

// lookUp returns the entry of a word. An Arabic word of businesses may have an article, a
// preposition, or both; one with لل, which means FOR THE, is always a word of businesses.
func (t *tables) lookUp(word []byte) vocabularyEntry {
	entry, found := t.vocabulary[string(word)]
	if found || word[0] < utf8.RuneSelf {
		return entry
	}
	for _, prefix := range []string{"لل", "وال", "ال"} {
		rest, attached := bytes.CutPrefix(word, []byte(prefix))
		entry := t.vocabulary[string(rest)]
		switch {
		case attached && len(rest) > 0 && prefix == "لل" && entry.kind != businessWord:
			return vocabularyEntry{kind: businessWord}
		case attached && (entry.kind == businessWord || entry.kind == doubtfulWord || entry.kind == formWord):
			entry.as = cmp.Or(entry.as, string(rest))
			return entry
		}
	}
	return vocabularyEntry{}
}

// readNames reads the table of names. A row is one name; words in different rows are two.
func (t *tables) readNames() {
	for row, words := range rowsOf(namesTable, " ") {
		for _, word := range words {
			var name parsedName
			name.read(t, word)
			w := name.words[0]
			if word[0] >= utf8.RuneSelf {
				t.arabic[row] = true
				if strings.HasPrefix(word, "ال") {
					w.start = w.lead
				}
			}
			text := name.text(&w)
			t.names[string(text)] = append(t.names[string(text)], row)
			if isLatinWord(text) {
				sound := string(soundWord(nil, text))
				t.sounds[sound] = append(t.sounds[sound], row)
				t.latin[row] = append(t.latin[row], string(text))
			}
		}
	}
}

// misspells reports whether the word is a misspelling of a Latin spelling of the rows.
func (t *tables) misspells(word []byte, rows []int) bool {
	return slices.ContainsFunc(rows, func(row int) bool {
		return slices.ContainsFunc(t.latin[row], func(spelling string) bool { return isTypo(word, []byte(spelling), 4) })
	})
}

// find returns the rows of a word. A Latin word that is not listed has the rows of its
// sound.
func (t *tables) find(word []byte) []int {
	rows := t.names[string(word)]
	if rows == nil && len(word) <= maxWordLetters && isLatinWord(word) {
		var key [maxWordLetters]byte
		rows = t.sounds[string(soundWord(key[:0], word))]
	}
	return rows
}
