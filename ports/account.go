package ports

import (
	"log/slog"
	"strings"
)

// AccountType is the kind of account that an identifier locates (SPEC 2.7).
type AccountType string

// The types of SPEC 2.7.
const (
	BankAccount       AccountType = "bank_account"
	MobileMoney       AccountType = "mobile_money"
	InstitutionWallet AccountType = "institution_wallet"
)

// Market is a kind of account in a country. Connectors serve markets.
type Market struct {
	Country string // ISO 3166-1 alpha-3
	Type    AccountType
}

// String returns text such as "NGA bank_account".
func (m Market) String() string { return m.Country + " " + string(m.Type) }

// Account is an account to look up. Its parts are in canonical form: an IBAN is in
// upper case without blanks, a mobile number consists of the digits of its country
// code and number, and a bank code is as in ports/banks.
type Account struct {
	Market
	Identifier string
	BankCode   string // 3 to 6 digits, 2 in KEN; "" in a market without bank codes
	Branch     string // the branch, if it was part of the bank code; otherwise ""
}

// Mask returns the part of the identifier that may be shown: "****" and its last four
// bytes, or just "****" if it has fewer than eight bytes.
func (a Account) Mask() string {
	const shown = 4
	if len(a.Identifier) < 2*shown {
		return "****"
	}
	return "****" + strings.ToValidUTF8(a.Identifier[len(a.Identifier)-shown:], "?")
}

// String returns market, bank code and [Account.Mask], never the whole identifier.
func (a Account) String() string {
	return a.Market.String() + " " + a.BankCode + " " + a.Mask()
}

// LogValue returns [Account.String].
func (a Account) LogValue() slog.Value { return slog.StringValue(a.String()) }

// AccountKind is the kind of holder, for providers that require it.
type AccountKind string

// The kinds.
const (
	PersonalAccount AccountKind = "personal"
	BusinessAccount AccountKind = "business"
)

// DocumentType is a kind of identity document, for providers that compare the
// holder's document with the one on record.
type DocumentType string

// The documents by which South African banks verify an account holder.
const (
	NationalID           DocumentType = "national_id"
	Passport             DocumentType = "passport"
	BusinessRegistration DocumentType = "business_registration"
)

// Identity is the holder's identity document. The wire has no field for it (SPEC
// 2.7), so that only Go callers can supply one.
type Identity struct {
	Kind     AccountKind
	Document DocumentType
	Number   string
}

// IsZero reports whether the identity is empty.
func (i Identity) IsZero() bool { return i == Identity{} }

// String returns the kind and the document's type, never its number.
func (i Identity) String() string {
	if i.IsZero() {
		return "no identity"
	}
	return string(i.Kind) + " " + string(i.Document) + " ****"
}

// LogValue returns [Identity.String].
func (i Identity) LogValue() slog.Value { return slog.StringValue(i.String()) }

// AccountLookup is a question to a connector.
type AccountLookup struct {
	Account
	HolderName string   // as the caller supplied it; "" if not supplied
	Identity   Identity // zero if not supplied
}

// String returns [Account.String], without the holder's name.
func (l AccountLookup) String() string { return l.Account.String() }

// LogValue returns [AccountLookup.String].
func (l AccountLookup) LogValue() slog.Value { return l.Account.LogValue() }
