package ratelock

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/corridor-go/corridor/ports"
)

// bpsExp is the exponent of one basis point: 1 bp = 10^-4.
const bpsExp = -4

// Price gives the all-in rate for a mid: mid × (10000 + markupBps) / 10000,
// exactly, as plain decimal text without trailing zeros behind the point
// (I6, SPEC 2.3). mid is plain decimal text as ports.SetRate reads it;
// markupBps lies in 0 to MaxMarkupBps. Anything else is errcodes.InvalidRequest.
func Price(mid string, markupBps int) (string, error) {
	if markupBps < 0 || markupBps > MaxMarkupBps {
		return "", invalid("markupBps", "outside 0 to "+strconv.Itoa(MaxMarkupBps))
	}
	var buf [64]byte
	if coeff, scale, ok := ports.SmallRate(mid); ok {
		return string(appendPoint(strconv.AppendUint(buf[:0], coeff*uint64(10_000+markupBps), 10), scale-bpsExp)), nil
	}
	var d apd.Decimal
	if err := ports.SetRate(&d, mid); err != nil {
		return "", err
	}
	addMarkup(&d, markupBps)
	return string(appendPoint(d.Coeff.Append(buf[:0], 10), int(-d.Exponent))), nil
}

// addMarkup multiplies by an integer and shifts the point: nothing is divided,
// so nothing can be rounded.
func addMarkup(d *apd.Decimal, bps int) {
	var factor apd.BigInt
	factor.SetInt64(int64(10_000 + bps))
	d.Coeff.Mul(&d.Coeff, &factor)
	d.Exponent += bpsExp
}

// appendPoint turns the digits of a coefficient into a plain decimal with scale
// digits behind the point, and drops its trailing zeros.
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

// zeros suffices for the widest fraction: that of a rate and a markup's.
var zeros = []byte(strings.Repeat("0", ports.MaxRateDigits-bpsExp+1))
