package market

import "github.com/corridor-go/corridor/ports/banks"

// bankRef is the bank that a request names.
type bankRef struct {
	banks.Bank        // as the directory has it; of an unknown bank only the Code, as given
	given      string // the code as the request has it; "" where none counts
	branch     string
}

// bankCodeRule judges a bank code: the bank, or what is wrong with the code.
type bankCodeRule func(code string) (bank bankRef, problem string)

// ignoreBankCode is for markets whose identifiers need no bank beside them.
func ignoreBankCode(string) (bankRef, string) { return bankRef{}, "" }

const bankCodeMissing = "is required in this market"

// codeForm is a market's bank code as a number of digits.
type codeForm struct {
	country       string
	short, long   int // the two lengths; the same where there is one
	problem, trap string
	trapLength    int // a common other length, for which trap says what to send
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

// kenyanCode takes the two digits that the clearing house gives a bank, and the
// two longer forms in use: 00NN as PesaLink writes it, and NNBBB with a branch.
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
	return bankRef{Bank: bank, given: code}
}
