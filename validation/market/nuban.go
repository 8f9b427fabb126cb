package market

import "github.com/corridor-go/corridor/ports/banks"

const nubanLength = 10

// NUBAN checks a Nigerian account number with the code of its bank (Central Bank of
// Nigeria, Nigerian Uniform Bank Account Number, 2010, revised 2020). Spaces in the
// number are accepted; canonical has none. ok is false unless the number has 10 digits
// and the code 3 or 6.
//
// The tenth digit checks the code and the nine digits before it. It can be computed for
// the central bank's codes: 3 digits for banks, 9 and 5 more digits for other
// institutions. With any other code of 6 digits (an instant-payment code such as 000014,
// or a provider's own 99999x) the verdict is WellFormed. NUBAN does not look the code up:
// for a three-digit code that a provider invented, its verdict means nothing. [Check]
// computes check digits only for banks in the directory whose code is not of a single list.
//
// Every single wrong digit fails. A swap of adjacent digits fails unless they differ by 5
// or are the third and fourth or the sixth and seventh. With another bank's code one
// number in ten passes, and some codes have all check digits in common: a pass does not
// identify the bank. NUBAN does not allocate for canonical text.
func NUBAN(bankCode, text string) (canonical string, verdict Verdict, ok bool) {
	canonical = compact(text)
	if len(canonical) != nubanLength || len(bankCode) != 3 && len(bankCode) != 6 {
		return "", "", false
	}
	const last = nubanLength - 1
	code, codeOK := nubanSum(bankCode)
	serial, serialOK := nubanSum(canonical[:last])
	switch {
	case !codeOK || !serialOK || !isDigit(canonical[last]):
		return "", "", false
	case !centralBankCode(bankCode):
		return canonical, WellFormed, true
	case (code+serial+int(canonical[last]-'0'))%10 != 0:
		return canonical, CheckDigitFailed, true
	default:
		return canonical, CheckDigitPassed, true
	}
}

// nubanSum weights the digits 3, 7, 3 repeatedly. The lengths of code and serial are
// multiples of three, so both start with the weight 3.
func nubanSum(text string) (sum int, ok bool) {
	ok = true
	for i := 0; i < len(text); i += 3 {
		a, b, c := text[i]-'0', text[i+1]-'0', text[i+2]-'0'
		ok = ok && a <= 9 && b <= 9 && c <= 9
		sum += 3*(int(a)+int(c)) + 7*int(b)
	}
	return sum, ok
}

// centralBankCode reports whether the standard's check digit can be computed with a code
// of 3 or 6 digits.
func centralBankCode(code string) bool {
	return len(code) == 3 || code[0] == '9' && code[:5] != "99999"
}

// nigerianAccount computes the check digit only if the directory knows the bank, more than
// one list agrees on its code, and its account numbers are not telephone numbers. Any
// other code may be a provider's own, such as 305, which several use for OPay.
func nigerianAccount(text string, bank bankRef) (Finding, string) {
	number, ok := digitsBetween(text, nubanLength, nubanLength)
	if !ok {
		return Finding{}, "must be a NUBAN of 10 digits"
	}
	found := wellFormed(number)
	if !bank.known || bank.PhoneAccounts || bank.Confidence == banks.Single {
		return found, ""
	}
	code := bank.given
	if len(code) == 3 {
		code = bank.Code // the standard does not use a provider's own three-digit code
	}
	if _, verdict, ok := NUBAN(code, number); ok {
		found.Verdict = verdict
	}
	if found.Verdict == CheckDigitFailed {
		found.Reason = "The account number's check digit does not fit the bank code"
	}
	return found, ""
}
