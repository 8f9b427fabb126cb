// Package jsontext reads JSON strings whose bytes encoding/json would change,
// and shows texts of clients in errors. The root module's internal/jsontext has
// the same two functions; modules do not import one another's internal packages.
package jsontext

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote returns what a JSON string means, quotes and all being valid; maybe as a
// part of it. Bytes that are no UTF-8 stay, where encoding/json would replace
// them (I26).
func Unquote(raw []byte) []byte {
	raw = raw[1 : len(raw)-1]
	at := bytes.IndexByte(raw, '\\')
	if at < 0 {
		return raw
	}
	text := make([]byte, 0, len(raw))
	for ; at >= 0; at = bytes.IndexByte(raw, '\\') {
		text, raw = appendEscaped(append(text, raw[:at]...), raw[at+1:])
	}
	return append(text, raw...)
}

// appendEscaped appends what the escape means whose backslash stands before raw,
// and returns what follows it.
func appendEscaped(dst, raw []byte) (text, rest []byte) {
	c, rest := raw[0], raw[1:]
	switch c {
	case 'u':
		r, rest := codePoint(rest)
		return utf8.AppendRune(dst, r), rest // half a pair becomes U+FFFD
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	}
	return append(dst, c), rest
}

const hexDigits = 4

// codePoint reads the digits behind \u, and the second escape of a pair.
func codePoint(raw []byte) (r rune, rest []byte) {
	r, rest = hex(raw), raw[hexDigits:]
	if !bytes.HasPrefix(rest, []byte(`\u`)) {
		return r, rest
	}
	if pair := utf16.DecodeRune(r, hex(rest[2:])); pair != utf8.RuneError {
		return pair, rest[2+hexDigits:]
	}
	return r, rest
}

func hex(raw []byte) rune {
	n, err := strconv.ParseUint(string(raw[:hexDigits]), 16, 16)
	if err != nil {
		panic(err) // the whole text was valid
	}
	return rune(n)
}
