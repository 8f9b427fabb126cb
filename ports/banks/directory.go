package banks

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// List returns the banks of a market (ISO 3166-1 alpha-3) ordered by name, for a bank
// picker: show Name, send Code. The list is a copy, and empty for a market without a table.
func List(country string) []Bank {
	rows := shipped().markets[country]
	list := make([]Bank, len(rows))
	for i, bank := range rows {
		list[i] = clone(bank)
	}
	return list
}

// Countries returns the codes of the markets that have a table, in order.
func Countries() []string { return slices.Sorted(maps.Keys(shipped().markets)) }

// Find returns the bank with the code in a market. The code is canonical or an alias; in
// KEN it may also be 00NN or, with a branch, NNBBB. The result shares its slices and its
// map with the directory: callers must not change them.
func Find(country, code string) (Bank, bool) { return shipped().find(country, code) }

// Canonical returns the canonical code of the bank that [Find] returns, or the code
// itself if the bank is unknown.
func Canonical(country, code string) string {
	if bank, ok := Find(country, code); ok {
		return bank.Code
	}
	return code
}

// Code returns a provider's own code for the bank that [Find] returns; provider is a
// connector's name. ok is false if the bank is unknown, or not known to be served by the
// provider.
func Code(provider, country, code string) (own string, ok bool) {
	bank, ok := Find(country, code)
	if !ok {
		return "", false
	}
	own, ok = bank.Providers[provider]
	return own, ok
}

// directory contains the tables, by market and by code.
type directory struct {
	markets map[string][]Bank // by name
	codes   map[key]Bank
}

// key identifies a bank by market and code.
type key struct{ country, code string }

// shipped reads the embedded tables at the first use. It cannot panic: a test reads the
// same tables.
var shipped = sync.OnceValue(func() *directory {
	rows, err := readTables(files)
	if err != nil {
		panic(err)
	}
	return newDirectory(rows)
})

func newDirectory(rows []Bank) *directory {
	d := &directory{markets: map[string][]Bank{}, codes: map[key]Bank{}}
	for _, bank := range rows {
		d.markets[bank.Country] = append(d.markets[bank.Country], bank)
		d.codes[key{bank.Country, bank.Code}] = bank
		for _, alias := range bank.Aliases {
			d.codes[key{bank.Country, alias}] = bank
		}
	}
	for _, market := range d.markets {
		slices.SortFunc(market, byName)
	}
	return d
}

func (d *directory) find(country, code string) (Bank, bool) {
	if country == kenya {
		code = kenyanBank(code)
	}
	bank, ok := d.codes[key{country, code}]
	return bank, ok
}

const kenya = "KEN"

// kenyanBank returns the bank's two digits NN from the longer forms used in Kenya: 00NN
// on PesaLink, and NNBBB for a branch. It returns other text unchanged.
func kenyanBank(code string) string {
	switch {
	case len(code) == 4 && strings.HasPrefix(code, "00"):
		return code[2:]
	case len(code) == 5 && allDigits(code):
		return code[:2]
	default:
		return code
	}
}

func allDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// byName orders banks by name without regard to case, then by code.
func byName(a, b Bank) int {
	return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Code, b.Code))
}

func clone(bank Bank) Bank {
	bank.Aliases = slices.Clone(bank.Aliases)
	bank.Digits = slices.Clone(bank.Digits)
	bank.Providers = maps.Clone(bank.Providers)
	return bank
}

// Confidence is how certain an entry's canonical code is.
type Confidence string

// The degrees of confidence.
const (
	Published Confidence = "published" // by the scheme, the regulator or the provider itself
	Agreed    Confidence = "agreed"    // by several independent lists
	Single    Confidence = "single"    // by one list
)

// Bank is one institution of a market.
type Bank struct {
	Country string // ISO 3166-1 alpha-3
	Code    string // the canonical code; see the package comment for its form in each market
	Name    string
	Aliases []string // other codes for the same account numbers, for example the NIP code
	NIP     string   // NGA: the 6-digit institution code of NIBSS instant payments; "" if none or unknown
	SWIFT   string   // BIC of 8 characters; "" if none or unknown
	Digits  []int    // possible lengths of the bank's account numbers, rising; empty if unknown
	// PhoneAccounts reports whether account numbers may be mobile numbers without the
	// leading 0, which have no check digit.
	PhoneAccounts bool
	Providers     map[string]string // the providers' own codes for the bank, by connector name
	Source        string            // keys of sources.csv, separated by blanks
	Confidence    Confidence
	Checked       string // the day on which the row was last compared with its sources, as in 2026-11-28
	// Note is a remark for people, such as "merged into Access Bank (044) in 2019"; usually
	// "". A code in parentheses is the canonical code of another bank of the market.
	Note string
}
