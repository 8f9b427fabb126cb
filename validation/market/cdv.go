package market

// cdvRule is one row of South Africa's check-digit verification (CDV): the account
// numbers that a range of branches issues. BankservAfrica licenses the table; corridor
// does not include it.
type cdvRule struct {
	firstBranch, lastBranch string // universal branch codes, inclusive
	accountType             string // current, savings, transmission; requests do not contain it
	modulus                 int
	fudge                   int     // added to the weighted sum
	weights                 [11]int // of the digits 11 to 1, counted from the right
	exception               string  // the code of a rule that needs more than the sum, or ""
}

// cdvTable is for the licensed rows. While it is empty, only the form of a number is
// checked.
var cdvTable []cdvRule

// checkDigitVerification checks a number against the rows of its branch. One matching row
// is enough; the number fails only if all rows can be computed and none matches.
func checkDigitVerification(table []cdvRule, branch, number string) Verdict {
	rows, failed := 0, 0
	for _, row := range table {
		if branch < row.firstBranch || branch > row.lastBranch {
			continue
		}
		rows++
		switch fits, computed := row.fits(number); {
		case fits:
			return CheckDigitPassed
		case computed:
			failed++
		}
	}
	if rows > 0 && failed == rows {
		return CheckDigitFailed
	}
	return WellFormed
}

// fits reports whether the weighted sum is a multiple of the modulus. computed is false
// if the row alone does not decide.
func (r cdvRule) fits(number string) (fits, computed bool) {
	if r.exception != "" || len(number) > len(r.weights) || r.modulus < 2 {
		return false, false
	}
	sum := r.fudge
	for i := range len(number) {
		sum += int(number[i]-'0') * r.weights[len(r.weights)-len(number)+i]
	}
	return sum%r.modulus == 0, true
}
