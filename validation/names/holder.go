package names

// recognise finds titles, legal forms and words of businesses, of which some consist of
// several words. What follows T/A is left out: the holder stands before it.
func (t *parsedName) recognise() {
	for i := 0; i < t.count; i++ {
		t.recognisePhrase(i)
		if i > 0 && t.words[i].entry.kind == tradingAsWord {
			t.count, t.size, t.length = i, t.words[i-1].end, 0
		}
	}
	t.recogniseSister()
	t.recogniseDottedForm()
	t.decideKind()
}

// recognisePhrase makes one word of the longest phrase that begins with word i.
func (t *parsedName) recognisePhrase(i int) {
	for n := min(t.words[i].entry.longest, t.count-i); n > 1; n-- {
		w := &t.words[i]
		entry, found := phrases[string(t.letters[w.lead:t.words[i+n-1].end])]
		if !found || entry.words != n || entry.kind == tradingAsWord && len(t.text(*w)) == 1 && t.words[i+1].gap != gapSlash {
			continue
		}
		w.start, w.entry, w.end = w.lead, entry, t.words[i+n-1].end
		if entry.as != "" {
			w.end = w.start + copy(t.letters[w.start:], entry.as)
		}
		t.count = i + 1 + copy(t.words[i+1:], t.words[i+n:t.count])
		return
	}
}

// recogniseSister makes SR a title if only titles precede it; elsewhere it is SENIOR.
func (t *parsedName) recogniseSister() {
	for i := range t.count - 1 {
		switch w := &t.words[i]; {
		case w.entry.kind == titleWord:
		case w.entry.kind == generationWord && w.entry.sister:
			w.entry = vocabulary["SISTER"]
			return
		default:
			return
		}
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
		t.enterForm(from, end, ^uint64(0))
	}
}

// beforeForms returns the number of words before the legal forms at the end.
func (t *parsedName) beforeForms() int {
	end := t.count
	for end > 0 && t.words[end-1].entry.kind == formWord {
		end--
	}
	return end
}

// enterForm makes the words from..end a legal form if their letters are one of the wanted.
func (t *parsedName) enterForm(from, end int, wanted uint64) {
	entry := lookUp(t.letters[t.words[from].start:t.words[end-1].end])
	if entry.kind != formWord || entry.bit&wanted == 0 || from == 0 {
		return
	}
	for i := from; i < end; i++ {
		t.words[i].entry = vocabularyEntry{kind: formWord, bit: entry.bit}
	}
}

// shareForms reads letters with blanks at the end as a legal form if the other name has
// that form: S A E. Otherwise they are initials.
func (t *parsedName) shareForms(other *parsedName) {
	end := t.beforeForms()
	for from := end - 1; from > 0 && t.letter(from) && other.forms != 0; from-- {
		t.enterForm(from, end, other.forms)
	}
	t.decideKind()
}

// decideKind reports a business if a word or a legal form says so. A word that is also a
// name says so after another word and beside two.
func (t *parsedName) decideKind() {
	t.forms, t.titles, t.business = 0, 0, false
	others, doubtful := 0, false
	for _, w := range t.words[:t.count] {
		switch w.entry.kind {
		case formWord:
			t.forms |= w.entry.bit
			t.business = true
		case businessWord, tradingAsWord:
			t.business = true
		case titleWord:
			t.titles |= w.entry.bit
		case doubtfulWord: // TRUST MOYO begins with a given name
			if others == 0 || doubtful {
				others++
			} else {
				doubtful = true
			}
		case plainWord, generationWord:
			others++
		case andWord, articleWord:
		}
	}
	t.business = t.business || doubtful && others >= 2
}

// bare reports whether the name is one word without any sign of its kind. It is read as a
// business, unless the other name is a person's.
func (t *parsedName) bare() bool { return t.count == 1 && !t.business }

// arrange removes the words that do not count: titles of a person, legal forms and a
// leading THE of a business, AND of both. If none is left, all count: Chief can be a name.
func (t *parsedName) arrange(business bool) {
	kept, opens := 0, false
	t.holders = 1
	for i := range t.count {
		w := t.words[i]
		opens = kept > 0 && (opens || w.gap == gapAnd || w.gap == gapSlash && t.words[i-1].end-t.words[i-1].start > 1 || w.entry.kind == andWord)
		if t.whole = !w.entry.kind.leftOut(business) && (kept > 0 || !business || string(t.text(w)) != "THE"); !t.whole {
			continue
		}
		if w.entry.kind == articleWord && t.precedesWord(i) {
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
}

// precedesWord reports whether word i, an article, belongs to the next word.
func (t *parsedName) precedesWord(i int) bool {
	if i+1 == t.count {
		return false
	}
	next := t.words[i+1]
	return next.gap != gapAnd && next.entry.kind != andWord && next.entry.kind != articleWord && next.entry.kind != titleWord
}
