package csv

import (
	"unicode/utf8"
)

// What a byte means for its text, wherever it stands.
const (
	quoted  = 1 << iota // the text is quoted
	foreign             // no ASCII: it may be no UTF-8
)

var meaning = func() (m [256]byte) {
	for _, c := range []byte(",;\t\"\r\n") {
		m[c] = quoted
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

// look gives what the text's bytes mean together.
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
	switch text[0] {
	case '=', '+', '-', '@', '\t', '\r', '\n', 0:
		return true
	case 0xEF: // the first byte of the full-width forms
		switch r, _ := utf8.DecodeRuneInString(text); r {
		case '＝', '＋', '－', '＠':
			return true
		}
	}
	return false
}

// appendEscaped doubles quotes and repairs what is no UTF-8.
func appendEscaped(b []byte, text string) []byte {
	start := 0
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if c == '"' {
				b = append(b, text[start:i+1]...)
				start = i // once more, with what follows
			}
			i++
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
