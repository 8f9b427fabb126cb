package httpserver

import "strings"

// bearer returns the token of the Authorization headers. There must be exactly one,
// with the scheme Bearer in any case, spaces, and a token in the alphabet of RFC 6750
// section 2.1.
func bearer(headers []string) (token string, ok bool) {
	const scheme = "bearer"
	if len(headers) != 1 {
		return "", false
	}
	h := headers[0]
	if len(h) <= len(scheme) || !strings.EqualFold(h[:len(scheme)], scheme) || h[len(scheme)] != ' ' {
		return "", false
	}
	token = strings.TrimLeft(h[len(scheme):], " ")
	return token, token68(token)
}

// token68 reports whether s is 1*( ALPHA / DIGIT / "-._~+/" ) *"=".
func token68(s string) bool {
	s = strings.TrimRight(s, "=")
	for i := range len(s) {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && strings.IndexByte("-._~+/", c) < 0 {
			return false
		}
	}
	return s != ""
}
