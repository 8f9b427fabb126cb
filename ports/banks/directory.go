package banks

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// List returns the banks of a market (ISO 3166-1 alpha-3) by name, for a bank
// picker: show Name, send Code. It is the caller's own copy, and empty for a
// market without a table. Banks that have closed are not in the directory.
func List(country string) []Bank {
	rows := shipped().markets[country]
	list := make([]Bank, len(rows))
	for i, bank := range rows {
		list[i] = clone(bank)
	}
	return list
}

// Countries returns the markets that have a table, by code. EGY has none: its
// IBANs carry the bank.
func Countries() []string { return slices.Sorted(maps.Keys(shipped().markets)) }

// Find returns the bank that a code names in its market: the canonical code or
// one of the bank's aliases, and in KEN also the four-digit form 00NN and the
// five digits of a branch, NNBBB. It allocates nothing; the bank shares its
// slices and its map with the directory, so that they are to be read only.
func Find(country, code string) (Bank, bool) { return shipped().find(country, code) }

// Canonical returns the canonical code of the bank that a code names, or the code
// itself when the directory does not know the bank.
func Canonical(country, code string) string {
	if bank, ok := Find(country, code); ok {
		return bank.Code
	}
	return code
}

// Code returns a provider's own code for the bank that a canonical code or an
// alias names; provider is a connector's name. ok is false for an unknown bank
// and for one that the provider is not known to serve.
func Code(provider, country, code string) (own string, ok bool) {
	bank, ok := Find(country, code)
	if !ok {
		return "", false
	}
	own, ok = bank.Providers[provider]
	return own, ok
}

// directory is the tables, by market and by code.
type directory struct {
	markets map[string][]Bank // by name
	codes   map[key]Bank
}

// key names a bank within its market.
type key struct{ country, code string }

// shipped is the directory of the embedded tables, read once at the first use.
// They are part of the binary: the tests have read them, as they are.
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

// kenyanBank returns the bank's two digits out of the longer forms that Kenya's
// rails use: 00NN on PesaLink, NNBBB for a branch. Other text comes back as it
// is.
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

// byName orders as people look for a name, whatever its case.
func byName(a, b Bank) int {
	return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Code, b.Code))
}

func clone(bank Bank) Bank {
	bank.Aliases = slices.Clone(bank.Aliases)
	bank.Digits = slices.Clone(bank.Digits)
	bank.Providers = maps.Clone(bank.Providers)
	return bank
}

// Confidence says how well an entry's canonical code is known.
type Confidence string

// The degrees.
const (
	Published Confidence = "published" // by the scheme, the regulator or the provider itself
	Agreed    Confidence = "agreed"    // by several independent lists
	Single    Confidence = "single"    // by one list
)

// Bank is one institution of a market, as the directory knows it.
type Bank struct {
	Country string // ISO 3166-1 alpha-3
	Code    string // canonical inside corridor; the package comment has its form in each market
	Name    string
	Aliases []string // other codes of the market's shape that name the bank, for example its NIP code
	NIP     string   // NGA: the 6-digit institution code of NIBSS instant payments; "" for none or unknown
	SWIFT   string   // BIC of 8 characters; "" for none or unknown
	// Digits are the lengths that the bank's account numbers have, rising; none
	// where it is not known.
	Digits []int
	// PhoneAccounts: account numbers are, or can be, mobile numbers without the
	// leading 0, so that no check digit holds.
	PhoneAccounts bool
	// Providers maps a connector's name to its own code for the bank.
	Providers  map[string]string
	Source     string // where the entry comes from: keys of sources.csv with blanks between
	Confidence Confidence
}
