package names

import (
	"bytes"
	"cmp"
	"slices"
)

// Bounds for evidence.
const (
	fullLetters    = 3 // bytes: three Latin letters, or one of a script with short words
	visibleLetters = 4 // of masked words if no word is written out
	joinedWords    = 4 // maximum number of words that can be written as one
	shortestField  = 20
	longestField   = 35 // to which banks truncate names, in characters
)

// side is a name, or one of its holders, during a comparison.
type side struct {
	name    *parsedName
	words   [maxWords]word
	count   int
	partner [maxWords]int // the word of the other side with which a word is paired, from 1, or 0
	holders int           // of a person's account: 1 plus one for each & between words
	cut     bool          // the last word may be truncated
	exact   bool          // words are joined only letter by letter
}

// before orders two names, so that the result does not depend on which was supplied.
func (s *side) before(other *side) bool {
	return cmp.Or(
		s.holders-other.holders,
		bytes.Compare(s.name.letters[:s.name.size], other.name.letters[:other.name.size]),
		slices.CompareFunc(s.words[:s.count], other.words[:other.count], func(x, y word) int { return cmp.Or(x.end-y.end, y.holder-x.holder) }),
	) < 0
}

// comparePeople compares each holder of the name that has fewer with the best match of
// the other name.
func comparePeople(a, b *side, typoLetters int) tally {
	if b.holders == 1 {
		return compareTitled(a, b, typoLetters)
	}
	var total tally
	var taken [maxWords]bool
	for i := range a.holders {
		var best tally
		at := -1
		for j := range b.holders {
			x, y := a.holder(i), b.holder(j)
			found := compareHolders(&x, &y, typoLetters)
			if !taken[j] && (at < 0 || found.score() > best.score()) {
				best, at = found, j
			}
		}
		taken[at] = true //nolint:gosec // b has at least as many holders as a, so one is left
		total.add(&best)
	}
	if a.holders != b.holders {
		total.used[ruleJoint]++
		if total.hard == 0 && total.paired < 2 {
			total.hard = ruleSingle
		}
	}
	return total
}

// compareTitled compares two names of one holder each, whose titles may differ. MR and MRS
// of one name are a couple.
func compareTitled(a, b *side, typoLetters int) tally {
	found := compareHolders(a, b, typoLetters)
	differ := a.name.titles != 0 && b.name.titles != 0 && a.name.titles&b.name.titles == 0
	couple := (a.name.titles|b.name.titles)&(titleOfMan|titleOfWoman) == titleOfMan|titleOfWoman
	if found.hard == 0 && differ && (couple || found.full < 2 || found.used[ruleFirstMissing] > 0) {
		found.hard = ruleTitle
	}
	return found
}

// holder returns holder i. One of a single word has the surname of a neighbour: JOHN &
// MARY MENSAH, or MENSAH JOHN & MARY.
func (s *side) holder(i int) side {
	h := side{name: s.name, cut: s.cut && i == s.holders-1}
	words, before, after := s.wordsOf(i), s.wordsOf(i-1), s.wordsOf(i+1)
	for j := range words {
		h.words[j] = words[j]
	}
	h.count = len(words)
	switch {
	case h.count > 1:
	case len(after) > 1:
		h.words[1], h.count = after[len(after)-1], 2
	case len(before) > 1:
		h.words[0], h.words[1], h.count = before[0], words[0], 2
	}
	return h
}

// wordsOf returns the words of holder i, or none.
func (s *side) wordsOf(i int) []word {
	from, to := 0, 0
	for to < s.count && s.words[to].holder <= i {
		if to++; s.words[to-1].holder < i {
			from = to
		}
	}
	return s.words[from:to]
}

// pairing is the state of a comparison of two holders.
type pairing struct {
	a, b  *side
	tally tally
}

// compareHolders pairs words from the strongest agreement to the weakest.
func compareHolders(a, b *side, typoLetters int) tally {
	p := pairing{a: a, b: b}
	p.pair(ruleSame, 0)
	p.pair(ruleSpelling, 0)
	p.pair(ruleTransliterated, 0)
	p.join(a, b)
	p.join(b, a)
	p.pair(ruleTypo, typoLetters)
	p.pair(ruleMasked, 0)
	p.pair(ruleInitial, 0)
	p.pairCut(a, b)
	p.pairCut(b, a)
	p.judge()
	return p.tally
}

func (p *pairing) pair(rule ruleIndex, typoLetters int) {
	for i := range p.a.count {
		for j := range p.b.count {
			if p.a.partner[i] != 0 || p.b.partner[j] != 0 {
				continue
			}
			if x, y := &p.a.words[i], &p.b.words[j]; x.agrees(y, rule, typoLetters) {
				p.a.partner[i], p.b.partner[j] = j+1, i+1
				p.tally.note(rule, x, y)
			}
		}
	}
}

// join pairs a word of one side with several words of the other.
func (p *pairing) join(one, many *side) {
	for i := range one.count {
		x := &one.words[i]
		for from := range many.count {
			if one.partner[i] != 0 {
				break
			}
			if n := many.joinedAs(from, x); n > 0 {
				one.partner[i] = from + 1
				for j := from; j < from+n; j++ {
					many.partner[j] = i + 1
				}
				p.tally.note(ruleJoined, x, x)
			}
		}
	}
}

// joinedAs returns the number of words from from on that are written as one in x, or 0.
func (s *side) joinedAs(from int, x *word) int {
	first := &s.words[from]
	for n := 2; n <= min(joinedWords, s.count-from); n++ {
		last := &s.words[from+n-1]
		switch text := s.name.letters[first.start:last.end]; {
		case s.partner[from] != 0 || s.partner[from+n-1] != 0 || last.holder != first.holder || last.lead != s.words[from+n-2].end:
			return 0
		case s.exact:
			if bytes.Equal(x.text, text) {
				return n
			}
		case last.end-last.start == 1 && !bytes.HasSuffix(s.name.letters[:last.start], []byte("NG")):
			// AMIR A. is not AMIRA, but THIONG O is THIONG'O
		case x.joins(text), n == 2 && x.joinsOver(first, last):
			return n
		}
	}
	return 0
}

// pairCut pairs the last word of a name that a bank may have truncated with a word that
// begins with it.
func (p *pairing) pairCut(short, long *side) {
	last := short.count - 1
	x := &short.words[last]
	if !short.cut || short.partner[last] != 0 || x.hidden || len(x.rows) > 0 {
		return // JOSEPH is not the beginning of JOSEPHINE
	}
	for j := range long.count {
		if y := &long.words[j]; long.partner[j] == 0 && x.begins(y) {
			short.partner[last], long.partner[j] = j+1, last+1
			p.tally.note(ruleCut, x, y)
			return
		}
	}
}

// judge decides about the unpaired words, and whether the paired ones are enough.
func (p *pairing) judge() {
	namesA, juniorA := p.count(p.a)
	namesB, juniorB := p.count(p.b)
	names := namesA + namesB
	p.tally.left = names + juniorA + juniorB
	switch {
	case p.tally.paired == 0, namesA > 0 && namesB > 0, juniorA > 0 && juniorB > 0, p.a.torn(), p.b.torn():
		p.tally.hard = ruleDifferent
	case p.tally.paired == 1 && names > 0:
		p.tally.hard = ruleSingle
	case p.tally.weak():
		p.tally.hard = ruleWeak
	}
}

// torn reports whether a compound is not one in the other name: ABDEL AZIZ KARIM is not
// ABDEL KARIM AZIZ, and NOUR EL DIN is not NOUR. Two words may be turned round, because
// ABDUL is also a name: ABDUL BELLO.
func (s *side) torn() bool {
	for i := 1; i < s.count; i++ {
		head, tail := s.partner[i-1], s.partner[i]
		whole := head == tail || head != 0 && tail != 0 && (tail == head+1 || s.count == 2)
		if !whole && s.continues(i) {
			return true
		}
	}
	return false
}

// continues reports whether word i is the second part of a compound with ABD, ABU, EL DIN
// or ALLAH.
func (s *side) continues(i int) bool {
	head, tail := &s.words[i-1], &s.words[i]
	if head.holder != tail.holder || tail.kind == generationWord {
		return false
	}
	t := theTables()
	din := oneName(tail.rows, t.names["الدين"]) || oneName(t.find(withoutArticle(tail.text)), t.names["الدين"])
	return din || oneName(tail.rows, t.names["الله"]) || oneName(head.rows, t.names["ABU"]) || string(head.text) == "ABD" || string(head.text) == "عبد"
}

// count counts the unpaired words of a side.
func (p *pairing) count(s *side) (names, generations int) {
	for i := range s.count {
		switch {
		case s.partner[i] != 0:
		case s.words[i].kind == generationWord:
			generations++
			p.tally.used[ruleGeneration]++
		case i == 0:
			names++
			p.tally.used[ruleFirstMissing]++
		default:
			names++
			p.tally.used[ruleMissing]++
		}
	}
	return names, generations
}
