package httpcall

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/corridor-go/corridor/errcodes"
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
	Kind   ports.Outcome
}

// Meaning returns the kind of the first row that the message is told by, and
// [ports.OutcomeFailed] for a message of none.
func Meaning(table []Phrase, message string) ports.Outcome {
	message = strings.ToLower(message)
	for _, row := range table {
		if row.matches(message) {
			return row.Kind
		}
	}
	return ports.OutcomeFailed
}

func (p Phrase) matches(message string) bool {
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

// Envelope is the shape of answers that several providers share.
type Envelope[Status any] struct {
	Status  Status          `json:"status"`
	Message string          `json:"message"`
	Code    string          `json:"code"`
	Data    json.RawMessage `json:"data"`
}

// Resolve reads the answer to the question who holds the account with the number:
// an [Envelope] whose data have account_number and account_name. outcome reports
// what its status means: a success, a failure, or, if known is false, neither.
// What a failure means is read from its message by phrases.
//
// An answer without a name or about another account is [errcodes.MalformedAnswer];
// the other errors are those of [Reply.Open], [Reply.Unread] and [Reply.Definite].
func Resolve[Status any](reply Reply, number string, phrases []Phrase, outcome func(Status) (success, known bool)) (ports.Answer, error) {
	var body Envelope[Status]
	err := reply.Open(&body)
	success, known := outcome(body.Status)
	switch {
	case err != nil:
		return ports.Answer{}, err
	case reply.Throttled():
		return reply.Later(body.Code, body.Message), nil
	case !known, success && reply.Status >= 300:
		return ports.Answer{}, reply.Unread()
	case !success:
		return reply.Definite(ports.Answer{Kind: Meaning(phrases, body.Message), Code: body.Code, Message: body.Message})
	}
	var account struct {
		Number string `json:"account_number"`
		Name   string `json:"account_name"`
	}
	switch {
	case json.Unmarshal(body.Data, &account) != nil, strings.TrimSpace(account.Name) == "":
		return ports.Answer{}, errcodes.New(errcodes.MalformedAnswer, "an account without a name")
	case account.Number != number:
		return ports.Answer{}, errcodes.New(errcodes.MalformedAnswer, "the answer is about another account")
	}
	return ports.Answer{Kind: ports.OutcomeFound, HolderName: account.Name, Code: body.Code, Message: body.Message}, nil
}
