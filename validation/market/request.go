package market

import (
	"log/slog"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/corridor-go/corridor/ports"
)

// Request is a request of SPEC 2.7 as received, unchecked. "" means that a field was not
// supplied.
type Request struct {
	MerchantID        string // a UUID
	Country           string // ISO 3166-1 alpha-3
	AccountType       string // a ports.AccountType
	AccountIdentifier string // at most 64 characters
	BankCode          string // required for bank_account except in EGY, ignored elsewhere
	AccountHolderName string // at most 256 characters with at least one letter; "" skips the comparison
	// Identity is the holder's document, for providers that require one. The wire has no
	// field for it.
	Identity ports.Identity
}

// String returns the market of the request and nothing else of it.
func (r Request) String() string {
	rule, served := marketOf(r.Country, r.AccountType)
	if !served {
		return "unsupported market"
	}
	return rule.Market.String()
}

// LogValue returns String for logs.
func (r Request) LogValue() slog.Value { return slog.StringValue(r.String()) }

// Maximum lengths of the free text of SPEC 2.7, in characters.
const (
	maxIdentifier = 64
	maxName       = 256
)

const (
	isMissing = "is missing"
	badUUID   = "must be a UUID"
)

func merchantProblem(id string) string {
	switch {
	case id == "":
		return isMissing
	case !isUUID(id):
		return badUUID
	default:
		return ""
	}
}

// isUUID reports whether text is an RFC 9562 UUID: 8-4-4-4-12 hexadecimal digits in
// either case, of any version.
func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := range len(text) {
		switch i {
		case 8, 13, 18, 23:
			if text[i] != '-' {
				return false
			}
		default:
			if !isHex(text[i]) {
				return false
			}
		}
	}
	return true
}

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func countryProblem(country string) string {
	switch {
	case country == "":
		return isMissing
	case len(country) != 3 || strings.Trim(country, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "":
		return "must be an ISO 3166-1 code of 3 capital letters"
	default:
		return ""
	}
}

func typeProblem(accountType string) string {
	switch ports.AccountType(accountType) {
	case ports.BankAccount, ports.MobileMoney, ports.InstitutionWallet:
		return ""
	case "":
		return isMissing
	default:
		return "must be bank_account, mobile_money or institution_wallet"
	}
}

// textProblem checks an identifier for any market: it must be printable ASCII.
func textProblem(identifier string) string {
	if len(identifier) > maxIdentifier {
		return "must have at most 64 characters"
	}
	blank := true
	for i := range len(identifier) {
		c := identifier[i]
		if c < ' ' || c > '~' {
			return "must contain only printable ASCII"
		}
		blank = blank && c == ' '
	}
	if blank {
		return isMissing
	}
	return ""
}

func nameProblem(name string) string {
	switch {
	case name == "":
		return ""
	case utf8.RuneCountInString(name) > maxName:
		return "must have at most 256 characters"
	case !utf8.ValidString(name):
		return "must be valid UTF-8"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "must not contain control characters"
	case !strings.ContainsFunc(name, unicode.IsLetter):
		return "must contain a letter"
	default:
		return ""
	}
}
