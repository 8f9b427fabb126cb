package httpcall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/corridor-go/corridor/ports"
)

// Phrase is a row of what a provider's messages mean, for providers that give no
// code. A message is told by the words that it begins with, in any case, since
// what follows is often advice, and changes; or, where the verdict stands behind
// an account number, by those that it ends with, but for spaces and full stops.
// A row with both wants both, one after the other; a row with neither means
// nothing.
type Phrase struct {
	Begins string // in lower case
	Ends   string // in lower case, without a full stop
	Kind   ports.AnswerKind
}

// Meaning returns the kind of the first row that the message is told by, and
// [ports.AnswerFailed] for a message of none.
func Meaning(table []Phrase, message string) ports.AnswerKind {
	message = strings.ToLower(message)
	for _, row := range table {
		if row.tells(message) {
			return row.Kind
		}
	}
	return ports.AnswerFailed
}

func (p Phrase) tells(message string) bool {
	if p.Begins == "" && p.Ends == "" {
		return false
	}
	rest, begins := strings.CutPrefix(message, p.Begins)
	if !begins || p.Begins != "" && !wordEnds(rest) {
		return false
	}
	before, ends := strings.CutSuffix(strings.TrimRight(rest, ". \t\r\n"), p.Ends)
	return p.Ends == "" || ends && wordBegins(before)
}

// wordEnds keeps "invalid account" from meaning "invalid account_bank".
func wordEnds(rest string) bool {
	next, size := utf8.DecodeRuneInString(rest)
	return size == 0 || !inWord(next)
}

// wordBegins keeps "valid account" from meaning "invalid account".
func wordBegins(before string) bool {
	last, size := utf8.DecodeLastRuneInString(before)
	return size == 0 || !inWord(last)
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
