package flutterwave

import (
	"encoding/json"
	"strings"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// envelope is the shape of v3's answers; server errors have Code and no Status
// (developer.flutterwave.com/docs/integration-guides/errors).
type envelope struct {
	Status  string          `json:"status"`
	Message string          `json:"message"`
	Code    string          `json:"code"`
	Data    json.RawMessage `json:"data"`
}

// The values of Status.
const (
	statusSuccess = "success"
	statusError   = "error"
)

type account struct {
	AccountNumber string `json:"account_number"`
	AccountName   string `json:"account_name"`
}

var phrases = []httpcall.Phrase{
	{Begins: "invalid account", Kind: ports.AnswerNotFound},
}

// resolved reads the answer about an account number.
func resolved(reply httpcall.Reply, number string) (ports.Answer, error) {
	var body envelope
	err := reply.Open(&body)
	switch {
	case err != nil:
		return ports.Answer{}, err
	case reply.Throttled():
		return reply.Later(body.Code, body.Message), nil
	case body.Status == statusSuccess && reply.Status < 300:
		return named(body, number)
	case body.Status == statusError:
		answer := ports.Answer{Kind: httpcall.Meaning(phrases, body.Message), Code: body.Code, Message: body.Message}
		return reply.Definite(answer)
	default:
		return ports.Answer{}, reply.Unread()
	}
}

// named reads a success, which must be about the account that was asked for and
// name its holder.
func named(body envelope, number string) (ports.Answer, error) {
	var found account
	switch {
	case json.Unmarshal(body.Data, &found) != nil, strings.TrimSpace(found.AccountName) == "":
		return ports.Answer{}, errcodes.New(errcodes.MalformedAnswer, "an account without a name")
	case found.AccountNumber != number:
		return ports.Answer{}, errcodes.New(errcodes.MalformedAnswer, "the answer is about another account")
	default:
		return ports.Answer{Kind: ports.AnswerFound, HolderName: found.AccountName, Code: body.Code, Message: body.Message}, nil
	}
}
