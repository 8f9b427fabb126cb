package paystack

import (
	"strings"

	"github.com/corridor-go/corridor/ports"
)

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

// proof is a kind of account with the document that proves its holder.
type proof struct {
	kind     ports.AccountKind
	document ports.DocumentType
}

// documentTypes holds the combinations that Paystack describes, with its names
// for the document.
var documentTypes = map[proof]string{
	{ports.PersonalAccount, ports.NationalID}:           "identityNumber",
	{ports.PersonalAccount, ports.Passport}:             "passportNumber",
	{ports.BusinessAccount, ports.BusinessRegistration}: "businessRegistrationNumber",
}

var accountTypes = map[ports.AccountKind]string{
	ports.PersonalAccount: "personal",
	ports.BusinessAccount: "business",
}

// validation makes the body; complete is false if the lookup lacks what Paystack
// requires.
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
