package ports

import (
	"log/slog"
	"strings"
)

// AccountType says what an account identifier locates (SPEC 2.7).
type AccountType string

// The types of SPEC 2.7.
const (
	BankAccount       AccountType = "bank_account"
	MobileMoney       AccountType = "mobile_money"
	InstitutionWallet AccountType = "institution_wallet"
)

// Market is a country with a kind of account in it: what a connector serves.
type Market struct {
	Country string // ISO 3166-1 alpha-3
	Type    AccountType
}

// String gives "NGA bank_account".
func (m Market) String() string { return m.Country + " " + string(m.Type) }

// Account is an account to look up, its parts in canonical form: an
// IBAN in upper case without blanks, a mobile number as the digits of its
// country code and number, a bank code as ports/banks has it.
type Account struct {
	Market
	Identifier string
	BankCode   string // "" where the market has none; 3 to 6 digits, or 2 in KEN
	Branch     string // the branch that a longer bank code named; "" for none
}

// Mask returns what may be shown of the identifier: its last four bytes if it has at
// least eight, and nothing of a shorter one.
func (a Account) Mask() string {
	const shown = 4
	if len(a.Identifier) < 2*shown {
		return "****"
	}
	return "****" + strings.ToValidUTF8(a.Identifier[len(a.Identifier)-shown:], "?")
}

// String shows the account without its number.
func (a Account) String() string {
	return a.Market.String() + " " + a.BankCode + " " + a.Mask()
}

// LogValue is what logs show of an account.
func (a Account) LogValue() slog.Value { return slog.StringValue(a.String()) }

// AccountKind says whose account it is, for providers that must know.
type AccountKind string

// The kinds.
const (
	PersonalAccount AccountKind = "personal"
	BusinessAccount AccountKind = "business"
)

// DocumentType is a kind of identity document, for providers that check an
// account against its holder's.
type DocumentType string

// The documents that South African banks verify an account holder by.
const (
	NationalID           DocumentType = "national_id"
	Passport             DocumentType = "passport"
	BusinessRegistration DocumentType = "business_registration"
)

// Identity is the holder's identity document. The wire has no field for it
// (SPEC 2.7): an embedder gives it in Go.
type Identity struct {
	Kind     AccountKind
	Document DocumentType
	Number   string
}

// IsZero reports whether no identity was given.
func (i Identity) IsZero() bool { return i == Identity{} }

// String shows the identity without its number.
func (i Identity) String() string {
	if i.IsZero() {
		return "no identity"
	}
	return string(i.Kind) + " " + string(i.Document) + " ****"
}

// LogValue is what logs show of an identity.
func (i Identity) LogValue() slog.Value { return slog.StringValue(i.String()) }

// AccountLookup is what a connector is asked.
type AccountLookup struct {
	Account
	HolderName string   // as the caller supplied it; "" for none
	Identity   Identity // zero: none was given
}

// String shows the lookup without number and name.
func (l AccountLookup) String() string { return l.Account.String() }

// LogValue is what logs show of a lookup.
func (l AccountLookup) LogValue() slog.Value { return l.Account.LogValue() }
