package paystack

import (
	"cmp"
	"encoding/json"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/ports"
)

// validatedAccount is the data of /bank/validate. Older answers have Verified and
// VerificationMessage only.
type validatedAccount struct {
	Verified              *bool  `json:"verified"`
	VerificationMessage   string `json:"verificationMessage"`
	AccountHolderMatch    *bool  `json:"accountHolderMatch"`
	AccountOpen           *bool  `json:"accountOpen"`
	AccountAcceptsCredits *bool  `json:"accountAcceptsCredits"`
}

var resolvePhrases = []httpcall.Phrase{
	{Begins: "could not resolve account name", Kind: ports.AnswerNotFound},
	{Begins: "unknown bank code", Kind: ports.AnswerUnsupported},
	{Begins: "test mode daily limit", Kind: ports.AnswerTryLater},
}

var validatePhrases = []httpcall.Phrase{
	{Begins: "the provided bank account number is invalid", Kind: ports.AnswerNotFound},
}

// resolved reads the answer of /bank/resolve about an account number.
func resolved(reply httpcall.Reply, number string) (ports.Answer, error) {
	return httpcall.Resolve(reply, number, resolvePhrases, func(status *bool) (success, known bool) {
		return status != nil && *status, status != nil
	})
}

// validated reads the answer of /bank/validate. A 400 may hold a verdict, and a
// 200 a bad one.
func validated(reply httpcall.Reply) (ports.Answer, error) {
	var (
		body    httpcall.Envelope[*bool] // paystack.com/docs/api/errors; Code is there in errors only
		account validatedAccount
	)
	err := reply.Open(&body)
	switch {
	case err != nil:
		return ports.Answer{}, err
	case reply.Throttled():
		return reply.Later(body.Code, body.Message), nil
	case body.Status == nil:
		return ports.Answer{}, reply.Unread()
	case json.Unmarshal(body.Data, &account) == nil && account.Verified != nil:
		answer := account.verdict()
		answer.Code, answer.Message = body.Code, cmp.Or(account.VerificationMessage, body.Message)
		return reply.Definite(answer)
	case *body.Status || reply.Status < 300:
		return ports.Answer{}, reply.Unread()
	default:
		return reply.Definite(ports.Answer{Kind: ports.AnswerFailed, Code: body.Code, Message: body.Message})
	}
}

// verdict ranks the flags: money cannot reach a closed account, whoever holds it.
func (v validatedAccount) verdict() ports.Answer {
	no := func(flag *bool) bool { return flag != nil && !*flag }
	kind := httpcall.Meaning(validatePhrases, v.VerificationMessage)
	switch {
	case no(v.AccountOpen), no(v.AccountAcceptsCredits):
		return ports.Answer{Kind: ports.AnswerUnusable}
	case kind == ports.AnswerNotFound && !*v.Verified:
		return ports.Answer{Kind: kind}
	case no(v.AccountHolderMatch):
		return ports.Answer{Kind: ports.AnswerFound, Name: ports.NameMismatched}
	case *v.Verified:
		return ports.Answer{Kind: ports.AnswerFound, Name: ports.NameMatched}
	default:
		return ports.Answer{Kind: ports.AnswerFailed}
	}
}
