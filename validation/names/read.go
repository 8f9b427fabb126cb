package names

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds of what is read of a name, so that no text costs much.
const (
	maxBytes       = 1024 // 256 characters of four bytes
	maxWords       = 24
	maxLetters     = 1024 // bytes of all words together
	maxWordLetters = 62   // bytes of a word that is compared for more than equality
)

// parsedName is a name as the matcher reads it: words of upper-case letters
// without accents, and what was taken off them. Nothing in it points into
// itself, so it can live on the stack.
type parsedName struct {
	letters [maxLetters]byte // the words without blanks between them
	size    int
	words   [maxWords]wordSpan
	count   int
	holders int // 1, and one more for each & between words
	length  int // characters as a bank's field would count them

	titles  uint32 // a bit for each group of titles that was taken off
	forms   uint32 // a bit for each legal form that was taken off
	trade   bool   // a word names a trade: a company
	hidden  bool   // letters are masked
	crowded bool   // more words or letters than are compared
	whole   bool   // the last thing written was a word, which a bank may have cut

	literal bool // titles and legal forms are words
	article bool // AL or EL was just read
	opens   bool // & was just read
	chunk   int  // where the word being read begins
}

// wordSpan is a word of a name, a range of its letters.
type wordSpan struct {
	start, end int
	article    bool // AL or EL stood before it
	hidden     bool // it has masked letters
	opens      bool // it begins another holder's name
	generation bool // JUNIOR and the like
}

// read takes the text in. If it is nothing but titles, legal forms and the like,
// they are read as words: somebody may be called Chief.
func (t *parsedName) read(text string) {
	if len(text) > maxBytes {
		return
	}
	plain := norm.NFKD.String(text)
	t.readWords(plain)
	if t.count == 0 {
		*t = parsedName{literal: true}
		t.readWords(plain)
	}
}

func (t *parsedName) readWords(text string) {
	for _, r := range text {
		if t.take(r); t.crowded {
			break
		}
	}
	t.flush()
	t.releaseArticle()
	t.holders = 1
	for _, w := range t.words[:t.count] {
		if w.opens {
			t.holders++
		}
	}
}

// comparable reports whether both names show letters and at most one hides some:
// two masks agree with each other whoever is behind them.
func (t *parsedName) comparable(other *parsedName) bool {
	return t.legible() && other.legible() && (!t.hidden || !other.hidden)
}

func (t *parsedName) legible() bool {
	return len(bytes.Trim(t.letters[:t.size], "*")) > 0
}

func (t *parsedName) company() bool { return t.forms != 0 || t.trade }

func (t *parsedName) take(r rune) {
	switch {
	case r >= 'a' && r <= 'z':
		t.put(byte(r) - 'a' + 'A')
	case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		t.put(byte(r))
	case isMask(r):
		t.mask()
	case r == '&', r == '+':
		t.flush()
		t.conjoin()
	case r == '/':
		t.slash()
	case isSilent(r):
	case r >= utf8.RuneSelf:
		t.takeOther(r)
	default:
		t.flush()
	}
}

// takeOther reads what is not ASCII and neither a mask nor silent.
func (t *parsedName) takeOther(r rune) {
	upper := unicode.ToUpper(r)
	folded, known := letterFolds[upper]
	switch {
	case known:
		t.put([]byte(folded)...)
	case unicode.IsLetter(upper), unicode.IsNumber(upper), unicode.IsMark(upper):
		var coded [utf8.UTFMax]byte
		t.put(coded[:utf8.EncodeRune(coded[:], upper)]...)
	default:
		t.flush()
	}
}

func (t *parsedName) put(letters ...byte) {
	if t.size+len(letters) > maxLetters {
		t.crowded = true
		return
	}
	t.size += copy(t.letters[t.size:], letters)
}

// mask stands for one hidden letter or more.
func (t *parsedName) mask() {
	t.hidden = true
	if t.size == t.chunk || t.letters[t.size-1] != '*' {
		t.put('*')
	}
}

// slash reads / as & between words, and as a blank in T/A and C/O.
func (t *parsedName) slash() {
	t.flush()
	if t.count > 0 && t.words[t.count-1].end-t.words[t.count-1].start > 1 {
		t.conjoin()
	}
}

func (t *parsedName) conjoin() {
	t.releaseArticle()
	t.opens = t.count > 0 && !t.literal
}

// flush ends the word being read and keeps it, unless it is a title, a legal
// form, an article or AND.
func (t *parsedName) flush() {
	if t.size == t.chunk {
		return
	}
	t.length += utf8.RuneCount(t.letters[t.chunk:t.size])
	if t.count > 0 {
		t.length++
	}
	entry := vocabulary[string(t.letters[t.chunk:t.size])]
	if t.literal {
		entry = vocabularyEntry{}
	}
	t.whole = false
	switch entry.kind {
	case titleWord:
		t.size = t.chunk
		t.titles |= entry.bit
	case formWord:
		t.size = t.chunk
		t.forms |= entry.bit
	case andWord:
		t.size = t.chunk
		t.conjoin()
	case articleWord:
		t.size = t.chunk
		t.releaseArticle()
		t.article = true
	case plainWord, tradeWord, generationWord:
		t.keepAs(entry)
	}
}

func (t *parsedName) keepAs(entry vocabularyEntry) {
	if entry.as != "" {
		t.size = t.chunk
		t.put([]byte(entry.as)...)
	}
	t.trade = t.trade || entry.kind == tradeWord
	t.size = t.chunk + foldPrefix(t.letters[t.chunk:t.size], &t.article)
	t.keep(entry.kind == generationWord)
}

func (t *parsedName) keep(generation bool) {
	if t.count == maxWords {
		t.crowded = true
		t.size = t.chunk
		return
	}
	t.words[t.count] = wordSpan{
		start: t.chunk, end: t.size, article: t.article, opens: t.opens, generation: generation,
		hidden: bytes.IndexByte(t.letters[t.chunk:t.size], '*') >= 0,
	}
	t.count++
	t.chunk = t.size
	t.article, t.opens, t.whole = false, false, true
}

// releaseArticle keeps an article that no word followed as a word.
func (t *parsedName) releaseArticle() {
	if t.article {
		t.article = false
		t.put('E', 'L')
		t.keep(false)
	}
}
