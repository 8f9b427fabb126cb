package xlsx

import (
	"strconv"
	"strings"
)

// exactDigits is how many decimal digits every binary float of 64 bits keeps.
const exactDigits = 15

// number returns the float that a number's text stands for and how many decimals
// it has, when the float keeps every digit. Minus zero's sign would be lost.
func number(text string) (value float64, decimals int, exact bool) {
	digits := strings.TrimPrefix(text, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	count := len(whole) + len(fraction)
	if whole == "0" {
		count--
	}
	if count > exactDigits {
		return 0, 0, false
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || value == 0 && len(digits) < len(text) {
		return 0, 0, false
	}
	return value, len(fraction), true
}
