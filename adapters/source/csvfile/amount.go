package csvfile

import (
	"slices"
	"strconv"
	"strings"
)

// What can be wrong with an amount.
const (
	noAmount   = "no amount"
	noNumber   = "the amount is no number"
	tooFine    = "the amount has more decimals than the currency"
	tooLarge   = "the amount is too large"
	signedBoth = "the amount has a sign beside that of its column"
)

// amount reads an amount in minor units; why says what is wrong with it.
func (c *Config) amount(text string, minorDigits int) (minor int64, why string) {
	text, negative := sign(strings.TrimSpace(text))
	if text == "" {
		return 0, noAmount
	}
	whole, fraction, pointed := strings.Cut(text, c.point())
	whole, ok := c.ungrouped(whole)
	if !ok || !digits(whole) || pointed && (c.MinorUnits || !digits(fraction)) {
		return 0, noNumber
	}
	if c.MinorUnits {
		minorDigits = 0
	}
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > minorDigits {
		return 0, tooFine
	}
	minor, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", minorDigits-len(fraction)), 10, 64)
	if err != nil {
		return 0, tooLarge
	}
	if negative {
		minor = -minor
	}
	return minor, ""
}

// sign takes a sign off: in front, behind, or parentheses.
func sign(text string) (rest string, negative bool) {
	if inner, ok := strings.CutPrefix(text, "("); ok {
		if inner, ok = strings.CutSuffix(inner, ")"); ok {
			return inner, true
		}
		return text, false
	}
	for _, minus := range []string{"-", "\u2212"} {
		if rest, ok := strings.CutPrefix(text, minus); ok {
			return strings.TrimLeft(rest, " "), true
		}
		if rest, ok := strings.CutSuffix(text, minus); ok {
			return strings.TrimRight(rest, " "), true
		}
	}
	return strings.TrimPrefix(text, "+"), false
}

// blanks are the no-break blanks that stand between thousands.
var blanks = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2019", "'")

// ungrouped takes the separators between thousands out. Groups have three
// digits, the first one to three, and one separator holds for all.
func (c *Config) ungrouped(whole string) (string, bool) {
	if digits(whole) {
		return whole, true
	}
	whole = blanks.Replace(whole)
	at := strings.IndexAny(whole, c.Thousands)
	if at < 0 {
		return "", false
	}
	groups := strings.Split(whole, whole[at:at+1])
	for i, g := range groups {
		if !digits(g) || len(g) > 3 || i > 0 && len(g) < 3 {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// signed reads an amount whose sign stands in a column of its own.
func (c *Config) signed(text, column string, minorDigits int) (minor int64, why string) {
	minor, why = c.amount(text, minorDigits)
	unsigned, _ := sign(strings.TrimSpace(text))
	column = strings.TrimSpace(column)
	switch {
	case why != "":
		return 0, why
	case unsigned != strings.TrimSpace(text):
		return 0, signedBoth
	case containsFold(c.Credit, column):
		return minor, ""
	case containsFold(c.Debit, column):
		return -minor, ""
	default:
		return 0, "neither debit nor credit"
	}
}

func containsFold(list []string, text string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, text) })
}
