package currency

//go:generate go run ./gen -in iso4217.csv -out table.go

// Known reports whether code is an active ISO 4217 alphabetic code. Only the
// exact upper-case form is known.
func Known(code string) bool {
	return minorUnit(code) != unknown
}

// Exponent returns the number of decimal digits of the currency's minor unit
// as ISO 4217 gives it (0, 2, 3 or 4): 10^digits minor units make one unit.
// ok is false for an unknown code and for one without a minor unit (XAU, XDR,
// XXX, …); digits is 0 then and means nothing.
func Exponent(code string) (digits int, ok bool) {
	digits = minorUnit(code)
	if digits < 0 {
		return 0, false
	}

	return digits, true
}

// What minorUnit answers where there is no number of digits.
const (
	noMinorUnit = -1
	unknown     = -2
)
