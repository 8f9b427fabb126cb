package csv

import (
	"io"

	"github.com/corridor-go/corridor/adapters/format/cells"
	"github.com/corridor-go/corridor/ports"
)

// Config tunes a [Writer]. The zero value of each field, and nil, mean the
// default.
type Config struct {
	// BOM puts a byte order mark in front, without which Excel takes the file
	// for one in the machine's old code page. Other readers take it for a part of
	// the first column's name. Default: none.
	BOM bool
}

// Writer is a [ports.ReportWriter]. It may be used by many goroutines at once.
type Writer struct {
	bom bool
}

var _ ports.ReportWriter = (*Writer)(nil)

// New makes a writer. Its error is nil: every Config is good.
func New(c *Config) (*Writer, error) {
	if c == nil {
		c = &Config{}
	}
	return &Writer{bom: c.BOM}, nil
}

// Format is csv.
func (*Writer) Format() string { return "csv" }

// ContentType is that of RFC 4180 and RFC 7111.
func (*Writer) ContentType() string { return "text/csv; charset=utf-8; header=present" }

// Begin starts a file with the line of names. No column, a column without a
// name or with the name of another, and an unknown type are
// errcodes.InvalidRequest. The columns are not kept.
//
// Up to 64 KiB and the longest row are held back until Close. An error of w is
// returned as it is, by the Write or Close that meets it and by all that follow.
func (w *Writer) Begin(out io.Writer, columns []ports.Column) (ports.RowWriter, error) {
	if err := cells.CheckColumns(columns); err != nil {
		return nil, err
	}
	r := &rowWriter{out: out, columns: append([]ports.Column(nil), columns...), buf: make([]byte, 0, 2*flushAt)}
	if w.bom {
		r.buf = append(r.buf, "\ufeff"...)
	}
	for i := range columns {
		r.separate(i)
		r.buf = appendText(r.buf, columns[i].Name)
	}
	r.buf = append(r.buf, lineEnd...)
	return r, nil
}

const (
	flushAt = 32 << 10 // bytes
	lineEnd = "\r\n"
)

type rowWriter struct {
	out     io.Writer
	columns []ports.Column
	buf     []byte // whole rows
	rows    int
	err     error // of out, for good
}

// Write implements [ports.RowWriter].
func (r *rowWriter) Write(row ports.Row) error {
	if r.err != nil {
		return r.err
	}
	if err := cells.CheckRow(r.columns, row, r.rows+1); err != nil {
		return err
	}
	r.rows++
	for i, text := range row {
		r.separate(i)
		if r.columns[i].Type == ports.ColumnText {
			r.buf = appendText(r.buf, text)
		} else {
			r.buf = append(r.buf, text...)
		}
	}
	if len(row) == 1 && row[0] == "" {
		r.buf = append(r.buf, `""`...)
	}
	r.buf = append(r.buf, lineEnd...)
	if len(r.buf) >= flushAt {
		r.flush()
	}
	return r.err
}

// Close implements [ports.RowWriter].
func (r *rowWriter) Close() error {
	if r.err == nil {
		r.flush()
	}
	return r.err
}

func (r *rowWriter) separate(i int) {
	if i > 0 {
		r.buf = append(r.buf, ',')
	}
}

func (r *rowWriter) flush() {
	n, err := r.out.Write(r.buf)
	if err == nil && n < len(r.buf) {
		err = io.ErrShortWrite
	}
	r.buf, r.err = r.buf[:0], err
}
