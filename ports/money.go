package ports

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// To change the table of currencies, edit iso4217.csv and run go generate ./ports.
//
//go:generate go run ../internal/currencygen -in ../internal/currencygen/iso4217.csv -out currencies.go

// What minorUnit returns where there is no number of digits.
const (
	noMinorUnit = -1
	unknownCode = -2
)

// KnownCurrency reports whether code is an active alphabetic code of ISO 4217, in
// upper case: List One as of amendment 180, in force since 2026-01-01. Metals, the
// SDR, XTS and XXX are known, though no amount can be kept in them: see
// [MinorDigits].
func KnownCurrency(code string) bool { return minorUnit(code) != unknownCode }

// MinorDigits returns the number of decimal digits of the currency's minor unit by
// ISO 4217 (0, 2, 3 or 4): 10^digits minor units make one unit. ok is false for an
// unknown code and for one without a minor unit (XAU, XDR, XXX, …).
func MinorDigits(currency string) (digits int, ok bool) {
	digits = minorUnit(currency)
	return max(digits, 0), digits >= 0
}

// ParseMinor reads an amount of the currency, decimal text as [SetDecimal] reads it
// with an optional minus sign, as minor units: "12.5" USD is 1250. Other text, a
// fraction finer than the minor unit, an amount that does not fit an int64, and a
// currency without [MinorDigits] are [errcodes.InvalidRequest].
func ParseMinor(text, currency string) (int64, error) {
	digits, ok := MinorDigits(currency)
	if !ok {
		return 0, noMinorDigits(currency)
	}
	var d apd.Decimal
	if SetDecimal(&d, strings.TrimPrefix(text, "-")) != nil {
		return 0, bad("an amount is plain decimal text")
	}
	whole, fraction, _ := strings.Cut(text, ".")
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > digits {
		return 0, bad("an amount of " + currency + " has at most " + strconv.Itoa(digits) + " decimal digits")
	}
	minor, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", digits-len(fraction)), 10, 64)
	if err != nil {
		return 0, bad("the amount is out of range")
	}
	return minor, nil
}

// FormatMinor returns minor units of the currency as plain decimal text with all
// the digits of its minor unit: 1250 USD is "12.50". A currency without
// [MinorDigits] is [errcodes.InvalidRequest].
func FormatMinor(minor int64, currency string) (string, error) {
	digits, ok := MinorDigits(currency)
	if !ok {
		return "", noMinorDigits(currency)
	}
	return apd.New(minor, int32(-digits)).Text('f'), nil
}

func noMinorDigits(currency string) error {
	return bad(fmt.Sprintf("the currency %.12q has no minor unit", currency))
}
