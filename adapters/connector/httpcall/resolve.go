package httpcall

import (
	"encoding/json"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

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
	return ports.Answer{Kind: ports.AnswerFound, HolderName: account.Name, Code: body.Code, Message: body.Message}, nil
}
