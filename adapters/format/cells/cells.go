package cells

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// CheckColumns returns [errcodes.InvalidRequest] for columns without unique names and types.
func CheckColumns(columns []ports.Column) error {
	if len(columns) == 0 {
		return errcodes.New(errcodes.InvalidRequest, "a report must have at least one column")
	}
	seen := map[string]bool{}
	for i, c := range columns {
		switch {
		case c.Name == "":
			return errcodes.New(errcodes.InvalidRequest, fmt.Sprintf("column %d has no name", i+1))
		case seen[c.Name]:
			return errcodes.New(errcodes.InvalidRequest, fmt.Sprintf("column %q is repeated", c.Name))
		case !isOfType(c.Type, ""):
			return errcodes.New(errcodes.InvalidRequest, fmt.Sprintf("column %q has the unknown type %q", c.Name, c.Type))
		}
		seen[c.Name] = true
	}
	return nil
}

// CheckRow returns [errcodes.InvalidRequest] for a row that does not fit the columns.
// The error contains the row and the column, never the text, which may be a name or an
// account number.
func CheckRow(columns []ports.Column, row []string, number int) error {
	if len(row) != len(columns) {
		return errcodes.New(errcodes.InvalidRequest,
			fmt.Sprintf("row %d has %d texts, want one for each of %d columns", number, len(row), len(columns)))
	}
	for i := range columns {
		if !isOfType(columns[i].Type, row[i]) {
			return errcodes.New(errcodes.InvalidRequest,
				fmt.Sprintf("row %d, column %q: the text is not of type %s", number, columns[i].Name, columns[i].Type))
		}
	}
	return nil
}

// isOfType reports whether text has the form that package ports defines for the type.
func isOfType(t ports.ColumnType, text string) bool {
	switch t {
	case ports.ColumnText:
		return true
	case ports.ColumnInteger:
		return text == "" || isInteger(text)
	case ports.ColumnMoney:
		return text == "" || isMoney(text)
	case ports.ColumnTime:
		return text == "" || isTime(text)
	default:
		return false
	}
}

func isInteger(text string) bool {
	const surelyFits = 18 // bytes
	if text == "-0" || !isWhole(strings.TrimPrefix(text, "-")) {
		return false
	}
	if len(text) <= surelyFits {
		return true
	}
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

func isMoney(text string) bool {
	whole, fraction, pointed := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	return isWhole(whole) && (!pointed || areDigits(fraction))
}

func isWhole(text string) bool { return areDigits(text) && (text[0] != '0' || len(text) == 1) }

func areDigits(text string) bool {
	for i := range len(text) {
		if text[i]-'0' > 9 {
			return false
		}
	}
	return text != ""
}

// isTime accepts a single form. time.Parse is not strict enough: it accepts a comma as
// the decimal point.
func isTime(text string) bool {
	const like = "0000-00-00T00:00:00.000Z"
	if len(text) != len(like) {
		return false
	}
	for i := range len(like) {
		if c := text[i]; c != like[i] && (like[i] != '0' || c-'0' > 9) {
			return false
		}
	}
	return isDay(two(text, 0)*100+two(text, 2), two(text, 5), two(text, 8)) &&
		two(text, 11) < 24 && two(text, 14) < 60 && two(text, 17) < 60
}

func two(text string, at int) int { return int(text[at]-'0')*10 + int(text[at+1]-'0') }

func isDay(year, month, day int) bool {
	const inAll = 28 // every month has these days
	if month < 1 || month > 12 || day < 1 {
		return false
	}
	return day <= inAll || day <= time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
