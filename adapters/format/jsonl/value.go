package jsonl

import (
	"unicode/utf8"

	"github.com/corridor-go/corridor/ports"
)

// appendValue takes a text that is of its type.
func appendValue(b []byte, t ports.ColumnType, text string) []byte {
	if t == ports.ColumnInteger {
		return append(b, text...) // ports spells integers as JSON does
	}
	return appendString(b, text)
}

func appendString(b []byte, text string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(append(b, text[start:i]...), "\ufffd"...)
				start = i + 1
			}
			i += size
			continue
		}
		if c < ' ' || c == '"' || c == '\\' {
			b = appendEscape(append(b, text[start:i]...), c)
			start = i + 1
		}
		i++
	}
	return append(append(b, text[start:]...), '"')
}

func appendEscape(b []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	default:
		return append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
	}
}
