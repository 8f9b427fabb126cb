package ports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/corridor-go/corridor/errcodes"
)

// Bounds of decimal text. A rate outside them is a mistake of its source.
const (
	MaxRateDigits    = 30 // digits of a rate
	MaxRateExp       = 12 // a rate is at least 10^-12 and below 10^12
	MaxDecimalDigits = 48 // digits of any decimal text: more than a rate with a markup has
)

// MaxMarkupBps is the highest [RateLock.MarkupBps].
const MaxMarkupBps = 100_000

// bpsDigits is the number of decimal digits of a basis point: 1 bp = 10^-4.
const bpsDigits = 4

// SetDecimal reads plain decimal text into dst: 1 to [MaxDecimalDigits] digits, at
// most one point with digits on both sides, no sign, no exponent, no leading zero
// except a single one before the point. For other text it returns
// [errcodes.InvalidRequest], and dst is undefined.
func SetDecimal(dst *apd.Decimal, text string) error {
	coeff, scale, ok := smallDecimal(text)
	if ok {
		dst.Coeff.SetUint64(coeff)
	} else if scale, ok = setLong(dst, text); !ok {
		return bad("number %.50q: must be plain decimal text", text)
	}
	dst.Form, dst.Negative, dst.Exponent = apd.Finite, false, int32(-scale)
	return nil
}

// SetRate reads a rate into dst: decimal text as for [SetDecimal], with at most
// [MaxRateDigits] digits, at least 10^-12 and below 10^12. For other text it returns
// [errcodes.InvalidRequest], and dst is undefined.
func SetRate(dst *apd.Decimal, text string) error {
	if err := SetDecimal(dst, text); err != nil {
		return err
	}
	exp := int(dst.NumDigits()) + int(dst.Exponent) // 10^(exp-1) ≤ rate < 10^exp
	if dst.IsZero() || exp > MaxRateExp || exp <= -MaxRateExp || len(text) > MaxRateDigits+1 {
		return bad("rate %s: must be at least 1e-12 and below 1e12, with at most 30 digits", text)
	}
	return nil
}

// CheckRate returns nil if text is a rate, and otherwise the error of [SetRate].
func CheckRate(text string) error {
	var d apd.Decimal
	return SetRate(&d, text)
}

func bad(format string, args ...any) error {
	return errcodes.New(errcodes.InvalidRequest, fmt.Sprintf(format, args...))
}

// AllInRate returns mid × (10000 + markupBps) / 10000, exactly, as plain decimal text
// without trailing zeros after the point (I6, SPEC 2.3). It returns
// [errcodes.InvalidRequest] unless mid is a rate, see [SetRate], and markupBps 0 to
// [MaxMarkupBps].
func AllInRate(mid string, markupBps int) (string, error) {
	var buf [64]byte
	text, err := allInRate(buf[:0], mid, markupBps)
	return string(text), err
}

// allInRate appends the rate to buf, which is empty. It multiplies by an integer and
// shifts the point: without a division nothing is rounded.
func allInRate(buf []byte, mid string, markupBps int) ([]byte, error) {
	if markupBps < 0 || markupBps > MaxMarkupBps {
		return nil, bad("markupBps is %d, want 0 to %d", markupBps, MaxMarkupBps)
	}
	if coeff, scale, ok := smallRate(mid); ok {
		return appendPoint(strconv.AppendUint(buf, coeff*uint64(10_000+markupBps), 10), scale+bpsDigits), nil
	}
	var d apd.Decimal
	if err := SetRate(&d, mid); err != nil {
		return nil, err
	}
	var factor apd.BigInt
	d.Coeff.Mul(&d.Coeff, factor.SetInt64(int64(10_000+markupBps)))
	return appendPoint(d.Coeff.Append(buf, 10), int(-d.Exponent)+bpsDigits), nil
}

// appendPoint inserts the point before the last scale digits, and removes trailing zeros.
func appendPoint(digits []byte, scale int) []byte {
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = slices.Insert(digits, 0, zeros[:missing]...)
	}
	for scale > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		scale--
	}
	if scale == 0 {
		return digits
	}
	return slices.Insert(digits, len(digits)-scale, '.')
}

// zeros has as many zeros as the longest fraction of a rate with a markup.
var zeros = []byte(strings.Repeat("0", MaxRateDigits+bpsDigits+1))

// smallDecimal reads decimal text of up to 19 bytes as coeff / 10^scale, in machine
// words, which is fast. ok is false for longer text, and for text that [SetDecimal]
// rejects.
func smallDecimal(text string) (coeff uint64, scale int, ok bool) {
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

// padded reports whether text has a needless leading zero.
func padded(text string) bool { return len(text) > 1 && text[0] == '0' && text[1] != '.' }

// maxSmallCoeff times a factor of up to 110,000, the highest markup, fits in 64 bits.
const maxSmallCoeff = 100_000_000_000_000

// smallRate is [SetRate] in machine words, for rates whose coefficient is below 10^14.
// Text for which ok is false may still be a rate.
func smallRate(text string) (coeff uint64, scale int, ok bool) {
	coeff, scale, ok = smallDecimal(text)
	// With up to 12 digits in the fraction the rate is at least 10^-12, and with up
	// to 12 bytes before it below 10^12.
	return coeff, scale, ok && coeff > 0 && coeff < maxSmallCoeff && scale <= MaxRateExp && len(text)-scale <= MaxRateExp
}

// setLong reads decimal text that is too long for smallDecimal.
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
