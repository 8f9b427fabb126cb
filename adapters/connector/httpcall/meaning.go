package httpcall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/corridor-go/corridor/ports"
)

// Phrase is a row of what a provider's messages mean, for providers that give no
// code. A message is told by the words that it begins with, in any case: what
// follows is often advice, and changes.
type Phrase struct {
	Begins string // in lower case
	Kind   ports.AnswerKind
}

// Meaning gives the kind of the first row that the message begins with, and
// [ports.AnswerFailed] for a message of none.
func Meaning(table []Phrase, message string) ports.AnswerKind {
	message = strings.ToLower(message)
	for _, row := range table {
		if rest, ok := strings.CutPrefix(message, row.Begins); ok && wordEnds(rest) {
			return row.Kind
		}
	}
	return ports.AnswerFailed
}

// wordEnds keeps "invalid account" from meaning "invalid account_bank".
func wordEnds(rest string) bool {
	next, size := utf8.DecodeRuneInString(rest)
	return size == 0 || next != '_' && !unicode.IsLetter(next) && !unicode.IsDigit(next)
}
