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

// Limits of the format.
const (
	MinSheetRows = 2                       // the names and one row
	MaxSheetRows = excelize.TotalRows      // 1,048,576, including the names
	MaxColumns   = excelize.MaxColumns     // 16,384
	MaxText      = excelize.TotalCellChars // 32,767, in UTF-16 units
)

// Config tunes a [Writer]. The zero value, and nil, mean the defaults.
type Config struct {
	// SheetRows is the most rows of a sheet, including the names: [MinSheetRows] to
	// [MaxSheetRows]; 0: [MaxSheetRows].
	SheetRows int

	// TempDir is the folder of the temporary files, which contain the report's data.
	// "": the system's.
	TempDir string
}

// Writer is a [ports.ReportWriter]. It is safe for concurrent use.
type Writer struct {
	config Config
}

var _ ports.ReportWriter = (*Writer)(nil)

// New returns a writer, or [errcodes.Configuration] if SheetRows is out of range.
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

// Format returns "xlsx".
func (*Writer) Format() string { return "xlsx" }

// ContentType returns the registered type.
func (*Writer) ContentType() string {
	return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
}

// Begin starts a workbook. It returns errcodes.InvalidRequest if there is no column, or
// a column has no name, a repeated name or an unknown type, and errcodes.Unprocessable
// if there are more than MaxColumns or a name is longer than MaxText. The columns are
// copied.
//
// Only Close writes to out, and it returns out's error unchanged. If a temporary file
// cannot be created or written, Begin or Write returns errcodes.StorageUnavailable, and
// so do all later calls of Write. Call Close after an error too; otherwise the
// temporary files stay.
func (w *Writer) Begin(out io.Writer, columns []ports.Column) (ports.RowWriter, error) {
	if err := cells.CheckColumns(columns); err != nil {
		return nil, err
	}
	if len(columns) > MaxColumns {
		return nil, errcodes.New(errcodes.Unprocessable, fmt.Sprintf("%d columns, want at most %d", len(columns), MaxColumns))
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

// probe creates a temporary file like those of the rows: if that fails, excelize would
// keep all rows in memory.
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
			return nil, errcodes.New(errcodes.Unprocessable, fmt.Sprintf("the name of column %d is longer than the %d characters of a cell", i+1, MaxText))
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
	err     error // of the temporary files; later calls return it too
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

// abandon removes the temporary files. It returns err, or else the error of removing
// them.
func (r *rowWriter) abandon(err error) error {
	if failed := stored(r.book.file.Close()); err == nil {
		err = failed
	}
	return err
}

// stored wraps an error of the temporary files, the only ones that the sheets can
// return here.
func stored(err error) error {
	if err == nil {
		return nil
	}
	return errcodes.Wrap(errcodes.StorageUnavailable, "the workbook's temporary file cannot be written", err)
}

// noting records the error of an io.Writer, to distinguish it from the workbook's errors.
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
