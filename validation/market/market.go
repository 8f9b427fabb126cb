package market

import "github.com/corridor-go/corridor/ports"

// TablesVersion dates the market table and the numbering plans; a change of
// either changes it.
const TablesVersion = "2026-11-21"

// Rule is one row of the market table: what a request for an account of
// the market must look like (SPEC 2.7).
type Rule struct {
	ports.Market
	// Identifier is the accountIdentifier in canonical form. Requests may write
	// ASCII spaces anywhere in a number, a + before an MSISDN and an IBAN in
	// lower case.
	Identifier Form
	// BankCode is the bankCode; its zero Form says that the market ignores it.
	BankCode Form
	// CheckDigit: identifiers carry one, at least those of some banks.
	CheckDigit bool

	identify identifierRule
	bank     bankCodeRule
}

// Form describes a field's canonical text.
type Form struct {
	Text string // what it is, for people
	// Pattern is a regular expression (ECMA-262 and RE2) that every such text
	// matches; not everything that matches is one.
	Pattern string
}

// identifierRule judges an identifier of printable ASCII without blanks at its
// ends. It gives the account's Identifier, the verdict and its reason; or else
// what is wrong with the identifier, and nothing in the finding counts.
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

// Rules lists the market table: each country with each type of account that
// SPEC 2.7 supports, in SPEC's order.
func Rules() []Rule { return append([]Rule(nil), marketTable...) }

// noMarket stands for every market that is not in the table: no rule applies.
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
