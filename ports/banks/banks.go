package banks

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
	// Code is canonical inside corridor: ZAF the universal branch code (6
	// digits), NGA the central bank's code (3 digits, or 6 with the leading 9;
	// the NIP code of an institution whose central bank code is not known),
	// GHA the central bank's institution code (3 digits), KEN the bank's code
	// (2 digits). EGY has none: the IBAN carries the bank.
	Code    string
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
