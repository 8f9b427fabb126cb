package failures

import "strings"

// blanks are the characters that tidy treats as one blank.
const blanks = "+ \t\n\v\f\r"

// tidy returns s in the form in which raw values are compared: ASCII letters in lower
// case, each run of blanks and + signs as one blank, no blanks at the ends, and no full stop
// at the end of a text of several words: providers print the same sentence with and
// without one. Other bytes stay unchanged.
func tidy(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	blank, words := false, false
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
			blank, words = false, true
		}
		b.WriteByte(c)
	}
	if words {
		return strings.TrimRight(b.String(), " .")
	}
	return b.String()
}

// unpadded returns a code of digits without leading zeros, as if it had been read as a
// number.
func unpadded(s string) string {
	if s == "" || strings.Trim(s, digits) != "" {
		return s
	}
	if s = strings.TrimLeft(s, "0"); s == "" {
		return "0"
	}
	return s
}

const digits = "0123456789"

// isNumbered reports whether a code has a digit and is a single word, as 00 and INS-0 are.
// Other codes are texts: SUCCESSFUL, Payment received, 00 : approved.
func isNumbered(code string) bool {
	code = strings.Trim(code, blanks)
	return strings.ContainsAny(code, digits) && !strings.ContainsAny(code, blanks+":")
}

// withoutZeroFraction returns the integer of a number whose fraction is all zeros: 1032.0
// is 1032. Relays that decode a code as a floating-point number write it that way. Leading
// zeros are kept. It returns false for any other text, exponents included.
func withoutZeroFraction(code string) (integer string, ok bool) {
	integer, fraction, _ := strings.Cut(strings.Trim(code, blanks), ".")
	unsigned := strings.TrimPrefix(integer, "-")
	ok = fraction != "" && strings.Trim(fraction, "0") == "" && unsigned != "" && strings.Trim(unsigned, digits) == ""
	return integer, ok
}

// head returns the part of a tidied text before the first colon, as in "51 : insufficient
// funds". It returns false if a digit follows the colon, as in a time: "00:05:12" is not
// a success.
func head(tidied string) (string, bool) {
	before, after, found := strings.Cut(tidied, ":")
	clock := after != "" && after[0] >= '0' && after[0] <= '9'
	return strings.TrimRight(before, " "), found && before != "" && !clock
}
