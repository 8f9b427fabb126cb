package names

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Section is a table of names in the documentation.
type Section struct {
	Title, Text string
	Head        [2]string
	Rows        [][2]string
}

// Sections returns the tables that the page shows.
func Sections() []Section {
	return []Section{
		{"Vowels", "A misspelling writes one for the other.", [2]string{"vowel", "for"}, vowelRows()},
		{"Letters", "Unicode does not take these letters apart.", [2]string{"letter", "read as"}, letterRows()},
		{"Accents", "Left out, from the first to the last.", [2]string{"first", "last"}, accentRows()},
		{"Arabic letters", "What a letter may be in Latin script. A dash means nothing.", [2]string{"letter", "anywhere; at the beginning; at the end"}, arabicRows()},
	}
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
