package jsontext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxShown is how many bytes of a text [Shown] shows at the most.
const MaxShown = 64

// Shown returns a text of a client's, a field's name for example, as an error may
// show it to that client: in quotes, of one line, with what cannot be printed as
// question marks, and cut to [MaxShown] bytes with an ellipsis behind.
func Shown(text string) string {
	rest := ""
	if len(text) > MaxShown {
		text, rest = whole(text[:MaxShown]), "…"
	}
	return `"` + strings.Map(printed, text) + rest + `"`
}

// whole drops the character at the end that a cut went through.
func whole(text string) string {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRuneInString(tail) {
				return text[:len(text)-n]
			}
			break
		}
	}
	return text
}

func printed(r rune) rune {
	switch {
	case r == '"':
		return '\''
	case r == utf8.RuneError || !unicode.IsPrint(r):
		return '?'
	default:
		return r
	}
}
