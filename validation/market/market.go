package market

import "github.com/corridor-go/corridor/ports"

// TablesVersion is the date of the market table and the numbering plans. It changes with
// either.
const TablesVersion = "2026-11-21"

// Rule is one row of the market table: the form of requests for accounts of the market
// (SPEC 2.7).
type Rule struct {
	ports.Market
	// Identifier is the canonical form of accountIdentifier. Requests may contain ASCII
	// spaces anywhere in a number, a + before an MSISDN and lower case in an IBAN.
	Identifier Form
	// BankCode is the form of bankCode. It is zero if the market ignores bank codes.
	BankCode Form
	// CheckDigit reports whether at least some banks' identifiers have a check digit.
	CheckDigit bool

	identify identifierRule
	bank     bankCodeRule
}

// Form describes the canonical text of a field.
type Form struct {
	Text string // description in plain English
	// Pattern is a regular expression (ECMA-262 and RE2) that every valid text matches.
	// Not every match is valid.
	Pattern string
}

// identifierRule checks an identifier of printable ASCII without surrounding blanks. It
// returns a finding with Identifier, Verdict and Reason set, or what is wrong with the
// identifier; the finding is then meaningless.
type identifierRule func(text string, bank bankRef) (found Finding, problem string)

var marketTable = []Rule{
	{
		Market:     ports.Market{Country: "ZAF", Type: ports.BankAccount},
		Identifier: Form{"5 to 13 digits, or the bank's own lengths where they are known", `^[0-9]{5,13}$`},
		BankCode:   Form{"the bank's universal branch code: 6 digits", `^[0-9]{6}$`},
		identify:   southAfricanAccount, bank: zafCode.parse,
	},
	{
		Market:     ports.Market{Country: "NGA", Type: ports.BankAccount},
		Identifier: Form{"NUBAN: 9 digits and a check digit", `^[0-9]{10}$`},
		BankCode:   Form{"the central bank's code: 3 digits, or 6 for other institutions", `^(?:[0-9]{3}|[0-9]{6})$`},
		CheckDigit: true,
		identify:   nigerianAccount, bank: ngaCode.parse,
	},
	{
		Market:     ports.Market{Country: "EGY", Type: ports.BankAccount},
		Identifier: Form{"IBAN: EG, 2 check digits and 25 digits", `^EG[0-9]{27}$`},
		CheckDigit: true,
		identify:   egyptianAccount, bank: ignoreBankCode,
	},
	{
		Market:     ports.Market{Country: "GHA", Type: ports.BankAccount},
		Identifier: Form{"8 to 20 digits", `^[0-9]{8,20}$`},
		BankCode:   Form{"the central bank's institution code: 3 digits", `^[0-9]{3}$`},
		identify:   ghanaianAccount, bank: ghaCode.parse,
	},
	{
		Market:     ports.Market{Country: "KEN", Type: ports.BankAccount},
		Identifier: Form{"6 to 16 digits", `^[0-9]{6,16}$`},
		BankCode:   Form{"the bank's code: 2 digits, also as 00NN or with its branch as NNBBB", `^(?:(?:00)?[0-9]{2}|[0-9]{5})$`},
		identify:   kenyanAccount, bank: kenyanCode,
	},
	{
		Market:     ports.Market{Country: "KEN", Type: ports.MobileMoney},
		Identifier: Form{"MSISDN: 254 and a mobile number of 9 digits", `^254[0-9]{9}$`},
		identify:   mobileMoney(&kenyanPlan), bank: ignoreBankCode,
	},
	{
		Market:     ports.Market{Country: "GHA", Type: ports.MobileMoney},
		Identifier: Form{"MSISDN: 233 and a mobile number of 9 digits", `^233[0-9]{9}$`},
		identify:   mobileMoney(&ghanaianPlan), bank: ignoreBankCode,
	},
	{
		Market:     ports.Market{Country: "ZWE", Type: ports.InstitutionWallet},
		Identifier: Form{"MSISDN: 263 and a mobile number of 9 digits; or 4 to 40 letters, digits, dots, hyphens and underscores", `^[A-Za-z0-9._-]{4,40}$`},
		identify:   zimbabweanWallet, bank: ignoreBankCode,
	},
}

// Rules returns the market table: each country with each of its account types, in the
// order of SPEC 2.7.
func Rules() []Rule { return append([]Rule(nil), marketTable...) }

// noMarket is the rule of every market that is not in the table: it accepts everything.
var noMarket = Rule{
	identify: func(string, bankRef) (Finding, string) { return Finding{}, "" },
	bank:     ignoreBankCode,
}

func marketOf(country, accountType string) (rule *Rule, served bool) {
	for i := range marketTable {
		rule = &marketTable[i]
		if rule.Country == country && string(rule.Type) == accountType {
			return rule, true
		}
	}
	return &noMarket, false
}
