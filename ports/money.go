package ports

import (
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// To change the table of currencies, edit iso4217.csv and run go generate ./ports.
//
//go:generate go run ../internal/currencygen -in ../internal/currencygen/iso4217.csv -out currencies.go

// Results of minorUnit that are not a number of digits.
const (
	noMinorUnit = -1
	unknownCode = -2
)

// KnownCurrency reports whether code is an active alphabetic code of ISO 4217, in
// upper case: List One as of amendment 180, in force since 2026-01-01. It includes
// metals, the SDR, XTS and XXX, which have no [MinorDigits].
func KnownCurrency(code string) bool { return minorUnit(code) != unknownCode }

// MinorDigits returns the number of decimal digits of the currency's minor unit by
// ISO 4217 (0, 2, 3 or 4): 10^digits minor units are one unit. ok is false if the code
// is unknown or has no minor unit (XAU, XDR, XXX, …). Only currencies for which ok is
// true have amounts, so only these have rates: feeds offer no others (see [PriceFeed]),
// and no others can be locked.
func MinorDigits(currency string) (digits int, ok bool) {
	digits = minorUnit(currency)
	return max(digits, 0), digits >= 0
}

// ParseMinor returns an amount of the currency in minor units: "12.5" USD is 1250. The
// text is decimal as [SetDecimal] reads it, with an optional minus sign. ParseMinor
// returns [errcodes.InvalidRequest] for other text, a fraction finer than the minor
// unit, an amount that does not fit an int64, and a currency without [MinorDigits].
func ParseMinor(text, currency string) (int64, error) {
	digits, ok := MinorDigits(currency)
	if !ok {
		return 0, noMinorDigits(currency)
	}
	var d apd.Decimal
	if SetDecimal(&d, strings.TrimPrefix(text, "-")) != nil {
		return 0, bad("amount %.50q: must be plain decimal text", text)
	}
	whole, fraction, _ := strings.Cut(text, ".")
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > digits {
		return 0, bad("amount %s: %s has at most %d decimal digits", text, currency, digits)
	}
	minor, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", digits-len(fraction)), 10, 64)
	if err != nil {
		return 0, bad("amount %s %s: does not fit 64 bits in minor units", text, currency)
	}
	return minor, nil
}

// FormatMinor returns minor units of the currency as plain decimal text with all the
// digits of its minor unit: 1250 USD is "12.50". It returns [errcodes.InvalidRequest]
// for a currency without [MinorDigits].
func FormatMinor(minor int64, currency string) (string, error) {
	digits, ok := MinorDigits(currency)
	if !ok {
		return "", noMinorDigits(currency)
	}
	return apd.New(minor, int32(-digits)).Text('f'), nil
}

func noMinorDigits(currency string) error {
	return bad("currency %.12q: unknown or without a minor unit", currency)
}
