package market

import (
	"log/slog"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Verdict is how far the rules confirm a well-formed identifier.
type Verdict string

// The verdicts. None of them means that the account exists.
const (
	WellFormed       Verdict = "well_formed"        // it has no check digit that can be computed
	CheckDigitPassed Verdict = "check_digit_passed" // the account could exist
	CheckDigitFailed Verdict = "check_digit_failed" // there is no such account
)

// Finding is the result of [Check].
type Finding struct {
	Account ports.Account // in canonical form
	Verdict Verdict
	Reason  string // why the check digit failed, in plain English, without account data; else ""
}

// String returns the account and the verdict without the account's number.
func (f Finding) String() string { return f.Account.String() + " " + string(f.Verdict) }

// LogValue returns String for logs.
func (f Finding) LogValue() slog.Value { return slog.StringValue(f.String()) }

// Check checks a request by the rules alone (SPEC 2.7): its fields, its market, the form
// of its bank code and identifier, and the identifier's check digit if it can be
// computed. Equal requests get equal findings.
//
// A bank code is required for bank_account except in EGY. In all other markets it is
// ignored, and the finding's account has none (I21).
//
// Errors have errcodes.FieldDetails with every invalid field of the same status. None of
// them repeats a value of the request:
//
//   - [errcodes.InvalidRequest]: a field is missing or malformed, or the
//     identifier is not valid in its market. It takes precedence.
//   - [errcodes.Unprocessable]: the country is not supported for the account
//     type, or the bank code is missing or malformed.
//
// A wrong check digit is a verdict, not an error.
func Check(req Request) (Finding, error) {
	rule, served := marketOf(req.Country, req.AccountType)
	bank, bankProblem := rule.bank(req.BankCode)
	found, idProblem := identify(rule, req.AccountIdentifier, bank)
	countryUnserved := ""
	if !served {
		countryUnserved = "is not supported for this accountType"
	}
	if err := invalid(errcodes.InvalidRequest,
		errcodes.Field{Name: "merchantId", Reason: merchantProblem(req.MerchantID)},
		errcodes.Field{Name: "country", Reason: countryProblem(req.Country)},
		errcodes.Field{Name: "accountType", Reason: typeProblem(req.AccountType)},
		errcodes.Field{Name: "accountIdentifier", Reason: idProblem},
		errcodes.Field{Name: "accountHolderName", Reason: nameProblem(req.AccountHolderName)},
	); err != nil {
		return Finding{}, err
	}
	if err := invalid(errcodes.Unprocessable,
		errcodes.Field{Name: "country", Reason: countryUnserved},
		errcodes.Field{Name: "bankCode", Reason: bankProblem},
	); err != nil {
		return Finding{}, err
	}
	found.Account.Market, found.Account.BankCode, found.Account.Branch = rule.Market, bank.Code, bank.branch
	return found, nil
}

func identify(rule *Rule, text string, bank bankRef) (Finding, string) {
	if problem := textProblem(text); problem != "" {
		return Finding{}, problem
	}
	return rule.identify(text, bank)
}

// invalid returns an error about the fields that have a reason, or nil if there is none.
func invalid(code errcodes.Code, fields ...errcodes.Field) error {
	var bad []errcodes.Field
	for _, f := range fields {
		if f.Reason != "" {
			bad = append(bad, f)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return errcodes.New(code, bad[0].Name+" "+bad[0].Reason).WithDetails(errcodes.FieldDetails{Fields: bad})
}
