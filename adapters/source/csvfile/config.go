package csvfile

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Bounds of what is read.
const (
	MaxLine        = 1 << 20 // bytes of a line, and of all lines of a quoted field
	MaxRecordLines = 32      // lines that a quoted field may stretch over
	MaxSkipLines   = 1000    // of [Config].SkipLines
)

// Config says how the file is to be read. A column is named as the header names
// it, in any case, or by its place: "#1" is the first.
type Config struct {
	// Reference, Amount and SettledAt are columns that every file has.
	Reference string
	Amount    string
	SettledAt string

	// Currency is the column of the ISO 4217 code, in any case; where there is
	// none, FixedCurrency holds for every line. One of them is needed.
	Currency      string
	FixedCurrency string

	// Owner is the column that says whose line it is; where there is none, every
	// line is FixedOwner's. One of them is needed, so that no file is shown to
	// everybody by mistake. A line whose own owner cannot be read is given to
	// nobody but as a bad one without its content.
	Owner      string
	FixedOwner string

	// Merchant and FixedMerchant are the same for the merchant; without both,
	// the lines are those of each merchant of the owner.
	Merchant      string
	FixedMerchant string

	// MinorUnits says that amounts are whole minor units: 1250 is KES 12.50.
	MinorUnits bool
	// DecimalComma says that amounts are written 12,50.
	DecimalComma bool
	// Thousands are the characters that may stand between groups of three digits:
	// ",", ".", "'", " " (no-break blanks too). None is the default.
	Thousands string
	// Sign is the column that says which way the money goes. With it an amount
	// has no sign of its own; Credit are the texts of money that comes, and Debit
	// of money that is taken back, in any case. The defaults are credit, cr, c, +
	// and debit, dr, d, -. Without it, an amount below zero takes back: -12.50,
	// 12.50- or (12.50).
	Sign          string
	Credit, Debit []string

	// TimeLayouts are tried one by one (package time); default RFC 3339.
	TimeLayouts []string
	// Zone is the IANA name of the zone of times that say none; default UTC.
	Zone string

	// Delimiter is one of "," ";" "|" and tab; "" finds it in the header.
	Delimiter string
	// NoHeader says that the first line is data: columns are named by their place,
	// and the delimiter is told.
	NoHeader bool
	// SkipLines is how many lines stand before the header, or the first line of
	// data; up to [MaxSkipLines].
	SkipLines int
	// SkipPrefixes are what lines begin with that are no settlements: "Total",
	// "#". Blank lines are always skipped.
	SkipPrefixes []string

	// AsOf is up to when the file is complete; zero: when it was last written.
	AsOf time.Time
	// FS is where the path leads; nil: the machine's files.
	FS fs.FS
}

const delimiters = ",;\t|"

func bad(format string, args ...any) error {
	return errcodes.New(errcodes.Configuration, fmt.Sprintf(format, args...))
}

// check says what is wrong with a configuration.
func (c *Config) check() error {
	switch {
	case c.Reference == "" || c.Amount == "" || c.SettledAt == "":
		return bad("Reference, Amount and SettledAt must name columns")
	case (c.Currency == "") == (c.FixedCurrency == ""):
		return bad("one of Currency and FixedCurrency must be set")
	case (c.Owner == "") == (c.FixedOwner == ""):
		return bad("one of Owner and FixedOwner must be set")
	case c.Merchant != "" && c.FixedMerchant != "":
		return bad("at most one of Merchant and FixedMerchant may be set")
	case c.Delimiter != "" && (len(c.Delimiter) != 1 || !strings.Contains(delimiters, c.Delimiter)):
		return bad("Delimiter must be a comma, a semicolon, a tab or a bar")
	case c.NoHeader && c.Delimiter == "":
		return bad("without a header, Delimiter must be set")
	case strings.Contains(strings.Join(c.SkipPrefixes, ""), "\n") || slices.Contains(c.SkipPrefixes, ""):
		return bad("SkipPrefixes must be texts of one line")
	}
	return cmp.Or(errcodes.Within("SkipLines", c.SkipLines, 0, MaxSkipLines), c.checkNumbers())
}

func (c *Config) checkNumbers() error {
	if strings.Trim(c.Thousands, ",.' ") != "" || strings.Contains(c.Thousands, c.point()) {
		return bad("Thousands must be of , . ' and a blank, and not the decimal point")
	}
	if c.FixedCurrency != "" {
		if _, ok := ports.MinorDigits(c.FixedCurrency); !ok {
			return bad("FixedCurrency %q is not an ISO 4217 code with a minor unit", c.FixedCurrency)
		}
	}
	if c.Sign == "" && len(c.Credit)+len(c.Debit) > 0 {
		return bad("Credit and Debit need Sign")
	}
	for _, name := range []string{c.Reference, c.Amount, c.SettledAt, c.Currency, c.Owner, c.Merchant, c.Sign} {
		if at, byPlace := place(name); name != "" && (byPlace && at < 0 || c.NoHeader && !byPlace) {
			return bad("a column's place must be #1 to #%d; without a header, each needs one", maxColumns)
		}
	}
	return nil
}

func (c *Config) point() string {
	if c.DecimalComma {
		return ","
	}
	return "."
}

const maxColumns = 10_000

// place reads a column's place, from 0; below 0 it is out of bounds. false says
// that it is a name.
func place(column string) (at int, byPlace bool) {
	number, byPlace := strings.CutPrefix(column, "#")
	n, err := strconv.Atoi(number)
	if err != nil || !byPlace {
		return 0, false
	}
	if n < 1 || n > maxColumns {
		return -1, true
	}
	return n - 1, true
}

// withDefaults checks c and returns a copy with the defaults, and its zone.
func (c *Config) withDefaults() (Config, *time.Location, error) {
	f := *c
	if err := f.check(); err != nil {
		return f, nil, err
	}
	zone, err := time.LoadLocation(f.Zone)
	if err != nil {
		return f, nil, errcodes.Wrap(errcodes.Configuration, "Zone must be the IANA name of a zone", err)
	}
	for _, list := range []*[]string{&f.Credit, &f.Debit, &f.TimeLayouts, &f.SkipPrefixes} {
		*list = slices.Clone(*list) // the caller may reuse its slices for the next source
	}
	if len(f.TimeLayouts) == 0 {
		f.TimeLayouts = []string{time.RFC3339}
	}
	if f.Sign != "" && len(f.Credit) == 0 {
		f.Credit = []string{"credit", "cr", "c", "+"}
	}
	if f.Sign != "" && len(f.Debit) == 0 {
		f.Debit = []string{"debit", "dr", "d", "-"}
	}
	f.FS = cmp.Or(f.FS, fs.FS(machine{}))
	return f, zone, nil
}

// machine opens the machine's files, by any path.
type machine struct{}

func (machine) Open(path string) (fs.File, error)     { return os.Open(path) }
func (machine) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }
