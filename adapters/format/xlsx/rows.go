package xlsx

import (
	"fmt"
	"io"

	"github.com/corridor-go/corridor/adapters/format/cells"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type rowWriter struct {
	out     io.Writer
	columns []ports.Column
	book    *book
	rows    int
	err     error // of the temporary files, for good
}

// Write implements [ports.RowWriter].
func (r *rowWriter) Write(row ports.Row) error {
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
