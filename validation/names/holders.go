package names

// holderName is the name of one holder during a comparison.
type holderName struct {
	text   *parsedName
	words  []wordSpan
	paired [maxWords]bool
	cut    bool // its last word may be truncated
}

func (s *holderName) view(i int) wordView {
	w := s.words[i]
	return wordView{text: s.text.letters[w.start:w.end], article: w.article, hidden: w.hidden}
}

// holder returns the words of holder i.
func (t *parsedName) holder(i int) holderName {
	from, to := t.holderRange(i)
	side := holderName{text: t, words: t.words[from:to]}
	if i == t.holders-1 {
		side.cut = t.mayBeCut()
	}
	if len(side.words) == 1 && t.holders > 1 {
		t.borrow(&side, i)
	}
	return side
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
func (t *parsedName) borrow(side *holderName, i int) {
	own := side.words[0]
	if from, to := t.holderRange(i + 1); to-from > 1 {
		side.words = []wordSpan{own, t.words[to-1]}
		return
	}
	if i > 0 {
		if from, to := t.holderRange(i - 1); to-from > 1 {
			side.words = []wordSpan{t.words[from], own}
		}
	}
}

// all returns all words, for companies, whose & does not separate holders.
func (t *parsedName) all() holderName {
	return holderName{text: t, words: t.words[:t.count], cut: t.mayBeCut()}
}

func (t *parsedName) mayBeCut() bool {
	return t.whole && t.length >= shortestField && t.length <= longestField
}

// compareHolders compares each holder of the name that has fewer with the best match of
// the other name.
func compareHolders(a, b *parsedName, thresholds Thresholds) tally {
	if a.holders == 1 && b.holders == 1 {
		return compareSides(a.holder(0), b.holder(0), thresholds, disagreeing(a.titles, b.titles))
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
			found := compareSides(a.holder(i), b.holder(j), thresholds, false)
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

func disagreeing(a, b uint32) bool { return a != 0 && b != 0 && a&b == 0 }
