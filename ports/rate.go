package ports

import (
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/corridor-go/corridor/errcodes"
)

// Bounds of decimal text. A rate beyond them is a mistake of its source, not a
// price.
const (
	MaxRateDigits    = 30 // digits of a rate
	MaxRateExp       = 12 // a rate is at least 10^-12 and below 10^12
	MaxDecimalDigits = 48 // digits of any decimal text: a rate, a markup's worth and room
)

// SetDecimal reads plain decimal text into dst: digits, at most one point with
// digits on both sides, no sign, no exponent, no zero before another leading
// digit, 1 to [MaxDecimalDigits] digits in all. Anything else is
// [errcodes.InvalidRequest], and dst is undefined.
func SetDecimal(dst *apd.Decimal, text string) error {
	coeff, scale, ok := SmallDecimal(text)
	if ok {
		dst.Coeff.SetUint64(coeff)
	} else if scale, ok = setLong(dst, text); !ok {
		return bad("a number is plain decimal text")
	}
	dst.Form, dst.Negative, dst.Exponent = apd.Finite, false, int32(-scale)
	return nil
}

// SetRate reads a rate into dst: decimal text as [SetDecimal] takes it, of up
// to [MaxRateDigits] digits, at least 10^-12 and below 10^12. Anything else is
// [errcodes.InvalidRequest], and dst is undefined.
func SetRate(dst *apd.Decimal, text string) error {
	if err := SetDecimal(dst, text); err != nil {
		return err
	}
	if dst.IsZero() {
		return bad("a rate is above zero")
	}
	exp := int(dst.NumDigits()) + int(dst.Exponent) // 10^(exp-1) ≤ rate < 10^exp
	if exp > MaxRateExp || exp <= -MaxRateExp || len(text) > MaxRateDigits+1 {
		return bad("the rate is absurd")
	}
	return nil
}

// SmallDecimal reads decimal text of up to 19 bytes as coeff / 10^scale, in
// machine words: what makes pricing cheap. false says that the text is longer,
// or none that [SetDecimal] takes.
func SmallDecimal(text string) (coeff uint64, scale int, ok bool) {
	point := -1
	if len(text) == 0 || len(text) > 19 {
		return 0, 0, false
	}
	for i := range len(text) {
		if c := text[i] - '0'; c <= 9 {
			coeff = coeff*10 + uint64(c)
			continue
		}
		if text[i] != '.' || point >= 0 || i == 0 || i == len(text)-1 {
			return 0, 0, false
		}
		point = i
	}
	if point >= 0 {
		scale = len(text) - 1 - point
	}
	return coeff, scale, !padded(text)
}

// padded reports whether a zero stands before another leading digit.
func padded(text string) bool { return len(text) > 1 && text[0] == '0' && text[1] != '.' }

// maxSmallCoeff leaves room for a markup of six digits in the machine word.
const maxSmallCoeff = 100_000_000_000_000

// SmallRate is [SetRate] in machine words, for rates whose digits make a number
// below 10^14. false says nothing about the text: ask SetRate.
func SmallRate(text string) (coeff uint64, scale int, ok bool) {
	coeff, scale, ok = SmallDecimal(text)
	// A fraction of up to 12 digits is not below 10^-12, and text of 12 bytes
	// before its fraction not above 10^12.
	return coeff, scale, ok && coeff > 0 && coeff < maxSmallCoeff && scale <= MaxRateExp && len(text)-scale <= MaxRateExp
}

// CheckRate reports whether text is a rate, as [SetRate] reads it.
func CheckRate(text string) error {
	var d apd.Decimal
	return SetRate(&d, text)
}

func bad(message string) error { return errcodes.New(errcodes.InvalidRequest, message) }

// setLong reads what is too long for a machine word.
func setLong(dst *apd.Decimal, text string) (scale int, ok bool) {
	whole, fraction, pointed := strings.Cut(text, ".")
	digits := whole + fraction
	if whole == "" || pointed && fraction == "" || len(digits) > MaxDecimalDigits || padded(text) {
		return 0, false
	}
	if strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	_, ok = dst.Coeff.SetString(digits, 10)
	return len(fraction), ok
}
