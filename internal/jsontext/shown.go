package jsontext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxShown is the maximum number of bytes of a text that [Shown] shows.
const MaxShown = 64

// Shown returns a client's text, such as the name of a field, in the form for an error to
// that client: quoted, on one line, with unprintable characters as question marks, and
// cut to [MaxShown] bytes followed by an ellipsis.
func Shown(text string) string {
	rest, whole := "", 0
	if len(text) > MaxShown {
		for at := range text {
			if at > MaxShown {
				break
			}
			whole = at // do not cut within a character
		}
		text, rest = text[:whole], "…"
	}
	return `"` + strings.Map(printed, text) + rest + `"`
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
