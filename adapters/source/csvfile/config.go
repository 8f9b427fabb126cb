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

// Limits of a file.
const (
	MaxLine        = 1 << 20 // bytes of a line, and of all lines of a quoted field
	MaxRecordLines = 32      // lines of a quoted field
	MaxSkipLines   = 1000    // of [Config].SkipLines
)

// Config describes the file. A column is named as in the header, in any case, or by its
// position: "#1" is the first.
type Config struct {
	// Reference and SettledAt are columns. They are required.
	Reference string
	SettledAt string

	// Amount is the column with the amounts: money received or, if negative, money
	// taken back. A file with two columns, such as "Paid In" and "Withdrawn", has
	// CreditAmount for money received and DebitAmount for money taken back instead.
	// Then a line has an amount in one of the two, with or without the sign of its
	// column, and nothing, 0 or a dash in the other.
	Amount                    string
	CreditAmount, DebitAmount string

	// Currency is the column with the ISO 4217 code, in any case; without it,
	// FixedCurrency is the currency of every line. One of them is required.
	Currency      string
	FixedCurrency string

	// Owner is the column with the owner of a line; without it, FixedOwner owns every
	// line. One of them is required, so that no file is shown to everybody by mistake.
	// A line whose owner is empty is shown to every owner, as a bad line without its
	// content.
	Owner      string
	FixedOwner string

	// Merchant and FixedMerchant are the same for the merchant; without both, each
	// merchant of the owner gets the lines.
	Merchant      string
	FixedMerchant string

	// MinorUnits means that amounts are whole minor units: 1250 is KES 12.50.
	MinorUnits bool
	// DecimalComma means that amounts are written 12,50.
	DecimalComma bool
	// Thousands are the characters allowed between groups of three digits: ",", ".",
	// "'", " " (no-break spaces too). By default there is none.
	Thousands string
	// Sign is the column with the direction of the money beside Amount. With it,
	// amounts have no sign. Credit are its texts, in any case, for money received, and
	// Debit those for money taken back; the defaults are credit, cr, c, + and debit, dr,
	// d, -. Without Sign, a negative amount is written -12.50, 12.50-, (12.50) or 12.50
	// DR, and a positive one may be written +12.50 or 12.50 CR.
	Sign          string
	Credit, Debit []string

	// TimeLayouts are tried in order (package time); default RFC 3339.
	TimeLayouts []string
	// Zone is the IANA name of the zone of times without one; default UTC.
	Zone string

	// Delimiter is one of "," ";" "|" and tab; "" means to find it in the header.
	Delimiter string
	// NoHeader means that the first line is data: columns are named by position, and
	// Delimiter is required.
	NoHeader bool
	// SkipLines is the number of lines before the header or the first line of data, up
	// to [MaxSkipLines].
	SkipLines int
	// SkipPrefixes are the starts of lines that are no settlements, such as "Total" or
	// "#". A quote before the start does not matter. They must not be starts of lines
	// with data, because those would be skipped too. Blank lines are always skipped.
	SkipPrefixes []string

	// AsOf is the time up to which the file is complete; zero: its time of
	// modification.
	AsOf time.Time
	// FS contains the path; nil: the machine's files.
	FS fs.FS
}

const delimiters = ",;\t|"

func bad(format string, args ...any) error {
	return errcodes.New(errcodes.Configuration, fmt.Sprintf(format, args...))
}

// check returns an error for an invalid configuration.
func (c *Config) check() error {
	switch {
	case c.Reference == "" || c.SettledAt == "":
		return bad("Reference and SettledAt must name columns")
	case (c.Currency == "") == (c.FixedCurrency == ""):
		return bad("one of Currency and FixedCurrency must be set")
	case (c.Owner == "") == (c.FixedOwner == ""):
		return bad("one of Owner and FixedOwner must be set")
	case c.Merchant != "" && c.FixedMerchant != "":
		return bad("at most one of Merchant and FixedMerchant may be set")
	case c.Delimiter != "" && (len(c.Delimiter) != 1 || !strings.Contains(delimiters, c.Delimiter)):
		return bad("Delimiter %q must be a comma, a semicolon, a tab or a bar", c.Delimiter)
	case c.NoHeader && c.Delimiter == "":
		return bad("Delimiter is required with NoHeader")
	case strings.Contains(strings.Join(c.SkipPrefixes, ""), "\n") || slices.Contains(c.SkipPrefixes, ""):
		return bad("SkipPrefixes must be texts of one line, and not empty")
	}
	return cmp.Or(errcodes.Within("SkipLines", c.SkipLines, 0, MaxSkipLines), c.checkAmounts(), c.checkNumbers(), c.checkColumns())
}

func (c *Config) checkAmounts() error {
	switch {
	case (c.CreditAmount == "") != (c.DebitAmount == ""):
		return bad("CreditAmount and DebitAmount must both name columns, or neither")
	case (c.Amount == "") == (c.CreditAmount == ""):
		return bad("one of Amount and CreditAmount with DebitAmount must be set")
	case c.CreditAmount != "" && strings.EqualFold(strings.TrimSpace(c.CreditAmount), strings.TrimSpace(c.DebitAmount)):
		return bad("CreditAmount and DebitAmount must name different columns")
	case c.CreditAmount != "" && c.Sign != "":
		return bad("Sign must be empty with CreditAmount and DebitAmount")
	case c.Sign == "" && len(c.Credit)+len(c.Debit) > 0:
		return bad("Sign is required with Credit or Debit")
	}
	return nil
}

func (c *Config) checkNumbers() error {
	if strings.Trim(c.Thousands, ",.' ") != "" || strings.Contains(c.Thousands, c.point()) {
		return bad("Thousands %q must consist of , . ' and space, without the decimal point", c.Thousands)
	}
	if c.FixedCurrency != "" {
		if _, ok := ports.MinorDigits(c.FixedCurrency); !ok {
			return bad("FixedCurrency %q must be an ISO 4217 code with a minor unit", c.FixedCurrency)
		}
	}
	return nil
}

func (c *Config) checkColumns() error {
	for _, name := range []string{
		c.Reference, c.Amount, c.CreditAmount, c.DebitAmount, c.SettledAt, c.Currency, c.Owner, c.Merchant, c.Sign,
	} {
		if at, isPosition := position(name); name != "" && (isPosition && at < 0 || c.NoHeader && !isPosition) {
			return bad("column %q must be a position from #1 to #%d, or a name in a header", name, maxColumns)
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

// position returns a column's position, from 0, or below 0 if it is out of bounds. isPosition
// is false if column is a name.
func position(column string) (at int, isPosition bool) {
	number, isPosition := strings.CutPrefix(column, "#")
	n, err := strconv.Atoi(number)
	if err != nil || !isPosition {
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
		return f, nil, errcodes.Wrap(errcodes.Configuration, fmt.Sprintf("Zone %q must be the IANA name of a zone", f.Zone), err)
	}
	for _, list := range []*[]string{&f.Credit, &f.Debit, &f.TimeLayouts, &f.SkipPrefixes} {
		*list = slices.Clone(*list) // the caller may change its slices
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

// machine opens the machine's files.
type machine struct{}

func (machine) Open(path string) (fs.File, error)     { return os.Open(path) }
func (machine) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }
