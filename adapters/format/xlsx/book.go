package xlsx

import (
	"archive/zip"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/corridor-go/corridor/ports"
)

// The numbers of built-in number formats.
const (
	formatWhole = 1  // 0
	formatText  = 49 // @
)

// book is a workbook to which rows are added.
type book struct {
	file   *excelize.File
	sheet  *excelize.StreamWriter
	sheets int
	rows   int   // of the current sheet
	most   int   // the most rows of a sheet
	names  []any // the first row of each sheet
	cells  []excelize.Cell
	values []any // pointers to cells; nil for an empty cell
	marked bool  // a text may contain a mark

	text     int   // the style of texts
	decimals []int // the styles of numbers, by their decimals
}

func newBook(c *Config, names []string) (*book, error) {
	b := &book{
		file:   excelize.NewFile(excelize.Options{TmpDir: c.TempDir}),
		most:   c.SheetRows,
		cells:  make([]excelize.Cell, len(names)),
		values: make([]any, len(names)),
	}
	var err error
	if b.text, err = b.file.NewStyle(&excelize.Style{NumFmt: formatText}); err != nil {
		return b, err
	}
	for i, name := range names {
		b.marked = b.marked || strings.Contains(name, mark)
		b.setText(i, name)
		b.names = append(b.names, b.cells[i])
	}
	return b, b.next()
}

// next starts a sheet with the row of names.
func (b *book) next() error {
	name := "report"
	if b.sheets++; b.sheets > 1 {
		name += " " + strconv.Itoa(b.sheets)
		if err := b.sheet.Flush(); err != nil {
			return err
		}
	}
	if err := b.open(name); err != nil {
		return err
	}
	b.rows = 1
	return b.sheet.SetRow("A1", b.names)
}

func (b *book) open(name string) (err error) {
	if b.sheets == 1 {
		err = b.file.SetSheetName(b.file.GetSheetName(0), name)
	} else {
		_, err = b.file.NewSheet(name)
	}
	if err == nil {
		// The number of rows is unknown: readers that stream trust the dimension in the
		// sheet, and would stop at A1.
		err = b.file.SetSheetDimension(name, "")
	}
	if err == nil {
		b.sheet, err = b.file.NewStreamWriter(name)
	}
	return err
}

// set sets a cell of the next row. It reports whether the text fits into a cell.
func (b *book) set(i int, t ports.ColumnType, text string) bool {
	if text == "" {
		b.values[i] = nil
		return true
	}
	if t == ports.ColumnMoney || t == ports.ColumnInteger {
		if value, decimals, exact := number(text); exact {
			b.cells[i].StyleID, b.cells[i].Value = b.style(decimals), value
			b.values[i] = &b.cells[i]
			return true
		}
	}
	escaped, fits := escape(text)
	if fits {
		b.marked = b.marked || escaped != text
		b.setText(i, escaped)
	}
	return fits
}

func (b *book) setText(i int, escaped string) {
	b.cells[i].StyleID, b.cells[i].Value = b.text, escaped
	b.values[i] = &b.cells[i]
}

// style returns the style that shows a number with the decimals.
func (b *book) style(decimals int) int {
	for len(b.decimals) <= decimals {
		style := &excelize.Style{NumFmt: formatWhole}
		if n := len(b.decimals); n > 0 {
			format := "0." + strings.Repeat("0", n)
			style = &excelize.Style{CustomNumFmt: &format}
		}
		id, err := b.file.NewStyle(style)
		if err != nil {
			id = 0 // the general format, which shows the same value
		}
		b.decimals = append(b.decimals, id)
	}
	return b.decimals[decimals]
}

// add adds the row to the sheet, or to the next one if it is full.
func (b *book) add() error {
	if b.rows == b.most {
		if err := b.next(); err != nil {
			return err
		}
	}
	b.rows++
	return b.sheet.SetRow("A"+strconv.Itoa(b.rows), b.values)
}

// writeTo packs the workbook directly into out: excelize would keep the packed file in
// memory.
func (b *book) writeTo(out io.Writer) error {
	if err := b.sheet.Flush(); err != nil {
		return err
	}
	b.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return &packer{zip.NewWriter(out), b.marked} })
	if _, err := b.file.WriteTo(io.Discard); err != nil {
		return fmt.Errorf("pack: %w", err)
	}
	return nil
}

// exactDigits is the number of decimal digits that every 64-bit float preserves.
const exactDigits = 15

// number converts a number's text to a float and returns its decimals. exact is false
// if the float would lose a digit, or the sign of minus zero.
func number(text string) (value float64, decimals int, exact bool) {
	digits := strings.TrimPrefix(text, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	count := len(whole) + len(fraction)
	if whole == "0" {
		count--
	}
	if count > exactDigits {
		return 0, 0, false
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || value == 0 && len(digits) < len(text) {
		return 0, 0, false
	}
	return value, len(fraction), true
}
