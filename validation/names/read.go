package names

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds of a name, which limit the cost of any text.
const (
	maxBytes       = 1024 // 256 characters of four bytes
	maxWords       = 24
	maxLetters     = 1024 // total bytes of all words
	maxWordLetters = 62   // in bytes; longer words are only compared for equality
)

// parsedName is a parsed name: words of upper-case letters without accents, and what was
// removed from them. It contains no pointers into itself, so it can stay on the stack.
type parsedName struct {
	letters [maxLetters]byte // the words without separators
	size    int
	words   [maxWords]wordSpan
	count   int
	holders int // 1 plus one for each & between words
	length  int // in characters, as in a bank's field

	titles  uint32 // one bit for each removed group of titles
	forms   uint32 // one bit for each removed legal form
	trade   bool   // a word names a trade, as in a company's name
	hidden  bool   // letters are masked
	crowded bool   // too many words or letters
	whole   bool   // the name ends with a word, which a bank may have truncated

	literal bool // titles and legal forms count as words
	article bool // AL or EL was just read
	opens   bool // & was just read
	chunk   int  // start of the current word
}

// wordSpan is a word: a range of the letters of a name.
type wordSpan struct {
	start, end int
	article    bool // AL or EL preceded it
	hidden     bool // it has masked letters
	opens      bool // it begins another holder's name
	generation bool // a word such as JUNIOR
}

// read parses the text. If it consists only of titles, legal forms and similar words,
// they count as words: Chief can be a name.
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

// comparable reports whether both names have visible letters and at most one is masked:
// two masks would match any two names.
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

// takeOther reads a non-ASCII character that is neither a mask nor silent.
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

// mask adds a mask, which stands for at least one hidden letter.
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

// flush ends the current word and keeps it unless it is a title, a legal form, an article
// or AND.
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

// releaseArticle keeps an article as a word if no word follows it.
func (t *parsedName) releaseArticle() {
	if t.article {
		t.article = false
		t.put('E', 'L')
		t.keep(false)
	}
}
