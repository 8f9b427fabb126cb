package jsonl

import (
	"io"

	"github.com/corridor-go/corridor/adapters/format/cells"
	"github.com/corridor-go/corridor/ports"
)

// Writer is a [ports.ReportWriter]. It may be used by many goroutines at once.
type Writer struct{}

var _ ports.ReportWriter = (*Writer)(nil)

// New makes a writer.
func New() *Writer { return &Writer{} }

// Format is jsonl.
func (*Writer) Format() string { return "jsonl" }

// ContentType is the name in use; none is registered.
func (*Writer) ContentType() string { return "application/jsonl" }

// Begin starts a file. No column, a column without a name or with the name of
// another, and an unknown type are errcodes.InvalidRequest. The columns are not
// kept.
//
// Up to 64 KiB and the longest row are held back until Close. An error of out is
// returned as it is, by the Write or Close that meets it and by all that follow.
func (*Writer) Begin(out io.Writer, columns []ports.Column) (ports.RowWriter, error) {
	if err := cells.CheckColumns(columns); err != nil {
		return nil, err
	}
	r := &rowWriter{out: out, columns: append([]ports.Column(nil), columns...), buf: make([]byte, 0, 2*flushAt)}
	for _, c := range columns {
		r.names = append(r.names, string(append(appendString(nil, c.Name), ':')))
	}
	return r, nil
}

const flushAt = 32 << 10 // bytes

type rowWriter struct {
	out     io.Writer
	columns []ports.Column
	names   []string // as they stand in the file, with the colon
	buf     []byte   // whole rows
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
	mark := byte('{')
	for i, text := range row {
		if text != "" {
			r.buf = append(append(r.buf, mark), r.names[i]...)
			r.buf = appendValue(r.buf, r.columns[i].Type, text)
			mark = ','
		}
	}
	if mark == '{' {
		r.buf = append(r.buf, mark)
	}
	r.buf = append(r.buf, "}\n"...)
	if len(r.buf) >= flushAt {
		r.flush()
	}
	return r.err
}

// Close implements [ports.RowWriter].
func (r *rowWriter) Close() error {
	if r.err == nil && len(r.buf) > 0 {
		r.flush()
	}
	return r.err
}

func (r *rowWriter) flush() {
	n, err := r.out.Write(r.buf)
	if err == nil && n < len(r.buf) {
		err = io.ErrShortWrite
	}
	r.buf, r.err = r.buf[:0], err
}
