package names

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Section is a table of names in the documentation.
type Section struct {
	Title, Text string
	Head        [2]string
	Rows        [][2]string
}

// Sections returns the tables as the code uses them.
func Sections() []Section {
	return []Section{
		{"Words", "A row's words are read as one. Titles are taken off, and so are legal forms, of which the two sides may not differ.", [2]string{"kind", "words"}, wordRows()},
		{"Spellings", "Each row is one name, after ABDEL- and similar prefixes have become ABD-.", [2]string{"name", "other spellings"}, groupRows(spellingGroups)},
		{"Names apart", "One could pass for a misspelling or for the transliteration of the other, and they are two names.", [2]string{"name", "other name"}, groupRows(twoNames)},
		{"Vowels", "A misspelling writes one for the other.", [2]string{"vowel", "for"}, vowelRows()},
		{"Letters", "Unicode does not take these letters apart. A hamza is left out.", [2]string{"letter", "read as"}, letterRows()},
		{"Accents", "Left out, from the first to the last.", [2]string{"first", "last"}, accentRows()},
		{"Arabic letters", "What a letter may be in Latin script. A dash means nothing.", [2]string{"letter", "anywhere; at the beginning; at the end"}, arabicRows()},
	}
}

func wordRows() (rows [][2]string) {
	kinds := map[wordKind]string{
		plainWord: "name", titleWord: "title", formWord: "legal form", tradeWord: "trade", generationWord: "generation", andWord: "and", articleWord: "article",
	}
	groups := map[[2]string][]string{}
	for _, word := range slices.Sorted(maps.Keys(vocabulary)) {
		entry := vocabulary[word]
		key := [2]string{kinds[entry.kind], cmp.Or(entry.as, word)}
		groups[key] = append(groups[key], word)
	}
	for key, words := range groups {
		if words = slices.DeleteFunc(words, func(w string) bool { return w == key[1] }); len(words) > 0 {
			key[1] += ", " + strings.Join(words, ", ")
		}
		rows = append(rows, key)
	}
	return sorted(rows)
}

func groupRows(groups map[string]int) [][2]string {
	rows := make([][2]string, slices.Max(slices.Collect(maps.Values(groups))))
	for _, word := range slices.Sorted(maps.Keys(groups)) {
		row := &rows[groups[word]-1]
		if row[0] == "" {
			row[0] = word
			continue
		}
		row[1] = strings.TrimSpace(row[1] + " " + word)
	}
	return sorted(rows)
}

func vowelRows() (rows [][2]string) {
	for pair, near := range nearVowels {
		if near {
			rows = append(rows, [2]string{string(pair[0]), string(pair[1])})
		}
	}
	return sorted(rows)
}

func letterRows() (rows [][2]string) {
	for letter, as := range letterFolds {
		rows = append(rows, [2]string{string(letter), as})
	}
	return sorted(rows)
}

func accentRows() (rows [][2]string) {
	for _, r := range accents.R16 {
		rows = append(rows, [2]string{fmt.Sprintf("U+%04X", r.Lo), fmt.Sprintf("U+%04X", r.Hi)})
	}
	return rows
}

func arabicRows() (rows [][2]string) {
	for letter, as := range arabicLetters {
		var places []string
		for _, list := range [][]string{as.as, as.first, as.last} {
			texts := slices.Clone(list)
			for i := range texts {
				texts[i] = cmp.Or(texts[i], "-")
			}
			places = append(places, strings.Join(texts, " "))
		}
		rows = append(rows, [2]string{string(letter), strings.TrimRight(strings.Join(places, "; "), "; ")})
	}
	return sorted(rows)
}

func sorted(rows [][2]string) [][2]string {
	slices.SortFunc(rows, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	return rows
}
