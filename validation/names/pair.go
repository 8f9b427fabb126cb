package names

import (
	"bytes"
	"strings"
)

// Bounds for evidence.
const (
	fullLetters    = 3 // bytes: three Latin letters, or one of a script with short words
	visibleLetters = 4 // of masked words if no word is written out
	joinedWords    = 4 // maximum number of words that can be written as one
	shortestField  = 20
	longestField   = 35 // to which banks truncate names, in characters
)

// pairing is the state of a comparison.
type pairing struct {
	a, b       holderName
	thresholds Thresholds
	tally      tally
	full       int // words that are written out and agree
	seen       int // words with at least one visible letter
	visible    int // visible letters of masked words
}

func compareSides(a, b holderName, thresholds Thresholds, titlesDiffer bool) tally {
	p := pairing{a: a, b: b, thresholds: thresholds}
	p.pairUp(gradeInitial)
	p.judge(titlesDiffer)
	return p.tally
}

// compareCompanies pairs all words, without initials, because each word is significant.
func compareCompanies(a, b *parsedName, thresholds Thresholds) tally {
	p := pairing{a: a.all(), b: b.all(), thresholds: thresholds}
	p.pairUp(gradeMasked)
	p.cutForm(&p.a, &p.b)
	p.cutForm(&p.b, &p.a)
	p.judge(false)
	switch both := a.forms & b.forms; {
	case p.tally.left > 0:
		p.tally.hard = ruleDifferent
	case p.tally.hard != 0:
	case both != a.forms && both != b.forms:
		p.tally.hard = ruleFormDiffers
	case a.forms != b.forms:
		p.tally.used[ruleForm]++
	}
	return p.tally
}

// pairUp pairs words from the strongest grade to the weakest.
func (p *pairing) pairUp(weakest matchGrade) {
	for grade := gradeSame; grade <= weakest; grade++ {
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
				p.note(grade, x, y)
			}
		}
	}
}

// join pairs a word of one side with several words of the other.
func (p *pairing) join(one, many *holderName) {
	for i := range one.words {
		x := one.view(i)
		for from := range many.words {
			if one.paired[i] {
				break
			}
			for to := from + 2; to <= min(from+joinedWords, len(many.words)); to++ {
				if y, ok := many.window(from, to); ok && x.joins(y) {
					one.paired[i] = true
					many.take(from, to)
					p.note(gradeJoined, x, y)
					break
				}
			}
		}
	}
}

func (w wordView) joins(words wordView) bool {
	if w.hidden || words.hidden || max(len(w.text), len(words.text)) > maxWordLetters {
		return false
	}
	return bytes.Equal(w.text, words.text) || w.readsAs(words)
}

// window returns several adjacent words as one. It reports false if they cannot be
// joined.
func (s *holderName) window(from, to int) (wordView, bool) {
	joined := wordView{text: s.text.letters[s.words[from].start:s.words[from].end], article: s.words[from].article}
	for i := from; i < to; i++ {
		w := s.words[i]
		if s.paired[i] || (i > from && w.start != s.words[i-1].end) {
			return joined, false
		}
		joined.hidden = joined.hidden || w.hidden
		joined.text = s.text.letters[s.words[from].start:w.end]
	}
	return joined, true
}

func (s *holderName) take(from, to int) {
	for i := from; i < to; i++ {
		s.paired[i] = true
	}
}

// pairCut pairs the last word of a name that a bank may have truncated with a word that
// begins with it.
func (p *pairing) pairCut(short, long *holderName) {
	last := len(short.words) - 1
	if !short.cut || short.paired[last] || short.words[last].hidden {
		return
	}
	x := short.view(last)
	for j := range long.words {
		y := long.view(j)
		if !long.paired[j] && len(y.text) > len(x.text) && bytes.HasPrefix(y.text, x.text) {
			short.paired[last], long.paired[j] = true, true
			p.note(gradeCut, x, y)
			return
		}
	}
}

// cutForm pairs a truncated legal form, such as LIM for LIMITED.
func (p *pairing) cutForm(short, long *holderName) {
	last := len(short.words) - 1
	if !short.cut || short.paired[last] {
		return
	}
	x := short.view(last)
	for i, form := range legalForms {
		if long.text.forms&(1<<i) != 0 && strings.HasPrefix(form[0], string(x.text)) {
			short.paired[last] = true
			p.note(gradeCut, x, x)
			return
		}
	}
}

func (p *pairing) note(grade matchGrade, x, y wordView) {
	p.tally.used[gradeRules[grade]]++
	p.tally.paired++
	letters := 1
	if grade == gradeMasked {
		letters = min(x.visible(), y.visible())
		p.visible += letters
	}
	if letters > 0 {
		p.seen++
	}
	if grade.writtenOut() && min(len(x.text), len(y.text)) >= fullLetters {
		p.full++
	}
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
	case p.weak():
		p.tally.hard = ruleWeak
	case titlesDiffer && p.full < 2:
		p.tally.hard = ruleTitle
	}
}

// count counts the unpaired words of a side.
func (p *pairing) count(side *holderName) (names, generations int) {
	for i, w := range side.words {
		switch {
		case side.paired[i]:
		case w.generation:
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

func (p *pairing) weak() bool {
	used := &p.tally.used
	if p.tally.paired > 1 && p.seen < 2 {
		return true
	}
	if p.full > 0 {
		return false
	}
	guessed := used[ruleTypo] + used[ruleInitial] + used[ruleCut] + used[ruleMissing] + used[ruleFirstMissing]
	return guessed > 0 || (used[ruleMasked] > 0 && p.visible < visibleLetters)
}
