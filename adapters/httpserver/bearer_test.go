package httpserver_test

import (
	"strings"
	"testing"

	"github.com/corridor-go/corridor/adapters/httpserver"
)

// FuzzAuthorization compares the parser with the grammar of RFC 6750 section 2.1,
// written as a state machine.
func FuzzAuthorization(f *testing.F) {
	for _, h := range []string{"Bearer abc", "bEARER   a-b._~+/1==", "Bearer", "Bearer ", "Bearer a b", "Bearer =", "Bearer a=b", "Basic abc", "Bearerabc", " Bearer a", "Bearer\ta", "Bearer a\x00"} {
		f.Add(h)
	}
	f.Fuzz(func(t *testing.T, header string) {
		want, ok := grammar(header)
		token, got := httpserver.Bearer([]string{header})
		if got != ok || ok && token != want {
			t.Fatalf("%q: token %q, %v; want %q, %v", header, token, got, want, ok)
		}
		if _, ok := httpserver.Bearer([]string{header, header}); ok {
			t.Fatalf("%q: a repeated header is accepted", header)
		}
	})
}

func grammar(header string) (token string, ok bool) {
	scheme, rest, found := strings.Cut(header, " ")
	if !found || len(scheme) != 6 || !strings.EqualFold(scheme, "Bearer") || strings.ToLower(scheme) != "bearer" {
		return "", false
	}
	for strings.HasPrefix(rest, " ") {
		rest = rest[1:]
	}
	letters, padding := 0, 0
	for _, c := range []byte(rest) {
		switch {
		case c == '=' && letters > 0:
			padding++
		case padding == 0 && strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/", rune(c)):
			letters++
		default:
			return "", false
		}
	}
	return rest, letters > 0
}
