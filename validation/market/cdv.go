package market

// cdvRule is one row of South Africa's check-digit verification (CDV): which
// account numbers a range of branches gives out. BankservAfrica licenses the
// table; corridor ships none.
type cdvRule struct {
	firstBranch, lastBranch string // universal branch codes, both in it
	accountType             string // current, savings, transmission; a request does not say which
	modulus                 int
	fudge                   int     // added to the weighted sum
	weights                 [11]int // of the digits 11 to 1, counted from the right
	exception               string  // the code of a rule that needs more than the sum; "" for none
}

// cdvTable is where the licensed rows go. While it is empty, numbers are judged
// by their form alone.
var cdvTable []cdvRule

// checkDigitVerification judges a number of digits by the rows of the branch: one
// that fits will do, and it fails only if all can be computed and none fits.
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

// fits reports whether the weighted sum is a multiple of the modulus; computed
// is false where the row does not say all.
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
