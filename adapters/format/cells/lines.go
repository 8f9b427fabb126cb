package cells

import (
	"io"
	"slices"

	"github.com/corridor-go/corridor/ports"
)

// flushAt is the size of the buffered rows, in bytes, at which they are written.
const flushAt = 32 << 10

// lines is a [ports.RowWriter] of a format that appends rows.
type lines struct {
	out     io.Writer
	columns []ports.Column
	add     func(buf []byte, columns []ports.Column, row []string) []byte
	buf     []byte // the start of the file, and whole rows
	rows    int
	err     error // of out
}

// NewLines returns a writer to out. head is the start of the file; add appends a row
// that fits the columns to buf. Columns that [CheckColumns] rejects, and rows that
// [CheckRow] rejects, are [errcodes.InvalidRequest]. The columns are copied. Up to 64
// KiB and the longest row are buffered until Close. An error of out is returned
// unchanged by the Write or Close in which it occurs, and by all later ones.
func NewLines(out io.Writer, columns []ports.Column, head []byte, add func(buf []byte, columns []ports.Column, row []string) []byte) (ports.RowWriter, error) {
	if err := CheckColumns(columns); err != nil {
		return nil, err
	}
	return &lines{out: out, columns: slices.Clone(columns), add: add, buf: append(make([]byte, 0, 2*flushAt), head...)}, nil
}

// Write implements [ports.RowWriter].
func (l *lines) Write(row []string) error {
	if l.err != nil {
		return l.err
	}
	if err := CheckRow(l.columns, row, l.rows+1); err != nil {
		return err
	}
	l.rows++
	if l.buf = l.add(l.buf, l.columns, row); len(l.buf) >= flushAt {
		l.flush()
	}
	return l.err
}

// Close implements [ports.RowWriter].
func (l *lines) Close() error {
	if l.err == nil && len(l.buf) > 0 {
		l.flush()
	}
	return l.err
}

func (l *lines) flush() {
	n, err := l.out.Write(l.buf)
	if err == nil && n < len(l.buf) {
		err = io.ErrShortWrite
	}
	l.buf, l.err = l.buf[:0], err
}
