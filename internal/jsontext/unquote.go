package jsontext

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Unquote returns the value of a valid JSON string, including its quotes; the result may
// be part of raw. It keeps bytes that are not UTF-8, which encoding/json would replace
// (I26).
func Unquote(raw []byte) []byte {
	raw = raw[1 : len(raw)-1]
	at := bytes.IndexByte(raw, '\\')
	if at < 0 {
		return raw
	}
	text := make([]byte, 0, len(raw))
	for ; at >= 0; at = bytes.IndexByte(raw, '\\') {
		text, raw = append(text, raw[:at]...), raw[at:]
		if c := raw[1]; c != 'u' {
			if i := strings.IndexByte("bfnrt", c); i >= 0 {
				c = "\b\f\n\r\t"[i]
			}
			text, raw = append(text, c), raw[2:]
			continue
		}
		end := len(`\u0000`) // of a run of such escapes, because two may form one character
		for bytes.HasPrefix(raw[end:], []byte(`\u`)) {
			end += len(`\u0000`)
		}
		var meant string
		if err := json.Unmarshal(slices.Concat([]byte(`"`), raw[:end], []byte(`"`)), &meant); err != nil {
			panic(err) // the whole text was valid
		}
		text, raw = append(text, meant...), raw[end:]
	}
	return append(text, raw...)
}
