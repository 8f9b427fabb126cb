package names

import (
	"strings"
	"unicode/utf8"
)

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
	for n := min(int(w.longest), t.count-i); n > 1; n-- {
		entry, found := t.tables.phrases[string(t.letters[w.lead:t.words[i+n-1].end])]
		if found && (entry.kind != tradingAsWord || len(t.text(w)) > 1 || t.words[i+1].gap == gapSlash) {
			t.merge(i, i+n, entry)
			return
		}
	}
}

// merge makes one word of the words from..end.
func (t *parsedName) merge(from, end int, entry vocabularyEntry) {
	w := &t.words[from]
	w.vocabularyEntry, w.start, w.end = entry, w.lead, t.words[end-1].end
	if entry.as != "" {
		w.end = w.start + copy(t.letters[w.start:], entry.as)
	}
	t.count = from + 1 + copy(t.words[from+1:], t.words[end:t.count])
}

// recogniseTitles makes words of the titles between other words, because they are names
// there: ABDI HAJI MOHAMED. SR is SISTER before a name and SENIOR after it.
func (t *parsedName) recogniseTitles() {
	last := t.count - 1 // words before it are followed by one that is no title
	for last > 0 && t.words[last].kind.besideNames() {
		last--
	}
	leads := true
	for i := range t.count {
		w := &t.words[i]
		leads = leads || w.gap == gapAnd || w.gap == gapSlash || w.kind == andWord
		switch {
		case w.kind == sisterWord && leads && i < last:
			w.vocabularyEntry = t.tables.vocabulary["SISTER"]
		case w.kind == sisterWord:
			w.kind = generationWord
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
	entry := t.tables.lookUp(t.letters[t.words[from].start:t.words[end-1].end])
	if entry.kind == formWord && entry.bit&wanted != 0 && from > 0 {
		t.merge(from, end, entry)
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
	names, doubtful := 0, 0
	for i, end := 0, t.beforeForms(); i < t.count; i++ {
		switch w := &t.words[i]; w.kind {
		case formWord:
			t.business = true
			if w.isForm(i >= end) {
				t.forms |= w.bit
			}
		case businessWord, tradingAsWord:
			t.business = true
		case titleWord:
			t.titles |= w.bit
		case doubtfulWord:
			doubtful++
		case plainWord:
			if w.end-w.start > 1 {
				names++
			}
		case generationWord, andWord, articleWord, sisterWord:
		}
	}
	t.business = t.business || doubtful > 0 && names+doubtful > 2
}

// isForm reports whether the word is a legal form. LTD within a name is a word.
func (w *wordSpan) isForm(atEnd bool) bool { return w.kind == formWord && (atEnd || w.anywhere) }

// single reports whether the name is one word that does not say what kind of holder it is.
func (t *parsedName) single() bool { return !t.business && t.count == 1 }

// open reports whether the other side decides what kind of holder it is: the name is one
// word that is not listed as a person's, or letters are hidden.
func (t *parsedName) open() bool {
	return !t.business && t.hidden || t.single() && len(t.tables.find(t.text(&t.words[0]))) == 0
}

// arrange returns the words that count: no titles of a person, no legal forms and no
// leading THE of a business, and no AND. If none is left, all count: Chief can be a name.
func (t *parsedName) arrange(business bool) (s side) {
	s.name, s.holders, s.exact = t, 1, business
	opens, whole, end := false, false, t.beforeForms()
	for i := range t.count {
		w := &t.words[i]
		opens = s.count > 0 && (opens || w.gap == gapAnd || w.gap == gapSlash && len(t.text(&t.words[i-1])) > 1 || w.kind == andWord)
		whole = !w.kind.leftOut(business) && !(business && w.isForm(i >= end)) && (s.count > 0 || !business || string(t.text(w)) != "THE")
		switch {
		case !whole:
		case w.kind == articleWord && t.precedesWord(i):
			t.words[i+1].lead = w.start
		default:
			if opens {
				s.holders++
			}
			s.words[s.count] = t.wordOf(w, s.holders-1, business)
			s.count++
			opens = false
		}
	}
	if s.count == 0 {
		for ; s.count < t.count; s.count++ {
			s.words[s.count] = t.wordOf(&t.words[s.count], 0, business)
		}
	}
	s.cut = whole && t.length >= shortestField && t.length <= longestField
	return s
}

// wordOf returns a word as it is compared. A person's is looked up in the table of names,
// an Arabic one first with its article: الهام is ELHAM.
func (t *parsedName) wordOf(w *wordSpan, holder int, business bool) word {
	text, long := t.text(w), t.letters[w.lead:w.end]
	found := word{wordSpan: *w, text: text, spelt: text, holder: holder}
	switch rows := t.tables.names[string(long)]; {
	case business:
	case rows != nil && long[0] >= utf8.RuneSelf:
		found.spelt, found.rows = long, rows
	default:
		found.rows = t.tables.find(text)
	}
	if w.marks&markS != 0 && !business { // AIṢA is AISHA
		if rows := t.tables.names[strings.ReplaceAll(string(text), "S", "SH")]; rows != nil {
			found.rows = rows
		}
	}
	return found
}

// precedesWord reports whether word i, an article, belongs to the next word.
func (t *parsedName) precedesWord(i int) bool {
	if i+1 == t.count {
		return false
	}
	next := t.words[i+1]
	return next.gap != gapAnd && next.kind != andWord && next.kind != titleWord
}
