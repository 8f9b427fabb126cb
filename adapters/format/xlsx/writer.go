package xlsx

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/xuri/excelize/v2"

	"github.com/corridor-go/corridor/adapters/format/cells"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Bounds of the format.
const (
	MinSheetRows = 2                       // one of names, one of data
	MaxSheetRows = excelize.TotalRows      // 1,048,576, the names' row included
	MaxColumns   = excelize.MaxColumns     // 16,384
	MaxText      = excelize.TotalCellChars // 32,767, in UTF-16 units
)

// Config tunes a [Writer]. The zero value of each field, and nil, mean the
// default.
type Config struct {
	// SheetRows is how many rows a sheet takes, that of the names included:
	// [MinSheetRows] to [MaxSheetRows], which is the default.
	SheetRows int

	// TempDir is the folder of the temporary files, which hold what the report
	// holds. Default: the system's.
	TempDir string
}

// Writer is a [ports.ReportWriter]. It may be used by many goroutines at once.
type Writer struct {
	config Config
}

var _ ports.ReportWriter = (*Writer)(nil)

// New returns a writer. A SheetRows out of range is [errcodes.Configuration].
func New(cfg *Config) (*Writer, error) {
	c, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Writer{config: c}, nil
}

func (c *Config) withDefaults() (Config, error) {
	f := *cmp.Or(c, &Config{})
	f.SheetRows = cmp.Or(f.SheetRows, MaxSheetRows)
	return f, errcodes.Within("SheetRows", f.SheetRows, MinSheetRows, MaxSheetRows)
}

// Format is xlsx.
func (*Writer) Format() string { return "xlsx" }

// ContentType is the registered one.
func (*Writer) ContentType() string {
	return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
}

// Begin starts a workbook. No column, a column without a name or with the name
// of another, and an unknown type are errcodes.InvalidRequest; more than
// MaxColumns, and a name of more than MaxText, errcodes.Unprocessable. The
// columns are not kept.
//
// Nothing reaches out before Close, whose error is that of out as it is. A
// temporary file that cannot be made or written is errcodes.StorageUnavailable,
// from Begin, or the Write that meets it and all that follow. Close is due after
// an error too, or the temporary files stay.
func (w *Writer) Begin(out io.Writer, columns []ports.Column) (ports.RowWriter, error) {
	if err := cells.CheckColumns(columns); err != nil {
		return nil, err
	}
	if len(columns) > MaxColumns {
		return nil, errcodes.New(errcodes.Unprocessable, fmt.Sprintf("a sheet takes %d columns at most", MaxColumns))
	}
	names, err := namesOf(columns)
	if err != nil {
		return nil, err
	}
	if err := probe(w.config.TempDir); err != nil {
		return nil, stored(err)
	}
	r := &rowWriter{out: out, columns: append([]ports.Column(nil), columns...)}
	if r.book, err = newBook(&w.config, names); err != nil {
		return nil, r.abandon(stored(err))
	}
	return r, nil
}

// probe makes a temporary file as the rows will: where none can be made, excelize
// would keep all rows in memory.
func probe(dir string) error {
	f, err := os.CreateTemp(dir, "corridor-report-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func namesOf(columns []ports.Column) ([]string, error) {
	var names []string
	for i, c := range columns {
		name, fits := escape(c.Name)
		if !fits {
			return nil, errcodes.New(errcodes.Unprocessable, fmt.Sprintf("the name of column %d is longer than a cell", i+1))
		}
		names = append(names, name)
	}
	return names, nil
}

type rowWriter struct {
	out     io.Writer
	columns []ports.Column
	book    *book
	rows    int
	err     error // of the temporary files, for good
}

// Write implements [ports.RowWriter].
func (r *rowWriter) Write(row []string) error {
	if r.err != nil {
		return r.err
	}
	number := r.rows + 1
	if err := cells.CheckRow(r.columns, row, number); err != nil {
		return err
	}
	for i, text := range row {
		if !r.book.set(i, r.columns[i].Type, text) {
			return errcodes.New(errcodes.Unprocessable,
				fmt.Sprintf("row %d, column %q: the text is longer than the %d characters of a cell", number, r.columns[i].Name, MaxText))
		}
	}
	r.rows = number
	r.err = stored(r.book.add())
	return r.err
}

// Close implements [ports.RowWriter].
func (r *rowWriter) Close() error {
	if r.err != nil {
		return r.abandon(r.err)
	}
	out := &noting{Writer: r.out}
	err := stored(r.book.writeTo(out))
	if out.err != nil {
		err = out.err
	}
	return r.abandon(err)
}

// abandon removes the temporary files, and tells of that only when nothing else
// is to be told.
func (r *rowWriter) abandon(err error) error {
	if failed := stored(r.book.file.Close()); err == nil {
		err = failed
	}
	return err
}

// stored tells that a temporary file is in the way: nothing else that the sheets
// are given can be.
func stored(err error) error {
	if err == nil {
		return nil
	}
	return errcodes.Wrap(errcodes.StorageUnavailable, "the workbook's temporary file cannot be written", err)
}

// noting keeps the error of an io.Writer apart from those of the workbook.
type noting struct {
	io.Writer
	err error
}

func (n *noting) Write(p []byte) (int, error) {
	written, err := n.Writer.Write(p)
	if err == nil && written < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		n.err = err
	}
	return written, err
}
