package csv

import (
	"strings"
	"unicode/utf8"
)

// The meanings of a byte.
const (
	quoted  = 1 << iota // the text is quoted
	foreign             // not ASCII: it may be invalid UTF-8
	divides             // some readers may start a cell after it
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
	found := meaningOf(text)
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

// meaningOf returns the meanings of all bytes of text.
func meaningOf(text string) (found byte) {
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

// dividedFormula reports whether a reader that starts a cell at rest would read a
// formula. Our quotes have no effect there: to a reader with another separator they are
// in the middle of a cell. What follows the next divider is checked at that divider.
func dividedFormula(rest string) bool {
	rest = strings.TrimLeft(rest, "\" ")
	return rest != "" && isSign(rest)
}

// isSign reports whether text starts with a character that starts a formula.
func isSign(text string) bool {
	switch text[0] {
	case '=', '+', '-', '@', 0:
		return true
	case 0xEF: // the first byte of the full-width characters
		switch r, _ := utf8.DecodeRuneInString(text); r {
		case '＝', '＋', '－', '＠':
			return true
		}
	}
	return false
}

// appendEscaped doubles quotes, guards formulas after dividers and replaces invalid
// UTF-8.
func appendEscaped(b []byte, text string) []byte {
	start := 0
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if c == '"' {
				b = append(b, text[start:i+1]...)
				start = i // appended again with what follows
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
