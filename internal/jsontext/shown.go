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
	rest, whole := "", 0
	if len(text) > MaxShown {
		for at := range text {
			if at > MaxShown {
				break
			}
			whole = at // no character is cut through
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
