package csv

import (
	"strings"
	"unicode/utf8"
)

// What a byte means for its text, wherever it stands.
const (
	quoted  = 1 << iota // the text is quoted
	foreign             // no ASCII: it may be no UTF-8
	divides             // some reader may begin a cell behind it
)

var meaning = func() (m [256]byte) {
	for _, c := range []byte(",;\t\"\r\n") {
		m[c] = quoted
	}
	for _, c := range []byte(";\t\r\n") {
		m[c] |= divides
	}
	for c := utf8.RuneSelf; c < len(m); c++ {
		m[c] = foreign
	}
	return m
}()

func appendText(b []byte, text string) []byte {
	if text == "" {
		return b
	}
	found := look(text)
	guard := startsFormula(text)
	if found == 0 && !guard {
		return append(b, text...)
	}
	if found&quoted != 0 {
		b = append(b, '"')
	}
	if guard {
		b = append(b, '\'')
	}
	if b = appendEscaped(b, text); found&quoted != 0 {
		b = append(b, '"')
	}
	return b
}

// look returns what the text's bytes mean together.
func look(text string) (found byte) {
	for i := range len(text) {
		found |= meaning[text[i]]
	}
	if text[0] == ' ' || text[len(text)-1] == ' ' || text == `\.` {
		found |= quoted
	}
	return found
}

func startsFormula(text string) bool {
	return text[0] == '\t' || text[0] == '\r' || text[0] == '\n' || isSign(text)
}

// dividedFormula reports whether the rest of a text would be a formula for who
// begins a cell there: its quotes, which count at a line's separators only, do not
// hold the text together for a reader with other separators. What stands behind
// the next divider is that one's.
func dividedFormula(rest string) bool {
	rest = strings.TrimLeft(rest, "\" ")
	return rest != "" && isSign(rest)
}

// isSign reports whether text begins with what makes a formula.
func isSign(text string) bool {
	switch text[0] {
	case '=', '+', '-', '@', 0:
		return true
	case 0xEF: // the first byte of the full-width forms
		switch r, _ := utf8.DecodeRuneInString(text); r {
		case '＝', '＋', '－', '＠':
			return true
		}
	}
	return false
}

// appendEscaped doubles quotes, guards the formulas behind dividers and repairs
// what is no UTF-8.
func appendEscaped(b []byte, text string) []byte {
	start := 0
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if c == '"' {
				b = append(b, text[start:i+1]...)
				start = i // once more, with what follows
			}
			if i++; meaning[c]&divides != 0 && dividedFormula(text[i:]) {
				b = append(append(b, text[start:i]...), '\'')
				start = i
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			b = append(append(b, text[start:i]...), "\ufffd"...)
			start = i + 1
		}
		i += size
	}
	return append(b, text[start:]...)
}
