package market

import (
	"log/slog"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Verdict says how far the rules could judge a well-formed identifier.
type Verdict string

// The verdicts. None says that the account exists.
const (
	WellFormed       Verdict = "well_formed"        // nothing more can be tested
	CheckDigitPassed Verdict = "check_digit_passed" // it could exist
	CheckDigitFailed Verdict = "check_digit_failed" // there is no such account
)

// Finding is what the rules know of an account.
type Finding struct {
	Account ports.Account // in canonical form
	Verdict Verdict
	Reason  string // why the check digit failed, for people; "" otherwise. It holds nothing of the account
}

// String shows a finding without the account's number.
func (f Finding) String() string { return f.Account.String() + " " + string(f.Verdict) }

// LogValue is what logs show of a finding.
func (f Finding) LogValue() slog.Value { return slog.StringValue(f.String()) }

// Check judges a request by the rules alone (SPEC 2.7): its fields, its market,
// the form of its bank code and of its identifier, and the identifier's check
// digit where the market has one that can be computed. The same request always
// gives the same finding.
//
// A bank code is required for bank_account except in EGY. Everywhere else it is
// not looked at, and the account has none (I21).
//
// Errors, each with errcodes.FieldDetails that name every offending field of
// the same status; none repeats what the request says:
//
//   - errcodes.InvalidRequest: a field is missing or malformed, or the
//     identifier cannot be one of its market. These come before all others.
//   - errcodes.Unprocessable: the country is not supported for the type of
//     account, or the bank code is missing or ill-formed.
//
// A check digit that fails is a verdict, not an error.
func Check(req Request) (Finding, error) {
	rule, served := marketOf(req.Country, req.AccountType)
	bank, bankProblem := rule.bank(req.BankCode)
	found, idProblem := identify(rule, req.AccountIdentifier, bank)
	countryUnserved := ""
	if !served {
		countryUnserved = "is not supported for this accountType"
	}
	if err := refuse(errcodes.InvalidRequest,
		errcodes.Field{Name: "merchantId", Reason: merchantProblem(req.MerchantID)},
		errcodes.Field{Name: "country", Reason: countryProblem(req.Country)},
		errcodes.Field{Name: "accountType", Reason: typeProblem(req.AccountType)},
		errcodes.Field{Name: "accountIdentifier", Reason: idProblem},
		errcodes.Field{Name: "accountHolderName", Reason: nameProblem(req.AccountHolderName)},
	); err != nil {
		return Finding{}, err
	}
	if err := refuse(errcodes.Unprocessable,
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

// refuse gives an error of the code about the fields that have a reason; nil if
// none has.
func refuse(code errcodes.Code, fields ...errcodes.Field) error {
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
