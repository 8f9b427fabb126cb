package names

import "unicode/utf8"

// recognise finds titles, legal forms and words of businesses, of which some consist of
// several words. What follows T/A is left out: the holder stands before it.
func (t *parsedName) recognise() {
	for i := 0; i < t.count; i++ {
		t.recognisePhrase(i)
		if i > 0 && t.words[i].kind == tradingAsWord {
			t.count, t.size, t.length = i, t.words[i-1].end, 0
		}
	}
	t.recogniseTitles()
	t.recogniseDottedForm()
	t.decideKind()
}

// recognisePhrase makes one word of the longest phrase that begins with word i.
func (t *parsedName) recognisePhrase(i int) {
	w := &t.words[i]
	for n := min(w.longest, t.count-i); n > 1; n-- {
		entry, found := t.tables.phrases[string(t.letters[w.lead:t.words[i+n-1].end])]
		if !found || entry.kind == tradingAsWord && len(t.text(*w)) == 1 && t.words[i+1].gap != gapSlash {
			continue
		}
		w.start, w.vocabularyEntry, w.end = w.lead, entry, t.words[i+n-1].end
		if entry.as != "" {
			w.end = w.start + copy(t.letters[w.start:], entry.as)
		}
		t.count = i + 1 + copy(t.words[i+1:], t.words[i+n:t.count])
		return
	}
}

// recogniseTitles makes words of the titles between other words, because they are names
// there: ABDI HAJI MOHAMED. SR is SISTER before a name and SENIOR after it.
func (t *parsedName) recogniseTitles() {
	last := 0 // words before it are followed by one that is no title
	for i := range t.count {
		if w := &t.words[i]; w.kind != titleWord && w.kind != sisterWord && w.kind != andWord {
			last = i
		}
	}
	leads := true
	for i := range t.count {
		w := &t.words[i]
		leads = leads || w.gap == gapAnd || w.gap == gapSlash || w.kind == andWord
		switch {
		case w.kind == sisterWord && leads && i < last:
			w.vocabularyEntry = t.tables.vocabulary["SISTER"]
		case w.kind == sisterWord:
			w.vocabularyEntry = t.tables.vocabulary["SENIOR"]
		case w.kind == titleWord && !leads && i < last:
			w.kind = plainWord
		}
		leads = leads && (w.kind == titleWord || w.kind == andWord)
	}
}

// recogniseDottedForm recognises letters with dots at the end of the name: S.A.E.
func (t *parsedName) recogniseDottedForm() {
	end := t.beforeForms()
	from := end
	for from > 0 && t.letter(from-1) {
		if from--; t.words[from].gap != gapDot {
			break
		}
	}
	if end-from > 1 {
		t.enterForm(from, end, ^uint64(noForm))
	}
}

// beforeForms returns the number of words before the legal forms at the end.
func (t *parsedName) beforeForms() int {
	end := t.count
	for end > 0 && t.words[end-1].kind == formWord {
		end--
	}
	return end
}

// enterForm makes one word of the words from..end if their letters are a wanted form.
func (t *parsedName) enterForm(from, end int, wanted uint64) {
	w := &t.words[from]
	entry := t.tables.lookUp(t.letters[w.start:t.words[end-1].end])
	if entry.kind == formWord && entry.bit&wanted != 0 && from > 0 {
		w.vocabularyEntry, w.end = entry, t.words[end-1].end
		t.count = from + 1 + copy(t.words[from+1:], t.words[end:t.count])
	}
}

// shareForms reads letters with blanks at the end as a legal form if the other name has
// that form: S A E. Otherwise they are initials.
func (t *parsedName) shareForms(wanted uint64) {
	end := t.beforeForms()
	for from := end - 2; from > 0 && wanted != 0 && t.letter(from) && t.letter(from+1); from-- {
		t.enterForm(from, end, wanted&^noForm)
	}
	t.decideKind()
}

// decideKind finds the legal forms, which stand at the end, consist of several words or
// are in Arabic, and reports a business if a word or a form makes it one.
func (t *parsedName) decideKind() {
	t.forms, t.titles, t.business = 0, 0, false
	names, doubtful := 0, false
	for i, end := 0, t.beforeForms(); i < t.count; i++ {
		switch w := &t.words[i]; w.kind {
		case formWord:
			t.business = true
			if i < end && !w.phrase && t.letters[w.start] < utf8.RuneSelf {
				w.kind = businessWord // LTD within a name is a word
				continue
			}
			t.forms |= w.bit
		case businessWord, tradingAsWord:
			t.business = true
		case titleWord:
			t.titles |= w.bit
		case doubtfulWord:
			if doubtful {
				names++
			}
			doubtful = true
		case plainWord:
			if w.end-w.start > 1 {
				names++
			}
		case generationWord, andWord, articleWord, sisterWord:
		}
	}
	t.business = t.business || doubtful && names >= 2
}

// open reports whether the words do not say what kind of holder it is: one word, or words
// of which letters are hidden. The other side then decides.
func (t *parsedName) open() bool { return !t.business && (t.count == 1 || t.hidden) }

// arrange removes the words that do not count: titles of a person, legal forms and a
// leading THE of a business, AND of both. If none is left, all count: Chief can be a name.
func (t *parsedName) arrange(business bool) {
	kept, opens := 0, false
	t.holders = 1
	for i := range t.count {
		w := t.words[i]
		opens = kept > 0 && (opens || w.gap == gapAnd || w.gap == gapSlash && t.words[i-1].end-t.words[i-1].start > 1 || w.kind == andWord)
		if t.whole = !w.kind.leftOut(business) && (kept > 0 || !business || string(t.text(w)) != "THE"); !t.whole {
			continue
		}
		if w.kind == articleWord && t.precedesWord(i) {
			t.words[i+1].article, t.words[i+1].lead = true, w.start
			continue
		}
		if w.opens = opens; opens {
			t.holders++
		}
		t.words[kept], opens = w, false
		kept++
	}
	if kept > 0 {
		t.count = kept
	}
	if !business {
		t.lookUpNames()
	}
}

// lookUpNames looks the words up in the table of names, an Arabic one first with its
// article: الهام is ELHAM.
func (t *parsedName) lookUpNames() {
	for i := range t.count {
		w := &t.words[i]
		w.spelt = w.start
		if rows := t.tables.names[string(t.letters[w.lead:w.end])]; rows != nil && t.letters[w.lead] >= utf8.RuneSelf {
			w.spelt, w.rows = w.lead, rows
			continue
		}
		w.rows, w.sound = t.tables.know(t.text(*w))
	}
}

// precedesWord reports whether word i, an article, belongs to the next word.
func (t *parsedName) precedesWord(i int) bool {
	if i+1 == t.count {
		return false
	}
	next := t.words[i+1]
	return next.gap != gapAnd && next.kind != andWord && next.kind != titleWord
}
