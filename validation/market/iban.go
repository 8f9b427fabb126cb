package market

import "strings"

const ibanLength = 29

// IBAN checks an Egyptian IBAN: EG, two check digits and 25 digits for bank, branch and
// account (ISO 13616, SWIFT's IBAN registry). Spaces anywhere and lower case are
// accepted. canonical is upper case without spaces. ok is false for any other text,
// including other countries' IBANs.
//
// The check digits must be 02 to 98, and the rearranged number must be 1 modulo 97 (ISO
// 7064, MOD 97-10): 00, 01 and 99 are never issued, although the remainder alone would
// accept them. Every single wrong digit fails, and so does every swap of adjacent digits.
// IBAN does not allocate for canonical text.
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

// mod97 returns the remainder of an IBAN after its first four characters have been moved
// to its end, with E and G as 14 and 16. ok is false if a character after EG is not a
// digit. It works in blocks that fit a machine word.
func mod97(iban string) (remainder uint64, ok bool) {
	const eg = 14_16
	head, headOK := number(iban[4:20])
	tail, tailOK := number(iban[20:])
	check, checkOK := number(iban[2:4])
	remainder = (head%97*1e9 + tail) % 97
	remainder = (remainder*1e6 + eg*100 + check) % 97
	return remainder, headOK && tailOK && checkOK
}

// number parses at most 19 digits.
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
