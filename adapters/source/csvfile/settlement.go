package csvfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// settlement parses a record; ok is false if the query does not ask for it.
func (s *Source) settlement(p *positions, rec record, q ports.RowQuery) (ports.SettlementLine, bool) {
	out := ports.SettlementLine{Line: rec.number, Bad: rec.bad}
	if out.Bad != "" {
		return out, true
	}
	cell := func(at int) string {
		if at < 0 {
			return ""
		}
		return strings.TrimSpace(rec.fields[at])
	}
	for _, whose := range []struct {
		at   int
		want string
		why  string
	}{{p.owner, q.Owner, "no owner"}, {p.merchant, q.MerchantID, "no merchant"}} {
		if is := cell(whose.at); whose.at >= 0 && is != whose.want {
			out.Bad = whose.why
			return out, is == ""
		}
	}
	s.fill(&out, p, cell)
	undated := out.At.IsZero()
	return out, undated || !out.At.Before(q.From) && out.At.Before(q.Until)
}

// fill parses all fields; the first one that fails is the reason why the line is bad.
func (s *Source) fill(out *ports.SettlementLine, p *positions, cell func(int) string) {
	wrong := func(why string) {
		if out.Bad == "" {
			out.Bad = why
		}
	}
	var ok bool
	if out.At, ok = s.time(cell(p.settledAt)); !ok {
		wrong("the time cannot be read")
	}
	if out.Reference = cell(p.reference); out.Reference == "" {
		wrong("no reference")
	}
	currency := s.cfg.FixedCurrency
	if p.currency >= 0 {
		currency = strings.ToUpper(cell(p.currency))
	}
	minorDigits, known := ports.MinorDigits(currency)
	if !known {
		wrong("the currency is missing or unknown")
		return
	}
	out.Currency = currency
	var why string
	switch {
	case p.credit >= 0:
		out.Amount, why = s.cfg.paired(cell(p.credit), cell(p.debit), minorDigits)
	case p.sign >= 0:
		out.Amount, why = s.cfg.signed(cell(p.amount), cell(p.sign), minorDigits)
	default:
		out.Amount, why = s.cfg.amount(cell(p.amount), minorDigits)
	}
	if why != "" {
		wrong(why)
		return
	}
	out.HasAmount = out.Bad != ""
}

// time parses a time by the first layout that accepts it.
func (s *Source) time(text string) (time.Time, bool) {
	for _, layout := range s.cfg.TimeLayouts {
		if at, err := time.ParseInLocation(layout, text, s.zone); err == nil && !at.IsZero() {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}

// The reasons why an amount is invalid.
const (
	noAmount   = "no amount"
	noNumber   = "the amount is not a number"
	tooFine    = "the amount has more decimals than the currency"
	tooLarge   = "the amount is too large"
	signedBoth = "the amount has a sign although there is a sign column"
)

// amount parses an amount and returns it in minor units; why is the reason if it is
// invalid.
func (c *Config) amount(text string, minorDigits int) (minor int64, why string) {
	text, direction := sign(strings.TrimSpace(text))
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
	if direction < 0 {
		minor = -minor
	}
	return minor, ""
}

// sign removes a sign: in front, at the end, parentheses, or CR or DR at the end.
// direction is -1 for money taken back, 1 for a sign that says received, and 0 without a
// sign.
func sign(text string) (rest string, direction int) {
	if inner, ok := strings.CutPrefix(text, "("); ok {
		if inner, ok = strings.CutSuffix(inner, ")"); ok {
			return inner, -1
		}
		return text, 0
	}
	for _, minus := range []string{"-", "\u2212"} {
		if rest, ok := strings.CutPrefix(text, minus); ok {
			return strings.TrimLeft(rest, " "), -1
		}
		if rest, ok := strings.CutSuffix(text, minus); ok {
			return strings.TrimRight(rest, " "), -1
		}
	}
	if rest, ok := strings.CutPrefix(text, "+"); ok {
		return rest, 1
	}
	at := max(len(text)-2, 0)
	switch strings.ToUpper(text[at:]) {
	case "CR":
		return strings.TrimSpace(text[:at]), 1
	case "DR":
		return strings.TrimSpace(text[:at]), -1
	default:
		return text, 0
	}
}

// blanks replaces the variants of spaces and apostrophes between thousands.
var blanks = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2019", "'")

// ungrouped removes the separators between thousands. The first group has one to three
// digits, the others three, and all separators are the same.
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

// signed parses an amount whose sign is in its own column.
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

// paired parses an amount that is in one of two columns; the other cell is empty, 0 or a
// dash.
func (c *Config) paired(credit, debit string, minorDigits int) (minor int64, why string) {
	in, why := c.oneWay(c.CreditAmount, credit, 1, minorDigits)
	if why != "" {
		return 0, why
	}
	out, why := c.oneWay(c.DebitAmount, debit, -1, minorDigits)
	switch {
	case why != "":
		return 0, why
	case in != 0 && out != 0:
		return 0, fmt.Sprintf("both %q and %q have an amount", c.CreditAmount, c.DebitAmount)
	case in == 0 && out == 0:
		return 0, fmt.Sprintf("neither %q nor %q has an amount", c.CreditAmount, c.DebitAmount)
	default:
		return in + out, ""
	}
}

// oneWay parses a cell of a column with one direction of money, with or without its
// sign.
func (c *Config) oneWay(column, text string, direction, minorDigits int) (minor int64, why string) {
	if dash := strings.TrimSpace(text); dash == "–" || dash == "—" {
		return 0, ""
	}
	minor, why = c.amount(text, minorDigits)
	_, written := sign(text)
	switch {
	case why == noAmount, why == "" && minor == 0:
		return 0, ""
	case why != "":
		return 0, why
	case written == -direction:
		return 0, fmt.Sprintf("the amount in %q has the other direction's sign", column)
	case written != direction && direction < 0:
		return -minor, ""
	default:
		return minor, ""
	}
}

func containsFold(list []string, text string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, text) })
}
