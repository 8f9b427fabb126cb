package names

import (
	"bytes"
	"cmp"
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// wordKind is the role of a word.
type wordKind int

const (
	plainWord wordKind = iota
	titleWord
	formWord       // a legal form
	businessWord   // only names of businesses and institutions contain it
	doubtfulWord   // a businessWord that is also a given name or a surname
	generationWord // it stays, because JUNIOR is also a given name
	andWord
	articleWord
	tradingAsWord // what follows is the name of a shop
)

func (k wordKind) ofBusiness() bool { return k == businessWord || k == doubtfulWord }

// leftOut reports whether words of the kind are not compared.
func (k wordKind) leftOut(business bool) bool {
	return k == andWord || k == formWord && business || k == titleWord && !business
}

type vocabularyEntry struct {
	kind    wordKind
	bit     uint64 // of a title or a legal form
	as      string // how the word is kept; "" means unchanged
	words   int    // of a phrase
	longest int    // number of words of the longest phrase that begins with the word
	sister  bool   // SR
}

// The tables, as the page of names shows them. A row's words are separated by commas (in
// names.txt by blanks), # begins a comment, and ? marks a doubtfulWord.
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

// noForm is the bit of COMPANY, which is no legal form by law.
const noForm = 1 << 63

// generations distinguish a son from his father.
var generations = [][]string{{"JUNIOR", "JR", "JNR"}, {"SENIOR", "SR", "SNR"}, {"II"}, {"III"}}

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

var (
	legalForms                                  = rowsOf(formsTable, ", ")
	vocabulary, phrases                         = indexVocabulary()
	spellings, namesApart, listed, listedSounds = indexNames()
)

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

// indexVocabulary indexes the words of the tables, and the phrases of several words by
// their letters.
func indexVocabulary() (words, phrases map[string]vocabularyEntry) {
	words = map[string]vocabularyEntry{
		"AND": {kind: andWord}, "AL": {kind: articleWord}, "EL": {kind: articleWord}, "NIG": {as: "NIGERIA"},
	}
	for _, abd := range []string{"ABDEL", "ABDUL", "ABDAL", "ABDOUL", "ABDOL", "ABDUR", "ABDER", "ABDAR", "ABDOUR"} {
		words[abd] = vocabularyEntry{as: "ABD"}
	}
	texts := map[string]vocabularyEntry{}
	enter := func(kind wordKind, rows [][]string, kept bool) {
		for i, row := range rows {
			first := strings.TrimLeft(row[0], "?+-")
			for _, text := range row {
				entry := vocabularyEntry{kind: kind, bit: 1 << i}
				if kept && len(row) > 1 && !strings.Contains(first, " ") {
					entry.as = first
				}
				if strings.HasPrefix(text, "?") {
					entry.kind = doubtfulWord
				}
				switch row[0][0] {
				case '+':
					entry.bit |= 1 // of LTD, the first row
				case '-':
					entry.bit = noForm
				}
				texts[strings.TrimLeft(text, "?+-")] = entry
			}
		}
	}
	enter(titleWord, rowsOf(titlesTable, ", "), false)
	enter(formWord, legalForms, false)
	enter(businessWord, rowsOf(businessTable, ", "), true)
	enter(generationWord, generations, true)
	enter(tradingAsWord, tradingAs, false)
	for text, entry := range texts {
		if !strings.Contains(text, " ") {
			words[text] = entry
		}
	}
	senior := words["SR"]
	senior.sister = true
	words["SR"] = senior
	phrases = map[string]vocabularyEntry{}
	for text, entry := range texts {
		if parts := strings.Fields(text); len(parts) > 1 {
			enterPhrase(words, phrases, parts, entry)
		}
	}
	return words, phrases
}

func enterPhrase(words, phrases map[string]vocabularyEntry, parts []string, entry vocabularyEntry) {
	first := words[parts[0]]
	first.longest = max(first.longest, len(parts))
	words[parts[0]] = first
	entry.words = len(parts)
	for i, part := range parts {
		parts[i] = cmp.Or(words[part].as, part)
	}
	phrases[strings.Join(parts, "")] = entry
}

// lookUp returns the entry of a word. An Arabic word of businesses may have an article, a
// preposition, or both.
func lookUp(word []byte) vocabularyEntry {
	entry, found := vocabulary[string(word)]
	if found || word[0] < utf8.RuneSelf {
		return entry
	}
	for _, prefix := range []string{"لل", "وال", "ال"} {
		rest, attached := bytes.CutPrefix(word, []byte(prefix))
		if !attached || len(rest) == 0 {
			continue
		}
		if entry := vocabulary[string(rest)]; entry.kind.ofBusiness() || entry.kind == formWord {
			entry.as = cmp.Or(entry.as, string(rest))
			return entry
		}
		if prefix == "لل" { // FOR THE
			return vocabularyEntry{kind: businessWord}
		}
	}
	return vocabularyEntry{}
}

// indexNames indexes the table of names by word and by sound. A row is one name; words in
// different rows are two names. A row that begins with ! is a note on names that could
// pass for one; a word that only such notes contain has a row of its own.
func indexNames() (spellings, apart [][]string, words, sounds map[string][]int) {
	words, sounds = map[string][]int{}, map[string][]int{}
	row := 0
	enter := func(word string) {
		var t parsedName
		t.read(word)
		name := t.text(t.words[0])
		if strings.HasPrefix(word, "ال") {
			name = t.letters[t.words[0].lead:t.words[0].end]
		}
		words[string(name)] = append(words[string(name)], row)
		if isLatinWord(name) {
			key := string(soundWord(nil, name))
			sounds[key] = append(sounds[key], row)
		}
	}
	for _, line := range rowsOf(namesTable, ": ") {
		if names, found := strings.CutPrefix(line[0], "! "); found {
			apart = append(apart, append(strings.Fields(names), line[1:]...))
			continue
		}
		spellings = append(spellings, strings.Fields(line[0]))
		for _, word := range strings.Fields(line[0]) {
			enter(word)
		}
		row++
	}
	for _, note := range apart {
		for _, word := range note[:2] {
			if _, found := words[word]; !found {
				enter(word)
				row++
			}
		}
	}
	return spellings, apart, words, sounds
}
