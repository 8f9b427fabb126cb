package market

import "github.com/corridor-go/corridor/ports/banks"

// bankRef is the bank of a request.
type bankRef struct {
	banks.Bank        // from the directory; for an unknown bank only Code is set
	known      bool   // the bank is in the directory
	given      string // the code as received; "" where bank codes are ignored
	branch     string
}

// bankCodeRule returns the bank of a code, or what is wrong with the code.
type bankCodeRule func(code string) (bank bankRef, problem string)

// ignoreBankCode is the rule of markets whose identifiers need no bank code.
func ignoreBankCode(string) (bankRef, string) { return bankRef{}, "" }

const bankCodeMissing = "is required in this market"

// codeForm describes a market's numeric bank codes.
type codeForm struct {
	country       string
	short, long   int // the two valid lengths, or twice the only one
	problem, trap string
	trapLength    int // a common wrong length, for which trap is the problem
}

var (
	zafCode = codeForm{country: "ZAF", short: 6, long: 6, problem: "must be the bank's universal branch code of 6 digits"}
	ngaCode = codeForm{
		country: "NGA", short: 3, long: 6, problem: "must be a central-bank code of 3 or 6 digits",
		trapLength: 5, trap: "must be 3 or 6 digits: write a 5-digit code with a 9 before it",
	}
	ghaCode = codeForm{
		country: "GHA", short: 3, long: 3, problem: "must be the central bank's institution code of 3 digits",
		trapLength: 6, trap: "must be 3 digits: a 6-digit sort code names a branch",
	}
)

func (f codeForm) parse(code string) (bankRef, string) {
	switch {
	case code == "":
		return bankRef{}, bankCodeMissing
	case !allDigits(code):
		return bankRef{}, f.problem
	case len(code) == f.short || len(code) == f.long:
		return lookUp(f.country, code), ""
	case len(code) == f.trapLength:
		return bankRef{}, f.trap
	default:
		return bankRef{}, f.problem
	}
}

// kenyanCode accepts the clearing house's two-digit bank code and two longer forms in
// use: 00NN as in PesaLink, and NNBBB with a branch.
func kenyanCode(code string) (bankRef, string) {
	const problem = "must be a bank's code of 2 digits, or 00NN, or NNBBB with the branch"
	switch {
	case code == "":
		return bankRef{}, bankCodeMissing
	case !allDigits(code):
		return bankRef{}, problem
	case len(code) == 2:
		return lookUp("KEN", code), ""
	case len(code) == 4 && code[:2] == "00":
		return lookUp("KEN", code[2:]), ""
	case len(code) == 5:
		bank := lookUp("KEN", code[:2])
		bank.branch = code[2:]
		return bank, ""
	default:
		return bankRef{}, problem
	}
}

func lookUp(country, code string) bankRef {
	bank, known := banks.Find(country, code)
	if !known {
		bank.Code = code
	}
	return bankRef{Bank: bank, known: known, given: code}
}
