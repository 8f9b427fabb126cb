package names

import "strings"

// compareBusinesses compares two names of businesses word by word: each word counts, and
// so does their order. Initials, misspellings and sounds make another business.
func compareBusinesses(a, b *side) tally {
	var found tally
	i, j := 0, 0
	for i < a.count && j < b.count {
		n, m, rule := alignWords(a, b, i, j)
		if n == 0 {
			break
		}
		found.note(rule, &a.words[i], &b.words[j])
		i, j = i+n, j+m
	}
	if a.endsInForm(i, b.name.forms) && j == b.count || b.endsInForm(j, a.name.forms) && i == a.count {
		found.used[ruleCut]++
		i, j = a.count, b.count
	}
	found.left = a.count - i + b.count - j
	formsA, formsB := a.name.forms&^noForm, b.name.forms&^noForm
	switch both := formsA & formsB; {
	case found.left > 0:
		found.hard = ruleDifferent
	case found.weak():
		found.hard = ruleWeak
	case both != formsA && both != formsB:
		found.hard = ruleFormDiffers
	case a.name.forms != b.name.forms:
		found.used[ruleForm]++
	}
	return found
}

// alignWords returns how many words of each side agree from i and j on, or zero.
func alignWords(a, b *side, i, j int) (n, m int, rule ruleIndex) {
	x, y := &a.words[i], &b.words[j]
	switch {
	case x.agrees(y, ruleSame, 0):
		return 1, 1, ruleSame
	case x.agrees(y, ruleMasked, 0):
		return 1, 1, ruleMasked
	}
	if m := b.joinedAs(j, x); m > 0 {
		return 1, m, ruleJoined
	}
	if n := a.joinedAs(i, y); n > 0 {
		return n, 1, ruleJoined
	}
	if i == a.count-1 && j == b.count-1 && (a.cut && x.begins(y) || b.cut && y.begins(x)) {
		return 1, 1, ruleCut
	}
	return 0, 0, ruleSame
}

// endsInForm reports whether only the last word is left, and a bank has truncated it in
// one of the legal forms: LIM for LIMITED.
func (s *side) endsInForm(i int, forms uint64) bool {
	if !s.cut || i == 0 || i != s.count-1 || len(s.words[i].text) < 2 {
		return false
	}
	for form, bit := range s.name.tables.forms {
		if forms&bit != 0 && strings.HasPrefix(form, string(s.words[i].text)) {
			return true
		}
	}
	return false
}
