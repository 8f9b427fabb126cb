package jsontext_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/internal/jsontext"
)

func TestShownQuotesAndShortensTexts(t *testing.T) {
	long := strings.Repeat("x", jsontext.MaxShown)
	for text, want := range map[string]string{
		"": `""`, "amount": `"amount"`, "montant dû": `"montant dû"`, `a"b`: `"a'b"`, "a\x00b\nc\u202ed\u2028e\x7f": `"a?b?c?d?e?"`,
		"\xff": `"?"`, long: `"` + long + `"`, long + "y": `"` + long + `…"`,
		long[1:] + "é": `"` + long[1:] + `…"`, long[2:] + "é": `"` + long[2:] + `é"`, long[3:] + "😀": `"` + long[3:] + `…"`,
		long[2:] + "éy": `"` + long[2:] + `é…"`,
	} {
		require.Equal(t, want, jsontext.Shown(text), "%q", text)
	}
}

// Whatever a client writes, the shown text is short and on one line.
func TestShownTextsAreHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		got := jsontext.Shown(text)
		inner := strings.TrimSuffix(got[1:len(got)-1], "…")
		require.LessOrEqual(t, len(inner), jsontext.MaxShown)
		require.True(t, utf8.ValidString(got))
		require.NotContains(t, inner, `"`)
		require.False(t, strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }), "%q", got)
	})
}
