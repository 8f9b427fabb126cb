package market

import (
	"slices"
	"strings"
)

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func allDigits(text string) bool {
	for i := range len(text) {
		if !isDigit(text[i]) {
			return false
		}
	}
	return true
}

// compact removes ASCII spaces: people paste numbers in groups.
func compact(text string) string {
	if strings.IndexByte(text, ' ') < 0 {
		return text
	}
	return strings.ReplaceAll(text, " ", "")
}

// digitsBetween returns an account number of low to high digits without spaces. ok is
// false for any other text.
func digitsBetween(text string, low, high int) (number string, ok bool) {
	number = compact(text)
	return number, low <= len(number) && len(number) <= high && allDigits(number)
}

func wellFormed(number string) Finding {
	found := Finding{Verdict: WellFormed}
	found.Account.Identifier = number
	return found
}

// southAfricanAccount accepts the bank's own lengths if the directory has them, or else
// every length in use.
func southAfricanAccount(text string, bank bankRef) (Finding, string) {
	number, ok := digitsBetween(text, 5, 13)
	if !ok {
		return Finding{}, "must be 5 to 13 digits"
	}
	if len(bank.Digits) > 0 && !slices.Contains(bank.Digits, len(number)) {
		return Finding{}, "must have as many digits as this bank's account numbers"
	}
	found := wellFormed(number)
	found.Verdict = checkDigitVerification(cdvTable, bank.given, number)
	if found.Verdict == CheckDigitFailed {
		found.Reason = "The bank has no account number with this check digit"
	}
	return found, ""
}

// ghanaianAccount accepts 8 to 20 digits, which banks use; no length is published.
func ghanaianAccount(text string, _ bankRef) (Finding, string) {
	number, ok := digitsBetween(text, 8, 20)
	if !ok {
		return Finding{}, "must be 8 to 20 digits"
	}
	return wellFormed(number), ""
}

// kenyanAccount accepts 6 to 16 digits; no length is published, and samples have 8 to 14.
func kenyanAccount(text string, _ bankRef) (Finding, string) {
	number, ok := digitsBetween(text, 6, 16)
	if !ok {
		return Finding{}, "must be 6 to 16 digits"
	}
	return wellFormed(number), ""
}
