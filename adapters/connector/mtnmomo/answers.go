package mtnmomo

import (
	"strings"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// holder is the answer of basicuserinfo: an account holder, or Code and Message. Other
// data about the person is not read.
type holder struct {
	GivenName  string `json:"given_name"`
	FamilyName string `json:"family_name"`
	Status     string `json:"status"`
	Code       string `json:"code"`
	Message    string `json:"message"`
}

// refusals are the codes, sent with a 500, that mean a wrong configuration. NOT_ALLOWED
// is also the code of a blocked partner
// (momodevelopercommunity.mtn.com/product-updates/reason-for-some-failed-api-responses-updated-192).
var refusals = map[string]bool{
	"NOT_ALLOWED":                    true,
	"NOT_ALLOWED_TARGET_ENVIRONMENT": true,
}

// codes map the other codes of momodeveloper.mtn.com/api-documentation/common-error to
// an outcome, by default failed. A number that is not MTN's may have a wallet elsewhere.
var codes = map[string]ports.Outcome{
	"RESOURCE_NOT_FOUND":           ports.OutcomeUnsupported,
	"PAYEE_NOT_FOUND":              ports.OutcomeUnsupported,
	"PAYER_NOT_FOUND":              ports.OutcomeUnsupported,
	"PAYEE_NOT_ALLOWED_TO_RECEIVE": ports.OutcomeUnusable,
}

// statuses map an account holder's status, in upper case, to an outcome, by default
// failed.
var statuses = map[string]ports.Outcome{
	"":          ports.OutcomeFound,
	"ACTIVE":    ports.OutcomeFound,
	"BLOCKED":   ports.OutcomeUnusable,
	"CLOSED":    ports.OutcomeUnusable,
	"DORMANT":   ports.OutcomeUnusable,
	"INACTIVE":  ports.OutcomeUnusable,
	"SUSPENDED": ports.OutcomeUnusable,
}

// holderOf parses the answer of basicuserinfo, or the 429 of the token route.
func holderOf(reply httpcall.Reply) (ports.Answer, error) {
	var body holder
	err := reply.Open(&body)
	switch {
	case err != nil:
		return ports.Answer{}, err
	case reply.Throttled():
		return reply.Later(body.Code, body.Message), nil
	case refusals[body.Code]:
		return ports.Answer{}, httpcall.Refused()
	case body.Code != "":
		return reply.Definite(ports.Answer{Kind: kindOf(codes, body.Code), Code: body.Code, Message: body.Message})
	case reply.Status < 300:
		return body.answer()
	default:
		return ports.Answer{}, reply.Unread()
	}
}

// answer returns the outcome of a holder's status, which is the code unless found.
func (h holder) answer() (ports.Answer, error) {
	name := strings.TrimSpace(h.GivenName + " " + h.FamilyName)
	if name == "" {
		return ports.Answer{}, errcodes.New(errcodes.MalformedAnswer, "the account holder has no name")
	}
	kind := kindOf(statuses, strings.ToUpper(h.Status))
	if kind == ports.OutcomeFound {
		return ports.Answer{Kind: kind, HolderName: name}, nil
	}
	return ports.Answer{Kind: kind, Code: h.Status}, nil
}

func kindOf(table map[string]ports.Outcome, key string) ports.Outcome {
	if kind, ok := table[key]; ok {
		return kind
	}
	return ports.OutcomeFailed
}
