package market

import "strings"

const ibanLength = 29

// IBAN judges an Egyptian IBAN: EG, two check digits and 25 digits for bank,
// branch and account (ISO 13616, SWIFT's IBAN registry). Spaces anywhere and
// lower case are taken. canonical is upper case without spaces; ok is false for
// text of another form, other countries' IBANs among it.
//
// The check digits must be 02 to 98, and the rearranged number 1 modulo 97 (ISO
// 7064, MOD 97-10): 00, 01 and 99 are never issued, though the remainder alone
// would let them pass. Every wrong digit fails, and every swap of neighbours.
// Canonical text costs no allocation.
func IBAN(text string) (canonical string, verdict Verdict, ok bool) {
	canonical = compact(text)
	if len(canonical) != ibanLength || !strings.EqualFold(canonical[:2], "EG") {
		return "", "", false
	}
	if canonical[:2] != "EG" {
		canonical = "EG" + canonical[2:]
	}
	remainder, ok := mod97(canonical)
	if !ok {
		return "", "", false
	}
	if check := canonical[2:4]; remainder != 1 || check < "02" || check > "98" {
		return canonical, CheckDigitFailed, true
	}
	return canonical, CheckDigitPassed, true
}

// mod97 gives the remainder of an IBAN whose first four characters stand at its
// end, E and G as 14 and 16. ok is false if a character behind EG is no digit.
// Blocks are as long as a machine word holds.
func mod97(iban string) (remainder uint64, ok bool) {
	const eg = 14_16
	head, headOK := number(iban[4:20])
	tail, tailOK := number(iban[20:])
	check, checkOK := number(iban[2:4])
	remainder = (head%97*1e9 + tail) % 97
	remainder = (remainder*1e6 + eg*100 + check) % 97
	return remainder, headOK && tailOK && checkOK
}

// number reads at most 19 digits.
func number(text string) (n uint64, ok bool) {
	ok = true
	for i := range len(text) {
		digit := text[i] - '0'
		ok = ok && digit <= 9
		n = n*10 + uint64(digit)
	}
	return n, ok
}

func egyptianAccount(text string, _ bankRef) (Finding, string) {
	canonical, verdict, ok := IBAN(text)
	if !ok {
		return Finding{}, "must be an Egyptian IBAN: EG and 27 digits"
	}
	found := wellFormed(canonical)
	found.Verdict = verdict
	if verdict == CheckDigitFailed {
		found.Reason = "The check digits of the IBAN are wrong"
	}
	return found, ""
}
