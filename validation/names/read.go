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

// parsedName is a parsed name: words of upper-case letters without accents. It contains
// no pointers into itself, so it can stay on the stack.
type parsedName struct {
	tables  *tables
	letters [maxLetters]byte // the words without separators
	size    int
	words   [maxWords]wordSpan
	count   int
	length  int // in characters, as in a bank's field

	titles   uint64 // one bit for each group of titles
	forms    uint64 // one bit for each legal form
	business bool   // by a legal form or a word of businesses
	hidden   bool   // letters are masked
	crowded  bool   // too many words or letters

	chunk int  // start of the current word
	next  byte // what was read since the last word: one of the gaps, or 0
	marks letterMarks
}

// What can separate a word from the one before it.
const (
	gapBlank = ' '
	gapDot   = '.' // and no blank
	gapSlash = '/'
	gapAnd   = '&'
)

// letterMarks are letters of a word that are written in two ways without their marks.
type letterMarks byte

const (
	markS       letterMarks = 1 << iota // Ṣ, also written SH
	markO                               // Ɔ, also written OR
	markBelow                           // إ at the beginning
	markDotless                         // ى
)

// wordSpan is a word: a range of the letters of a name, and what the tables say about it.
type wordSpan struct {
	vocabularyEntry
	start, end int
	lead       int // start of its article, or start
	gap        byte
	hidden     bool // it has masked letters
	marks      letterMarks
}

// read parses the text and finds out what kind of holder it names.
func (t *parsedName) read(tables *tables, text string) {
	t.tables = tables
	if len(text) > maxBytes {
		return
	}
	for _, r := range norm.NFKD.String(text) {
		if t.take(r); t.crowded {
			break
		}
	}
	t.flush()
	t.recognise()
}

// legible reports whether the name has visible letters.
func (t *parsedName) legible() bool {
	return len(bytes.Trim(t.letters[:t.size], "*")) > 0
}

func (t *parsedName) take(r rune) {
	switch {
	case r >= 'a' && r <= 'z':
		t.put(byte(r) - 'a' + 'A')
	case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		t.put(byte(r))
	case isMask(r):
		t.mask()
	case r == '&', r == '+', r == ';':
		t.separate(gapAnd)
	case r == '/':
		t.separate(gapSlash)
	case r == '.':
		t.separate(gapDot)
	case isSilent(r):
		t.mark(r)
	case r >= utf8.RuneSelf:
		t.takeOther(r)
	default:
		t.separate(gapBlank)
	}
}

// mark notes a letter or a mark that tells how the word is spelled elsewhere.
func (t *parsedName) mark(r rune) {
	const dotBelow, hamzaBelow = '\u0323', '\u0655'
	switch word := t.letters[t.chunk:t.size]; {
	case r == dotBelow && bytes.HasSuffix(word, []byte("S")):
		t.marks |= markS
	case r == 'Ɔ':
		t.marks |= markO
	case r == hamzaBelow && string(word) == "ا":
		t.marks |= markBelow
	case r == 'ى':
		t.marks |= markDotless
	}
}

// takeOther reads a non-ASCII character that is neither a mask nor silent.
func (t *parsedName) takeOther(r rune) {
	upper := unicode.ToUpper(r)
	folded, known := letterFolds[upper]
	switch {
	case known:
		t.mark(upper)
		t.put([]byte(folded)...)
	case unicode.IsLetter(upper), unicode.IsNumber(upper), unicode.IsMark(upper):
		t.put([]byte(string(upper))...)
	default:
		t.separate(gapBlank)
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

// separate ends the current word. Of several separators & outweighs all, a slash outweighs
// a blank, and a dot counts if it stands alone.
func (t *parsedName) separate(gap byte) {
	t.flush()
	switch {
	case t.next == 0, gap == gapAnd, gap == gapSlash && t.next != gapAnd:
		t.next = gap
	case t.next == gapDot:
		t.next = gapBlank
	}
}

// flush ends the current word and writes it as the tables do.
func (t *parsedName) flush() {
	if t.size == t.chunk {
		return
	}
	if t.count == maxWords {
		t.crowded = true
		return
	}
	t.length += utf8.RuneCount(t.letters[t.chunk:t.size])
	if t.count > 0 {
		t.length++
	}
	w := wordSpan{lead: t.chunk, gap: t.next, marks: t.marks, vocabularyEntry: t.tables.lookUp(t.letters[t.chunk:t.size])}
	if w.as != "" {
		t.size = t.chunk
		t.put([]byte(w.as)...)
	}
	start, end := foldWord(t.letters[t.chunk:t.size])
	w.start, w.end, t.size = t.chunk+start, t.chunk+end, t.chunk+end
	w.hidden = bytes.IndexByte(t.letters[w.start:w.end], '*') >= 0
	t.words[t.count] = w
	t.count++
	t.chunk, t.next, t.marks = t.size, 0, 0
}

// article reports whether AL or EL precedes the word.
func (w *wordSpan) article() bool { return w.lead < w.start }

func (t *parsedName) text(w *wordSpan) []byte { return t.letters[w.start:w.end] }

// letter reports whether word i is a single letter.
func (t *parsedName) letter(i int) bool {
	text := t.text(&t.words[i])
	r, width := utf8.DecodeRune(text)
	return width == len(text) && unicode.IsLetter(r)
}
