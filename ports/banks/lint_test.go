package banks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// shape is the form of a market's codes.
type shape struct {
	code  *regexp.Regexp // canonical
	alias *regexp.Regexp
	swift string // the country in a BIC
}

var shapes = map[string]shape{
	"ZAF": {regexp.MustCompile(`^\d{6}$`), regexp.MustCompile(`^\d{6}$`), "ZA"},
	"NGA": {regexp.MustCompile(`^(\d{3}|\d{6})$`), regexp.MustCompile(`^(\d{3}|\d{6})$`), "NG"},
	"GHA": {regexp.MustCompile(`^\d\d0$`), regexp.MustCompile(`^\d\d0$`), "GH"},
	"KEN": {regexp.MustCompile(`^\d\d$`), regexp.MustCompile(`^\d\d$`), "KE"},
}

var (
	sixDigits = regexp.MustCompile(`^\d{6}$`)
	ofiCode   = regexp.MustCompile(`^95\d{4}$`) // 9 and the central bank's 5 digits
	bic       = regexp.MustCompile(`^[A-Z]{6}[A-Z0-9]{2}$`)
	// A note that begins with "merged" names the bank's successor: name, code and year.
	mergedInto = regexp.MustCompile(`^merged into (.+) \((\d+)\) in \d{4}$`)
	inBrackets = regexp.MustCompile(`\((\d+)\)`)
)

// lint returns the mistakes in a directory's rows.
func lint(rows []Bank, sources map[string]bool) []string {
	l := linter{sources: sources, banks: map[key]Bank{}, owners: map[string]string{}}
	for _, bank := range rows {
		l.banks[key{bank.Country, bank.Code}] = bank
	}
	for _, bank := range rows {
		l.row(bank)
	}
	return l.complaints
}

type linter struct {
	sources    map[string]bool
	banks      map[key]Bank      // by canonical code
	owners     map[string]string // the row that has each value that must be unique
	complaints []string
}

func (l *linter) row(bank Bank) {
	here := bank.Country + " " + bank.Code
	complain := func(ok bool, format string, args ...any) {
		if !ok {
			l.complaints = append(l.complaints, here+": "+fmt.Sprintf(format, args...))
		}
	}
	market, known := shapes[bank.Country]
	complain(known, "unknown country")
	if !known {
		return
	}
	complain(market.code.MatchString(bank.Code), "the code does not match the market's form")
	l.names(bank, market, complain)
	l.nigeria(bank, complain)
	l.origin(bank, complain)
	l.note(bank, complain)
	l.digits(bank, complain)
	l.unique(bank, complain)
}

type complainer func(ok bool, format string, args ...any)

func (l *linter) names(bank Bank, market shape, complain complainer) {
	complain(bank.Name != "" && bank.Name == strings.Join(strings.Fields(bank.Name), " "), "name is empty or not trimmed")
	for _, alias := range bank.Aliases {
		complain(market.alias.MatchString(alias), "alias %s does not match the market's form", alias)
	}
	if bank.SWIFT != "" {
		complain(bic.MatchString(bank.SWIFT) && bank.SWIFT[4:6] == market.swift, "SWIFT code %s is not one of the country", bank.SWIFT)
	}
	for provider, code := range bank.Providers {
		complain(code != "" && strings.TrimSpace(code) == code, "%s's code is empty or not trimmed", provider)
	}
}

// nigeria checks that the NIP code is a code of the bank, and that a code of six digits
// is the central bank's or the NIP code.
func (l *linter) nigeria(bank Bank, complain complainer) {
	if bank.Country != "NGA" {
		complain(bank.NIP == "", "NIP code outside Nigeria")
		complain(!bank.PhoneAccounts, "telephone accounts outside Nigeria")
		return
	}
	if bank.NIP != "" {
		complain(sixDigits.MatchString(bank.NIP), "NIP code %s does not have six digits", bank.NIP)
		complain(bank.NIP == bank.Code || slices.Contains(bank.Aliases, bank.NIP), "NIP code %s is not an alias", bank.NIP)
	}
	complain(len(bank.Code) == 3 || ofiCode.MatchString(bank.Code) || bank.Code == bank.NIP,
		"the code of six digits is neither the central bank's nor the NIP code")
}

func (l *linter) origin(bank Bank, complain complainer) {
	complain(len(strings.Fields(bank.Source)) > 0, "source is missing")
	for source := range strings.FieldsSeq(bank.Source) {
		complain(l.sources[source], "source %s is not in sources.csv", source)
	}
	complain(slices.Contains([]Confidence{Published, Agreed, Single}, bank.Confidence), "unknown confidence %q", bank.Confidence)
	_, err := time.Parse(time.DateOnly, bank.Checked)
	complain(err == nil, "checked is %q, want a day", bank.Checked)
	complain(bank.Checked <= Version, "checked is %s, after the directory's version", bank.Checked)
}

// note checks that the banks to which a note refers have a row of their own.
func (l *linter) note(bank Bank, complain complainer) {
	if bank.Note == "" {
		return
	}
	complain(bank.Note == strings.Join(strings.Fields(bank.Note), " "), "note is not trimmed")
	complain(strings.ContainsFunc(bank.Note, unicode.IsLetter), "note has no content")
	for _, reference := range inBrackets.FindAllStringSubmatch(bank.Note, -1) {
		_, known := l.banks[key{bank.Country, reference[1]}]
		complain(known && reference[1] != bank.Code, "note refers to %s, which is not another bank's code", reference[1])
	}
	if !strings.HasPrefix(bank.Note, "merged") {
		return
	}
	code := successor(bank)
	complain(code != "", "note does not name the successor, its code and the year")
	name := l.banks[key{bank.Country, code}].Name
	complain(strings.HasPrefix(bank.Note, "merged into "+name+" ("), "note does not call %s %s", code, name)
}

// successor returns the code of the bank that a bank merged into, or "".
func successor(bank Bank) string {
	if merged := mergedInto.FindStringSubmatch(bank.Note); merged != nil {
		return merged[2]
	}
	return ""
}

func (l *linter) digits(bank Bank, complain complainer) {
	for i, n := range bank.Digits {
		complain(n >= 5 && n <= 20, "digits is %d, want 5 to 20", n)
		complain(i == 0 || bank.Digits[i-1] < n, "digits do not rise")
	}
	complain(bank.Country != "NGA" || slices.Equal(bank.Digits, []int{10}), "a Nigerian account has 10 digits")
}

// unique checks that each code or alias, name, NIP code, BIC and provider's code belongs
// to one bank of a market. Only a bank that merged into another may have the provider's
// code of its successor.
func (l *linter) unique(bank Bank, complain complainer) {
	claim := func(kind, value string) {
		if value == "" {
			return
		}
		where := strings.Join([]string{bank.Country, kind, value}, "\x00")
		owner, taken := l.owners[where]
		complain(!taken, "%s %s belongs to %s", kind, value, owner)
		l.owners[where] = bank.Code
	}
	for _, code := range append([]string{bank.Code}, bank.Aliases...) {
		claim("code", code)
	}
	claim("name", strings.ToLower(bank.Name))
	claim("NIP code", bank.NIP)
	claim("SWIFT code", bank.SWIFT)
	for provider, code := range bank.Providers {
		if code != l.banks[key{bank.Country, successor(bank)}].Providers[provider] {
			claim(provider+" code", code)
		}
	}
}
