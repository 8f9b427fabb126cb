package paystack

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/ports"
)

// validatedAccount is the data of /bank/validate. Older answers only have Verified and
// VerificationMessage.
type validatedAccount struct {
	Verified              *bool  `json:"verified"`
	VerificationMessage   string `json:"verificationMessage"`
	AccountHolderMatch    *bool  `json:"accountHolderMatch"`
	AccountOpen           *bool  `json:"accountOpen"`
	AccountAcceptsCredits *bool  `json:"accountAcceptsCredits"`
}

// Paystack's pages do not list the messages of /bank/resolve: these are from merchants'
// public code, where the second has the code invalid_params.
var resolvePhrases = []httpcall.Phrase{
	{Begins: "could not resolve account name", Kind: ports.OutcomeNotFound},
	{Begins: "unknown bank code", Kind: ports.OutcomeUnsupported},
	{Begins: "test mode daily limit", Kind: ports.OutcomeTryLater},
}

// The sample of a failure in github.com/PaystackOSS/doc-code-snippets.
var validatePhrases = []httpcall.Phrase{
	{Begins: "the provided bank account number is invalid", Kind: ports.OutcomeNotFound},
}

// resolved parses the answer of /bank/resolve about an account number.
func resolved(reply httpcall.Reply, number string) (ports.Answer, error) {
	return httpcall.Resolve(reply, number, resolvePhrases, func(status *bool) (success, known bool) {
		return status != nil && *status, status != nil
	})
}

// validated parses the answer of /bank/validate. The verdict is in the body: a 400 may
// contain one, and one in a 200 may be negative.
func validated(reply httpcall.Reply) (ports.Answer, error) {
	var (
		body    httpcall.Envelope[*bool] // paystack.com/docs/api/errors; only errors have a Code
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
		answer := account.answer()
		answer.Code, answer.Message = body.Code, cmp.Or(account.VerificationMessage, body.Message)
		return reply.Definite(answer)
	case *body.Status || reply.Status < 300:
		return ports.Answer{}, reply.Unread()
	default:
		return reply.Definite(ports.Answer{Kind: ports.OutcomeFailed, Code: body.Code, Message: body.Message})
	}
}

// answer checks the flags in order: a closed account gets no money in any case.
func (v validatedAccount) answer() ports.Answer {
	no := func(flag *bool) bool { return flag != nil && !*flag }
	kind := httpcall.Meaning(validatePhrases, v.VerificationMessage)
	switch {
	case no(v.AccountOpen), no(v.AccountAcceptsCredits):
		return ports.Answer{Kind: ports.OutcomeUnusable}
	case kind == ports.OutcomeNotFound && !*v.Verified:
		return ports.Answer{Kind: kind}
	case no(v.AccountHolderMatch):
		return ports.Answer{Kind: ports.OutcomeNameMismatched}
	case *v.Verified:
		return ports.Answer{Kind: ports.OutcomeNameMatched}
	default:
		return ports.Answer{Kind: ports.OutcomeFailed}
	}
}

// validateRequest is the body of POST /bank/validate
// (paystack.com/docs/api/verification, Validate Account).
type validateRequest struct {
	BankCode       string `json:"bank_code"`
	CountryCode    string `json:"country_code"`
	AccountNumber  string `json:"account_number"`
	AccountName    string `json:"account_name"`
	AccountType    string `json:"account_type"`
	DocumentType   string `json:"document_type"`
	DocumentNumber string `json:"document_number"`
}

// proof is a kind of account and the document that identifies its holder.
type proof struct {
	kind     ports.AccountKind
	document ports.DocumentType
}

// documentTypes contains the combinations that Paystack documents, with its names for
// the documents.
var documentTypes = map[proof]string{
	{ports.PersonalAccount, ports.NationalID}:           "identityNumber",
	{ports.PersonalAccount, ports.Passport}:             "passportNumber",
	{ports.BusinessAccount, ports.BusinessRegistration}: "businessRegistrationNumber",
}

var accountTypes = map[ports.AccountKind]string{
	ports.PersonalAccount: "personal",
	ports.BusinessAccount: "business",
}

// validation returns the body; complete is false if the lookup lacks a value that
// Paystack requires.
func validation(lookup ports.AccountLookup, bank string) (body validateRequest, complete bool) {
	document, described := documentTypes[proof{lookup.Identity.Kind, lookup.Identity.Document}]
	if !described || lookup.Identity.Number == "" || strings.TrimSpace(lookup.HolderName) == "" {
		return validateRequest{}, false
	}
	return validateRequest{
		BankCode:       bank,
		CountryCode:    "ZA",
		AccountNumber:  lookup.Identifier,
		AccountName:    lookup.HolderName,
		AccountType:    accountTypes[lookup.Identity.Kind],
		DocumentType:   document,
		DocumentNumber: lookup.Identity.Number,
	}, true
}
