package names

import (
	"bytes"
	"strings"
)

// compareBusinesses compares two names of businesses word by word: each word counts, and
// so does their order. Initials, misspellings and sounds make another business.
func compareBusinesses(a, b *parsedName) tally {
	x := side{text: a, words: a.words[:a.count], cut: a.mayBeCut(), exact: true}
	y := side{text: b, words: b.words[:b.count], cut: b.mayBeCut(), exact: true}
	var found tally
	i, j := 0, 0
	for i < len(x.words) && j < len(y.words) {
		n, m, grade := alignWords(&x, &y, i, j)
		if n == 0 {
			break
		}
		found.note(grade, x.view(i), y.view(j))
		i, j = i+n, j+m
	}
	if x.endsInForm(i, b) && j == len(y.words) || y.endsInForm(j, a) && i == len(x.words) {
		found.used[ruleCut]++
		i, j = len(x.words), len(y.words)
	}
	found.left = len(x.words) - i + len(y.words) - j
	formsA, formsB := a.forms&^noForm, b.forms&^noForm
	switch both := formsA & formsB; {
	case found.left > 0:
		found.hard = ruleDifferent
	case found.weak():
		found.hard = ruleWeak
	case both != formsA && both != formsB:
		found.hard = ruleFormDiffers
	case a.forms != b.forms:
		found.used[ruleForm]++
	}
	return found
}

// alignWords returns how many words of each side agree from i and j on, or zero.
func alignWords(x, y *side, i, j int) (n, m int, grade matchGrade) {
	one, other := x.view(i), y.view(j)
	switch {
	case one.agrees(other, gradeSame, 0):
		return 1, 1, gradeSame
	case bytes.Equal(one.text, other.text) && !one.hidden: // with and without an article
		return 1, 1, gradeSpelling
	case one.agrees(other, gradeMasked, 0):
		return 1, 1, gradeMasked
	}
	if m := y.joinedAs(j, one); m > 0 {
		return 1, m, gradeJoined
	}
	if n := x.joinedAs(i, other); n > 0 {
		return n, 1, gradeJoined
	}
	if i == len(x.words)-1 && j == len(y.words)-1 && (x.cut && one.begins(other) || y.cut && other.begins(one)) {
		return 1, 1, gradeCut
	}
	return 0, 0, gradeSame
}

// endsInForm reports whether only the last word is left, and a bank has truncated it in a
// legal form of the other name: LIM for LIMITED.
func (s *side) endsInForm(i int, other *parsedName) bool {
	if !s.cut || i == 0 || i != len(s.words)-1 || s.words[i].end-s.words[i].start < 2 {
		return false
	}
	for _, form := range s.text.tables.forms {
		if other.forms&form.bit != 0 && strings.HasPrefix(form.text, string(s.view(i).text)) {
			return true
		}
	}
	return false
}
