package httpcall

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Phrase maps messages of a provider that has no error codes to an outcome. A message
// matches if it begins with Begins, in any case: what follows is often advice that
// changes. Ends matches its end without spaces and full stops, for messages that begin
// with an account number. A row with both needs both, one after the other; a row with
// neither matches nothing.
type Phrase struct {
	Begins string // in lower case
	Ends   string // in lower case, without a full stop
	Kind   ports.Outcome
}

// Meaning returns the kind of the first row that matches the message, and
// [ports.OutcomeFailed] if no row does.
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

// wordEnds ensures that "invalid account" does not match "invalid account_bank".
func wordEnds(rest string) bool {
	next, size := utf8.DecodeRuneInString(rest)
	return size == 0 || !inWord(next)
}

// wordBegins ensures that "valid account" does not match "invalid account".
func wordBegins(before string) bool {
	last, size := utf8.DecodeLastRuneInString(before)
	return size == 0 || !inWord(last)
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// Envelope is the shape of the answers of several providers.
type Envelope[Status any] struct {
	Status  Status          `json:"status"`
	Message string          `json:"message"`
	Code    string          `json:"code"`
	Data    json.RawMessage `json:"data"`
}

// Resolve reads the answer to a look-up of an account's holder by number: an [Envelope]
// whose data has account_number and account_name. outcome reports whether its status
// means a success or a failure; known is false for other statuses. phrases map the
// message of a failure.
//
// An answer without a name or about another account is [errcodes.MalformedAnswer]; the
// other errors are those of [Reply.Open], [Reply.Unread] and [Reply.Definite].
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
		return ports.Answer{}, errcodes.New(errcodes.MalformedAnswer, "the account has no name")
	case account.Number != number:
		return ports.Answer{}, errcodes.New(errcodes.MalformedAnswer, "the answer is about another account")
	}
	return ports.Answer{Kind: ports.OutcomeFound, HolderName: account.Name, Code: body.Code, Message: body.Message}, nil
}
