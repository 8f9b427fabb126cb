package failures

import "strings"

// tidy gives the form in which dirty raw values are compared: ASCII letters in
// lower case, each + and each run of blanks as one blank, none at the ends.
// Bytes that are no ASCII stay, so that two texts that differ in them never
// become one.
func tidy(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	blank := false
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '+' || c == ' ' || c >= '\t' && c <= '\r':
			blank = b.Len() > 0
			continue
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		if blank {
			b.WriteByte(' ')
			blank = false
		}
		b.WriteByte(c)
	}
	return b.String()
}

// unpadded gives a code of digits as it looks where somebody has read it as a
// number.
func unpadded(s string) string {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return s
	}
	if s = strings.TrimLeft(s, "0"); s == "" {
		return "0"
	}
	return s
}

// head gives the code that stands before the first colon of a tidied text, as in
// "51 : insufficient funds". Digits right behind the colon make it a time or a
// ratio: "00:05:12" approves nothing.
func head(tidied string) (string, bool) {
	before, after, found := strings.Cut(tidied, ":")
	clock := after != "" && after[0] >= '0' && after[0] <= '9'
	return strings.TrimRight(before, " "), found && before != "" && !clock
}
