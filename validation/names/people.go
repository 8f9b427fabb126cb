package names

import "bytes"

// Bounds for evidence.
const (
	fullLetters    = 3 // bytes: three Latin letters, or one of a script with short words
	visibleLetters = 4 // of masked words if no word is written out
	joinedWords    = 4 // maximum number of words that can be written as one
	shortestField  = 20
	longestField   = 35 // to which banks truncate names, in characters
)

// side is the name of one holder during a comparison.
type side struct {
	text   *parsedName
	words  []wordSpan
	paired [maxWords]bool
	cut    bool // its last word may be truncated
	exact  bool // words are joined only letter by letter
}

func (s *side) view(i int) wordView { return s.text.view(&s.words[i]) }

// holder returns the words of holder i.
func (t *parsedName) holder(i int) side {
	from, to := t.holderRange(i)
	s := side{text: t, words: t.words[from:to]}
	if i == t.holders-1 {
		s.cut = t.mayBeCut()
	}
	if len(s.words) == 1 && t.holders > 1 {
		t.borrow(&s, i)
	}
	return s
}

// holderRange returns the range of the words of holder i, or of the last holder if there
// are fewer.
func (t *parsedName) holderRange(i int) (from, to int) {
	for to = range t.count {
		if !t.words[to].opens {
			continue
		}
		if i == 0 {
			return from, to
		}
		from = to
		i--
	}
	return from, t.count
}

// borrow adds the surname to a holder of one word: JOHN & MARY MENSAH, or MENSAH JOHN &
// MARY.
func (t *parsedName) borrow(s *side, i int) {
	own := s.words[0]
	if from, to := t.holderRange(i + 1); to-from > 1 {
		s.words = []wordSpan{own, t.words[to-1]}
		return
	}
	if i > 0 {
		if from, to := t.holderRange(i - 1); to-from > 1 {
			s.words = []wordSpan{t.words[from], own}
		}
	}
}

func (t *parsedName) mayBeCut() bool {
	return t.whole && t.length >= shortestField && t.length <= longestField
}

// comparePeople compares each holder of the name that has fewer with the best match of
// the other name.
func comparePeople(a, b *parsedName, thresholds Thresholds) tally {
	if a.holders == 1 && b.holders == 1 {
		return compareHolders(a.holder(0), b.holder(0), thresholds, disagreeing(a.titles, b.titles))
	}
	var total tally
	var taken [maxWords]bool
	for i := range a.holders {
		var best tally
		at := -1
		for j := range b.holders {
			if taken[j] {
				continue
			}
			found := compareHolders(a.holder(i), b.holder(j), thresholds, false)
			if at < 0 || found.score() > best.score() {
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

func disagreeing(a, b uint64) bool { return a != 0 && b != 0 && a&b == 0 }

// pairing is the state of a comparison of two holders.
type pairing struct {
	a, b       side
	thresholds Thresholds
	tally      tally
}

func compareHolders(a, b side, thresholds Thresholds, titlesDiffer bool) tally {
	p := pairing{a: a, b: b, thresholds: thresholds}
	p.pairUp()
	p.judge(titlesDiffer)
	return p.tally
}

// pairUp pairs words from the strongest grade to the weakest.
func (p *pairing) pairUp() {
	for grade := gradeSame; grade <= gradeInitial; grade++ {
		if grade == gradeJoined {
			p.join(&p.a, &p.b)
			p.join(&p.b, &p.a)
			continue
		}
		p.pairGrade(grade)
	}
	p.pairCut(&p.a, &p.b)
	p.pairCut(&p.b, &p.a)
}

func (p *pairing) pairGrade(grade matchGrade) {
	for i := range p.a.words {
		for j := range p.b.words {
			if p.a.paired[i] || p.b.paired[j] {
				continue
			}
			if x, y := p.a.view(i), p.b.view(j); x.agrees(y, grade, p.thresholds.TypoLetters) {
				p.a.paired[i], p.b.paired[j] = true, true
				p.tally.note(grade, x, y)
			}
		}
	}
}

// join pairs a word of one side with several words of the other.
func (p *pairing) join(one, many *side) {
	for i := range one.words {
		for from := range many.words {
			if one.paired[i] {
				break
			}
			if n := many.joinedAs(from, one.view(i)); n > 0 {
				one.paired[i] = true
				for j := from; j < from+n; j++ {
					many.paired[j] = true
				}
				p.tally.note(gradeJoined, one.view(i), one.view(i))
			}
		}
	}
}

// joinedAs returns the number of words from from on that are written as one in x, or 0.
func (s *side) joinedAs(from int, x wordView) int {
	for to := from + 2; to <= min(from+joinedWords, len(s.words)); to++ {
		first, last := s.words[from], s.words[to-1]
		if s.paired[from] || s.paired[to-1] || last.opens || last.lead != s.words[to-2].end {
			return 0
		}
		if !s.exact && last.end-last.start == 1 && !bytes.HasSuffix(s.text.letters[:last.start], []byte("NG")) {
			continue // AMIR A. is not AMIRA, but THIONG O is THIONG'O
		}
		text := s.text.letters[first.start:last.end]
		if s.exact && bytes.Equal(x.text, text) || !s.exact && (x.joins(text) || to == from+2 && x.joinsOver(s.view(from), s.view(to-1))) {
			return to - from
		}
	}
	return 0
}

// pairCut pairs the last word of a name that a bank may have truncated with a word that
// begins with it.
func (p *pairing) pairCut(short, long *side) {
	last := len(short.words) - 1
	if !short.cut || short.paired[last] || short.words[last].hidden {
		return
	}
	x := short.view(last)
	if len(x.rows) > 0 {
		return // JOSEPH is not the beginning of JOSEPHINE
	}
	for j := range long.words {
		if y := long.view(j); !long.paired[j] && x.begins(y) {
			short.paired[last], long.paired[j] = true, true
			p.tally.note(gradeCut, x, y)
			return
		}
	}
}

// begins reports whether the word is the beginning of a longer one. A letter or a number
// is no beginning.
func (w wordView) begins(other wordView) bool {
	return len(other.text) > len(w.text) && len(w.text) > 1 && bytes.HasPrefix(other.text, w.text) && bytes.IndexAny(w.text, "0123456789") < 0
}

// judge decides about the unpaired words, and whether the paired ones are enough.
func (p *pairing) judge(titlesDiffer bool) {
	namesA, juniorA := p.count(&p.a)
	namesB, juniorB := p.count(&p.b)
	names := namesA + namesB
	p.tally.left = names + juniorA + juniorB
	switch {
	case p.tally.paired == 0, namesA > 0 && namesB > 0, juniorA > 0 && juniorB > 0:
		p.tally.hard = ruleDifferent
	case p.tally.paired == 1 && names > 0:
		p.tally.hard = ruleSingle
	case p.tally.weak():
		p.tally.hard = ruleWeak
	case titlesDiffer && (p.tally.full < 2 || p.tally.used[ruleFirstMissing] > 0):
		p.tally.hard = ruleTitle
	}
}

// count counts the unpaired words of a side.
func (p *pairing) count(s *side) (names, generations int) {
	for i, w := range s.words {
		switch {
		case s.paired[i]:
		case w.kind == generationWord:
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
