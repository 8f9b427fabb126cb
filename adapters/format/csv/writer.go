package csv

import (
	"cmp"
	"io"

	"github.com/corridor-go/corridor/adapters/format/cells"
	"github.com/corridor-go/corridor/ports"
)

// Config tunes a [Writer]. The zero value, and nil, mean the defaults.
type Config struct {
	// BOM adds a byte order mark in front. Without it Excel reads the file in the
	// machine's old code page; with it, other readers see it as part of the first
	// column's name.
	BOM bool
}

// Writer is a [ports.ReportWriter]. It is safe for concurrent use.
type Writer struct {
	bom bool
}

var _ ports.ReportWriter = (*Writer)(nil)

// New returns a writer. The error is always nil today.
func New(c *Config) (*Writer, error) { return &Writer{bom: cmp.Or(c, &Config{}).BOM}, nil }

// Format returns "csv".
func (*Writer) Format() string { return "csv" }

// ContentType returns the type of RFC 4180 and RFC 7111.
func (*Writer) ContentType() string { return "text/csv; charset=utf-8; header=present" }

// Begin starts a file with the line of names. It returns [errcodes.InvalidRequest] if
// there is no column, or a column has no name, a repeated name or an unknown type. The
// columns are copied.
//
// [cells.NewLines] describes what is buffered until Close, and errors of out.
func (w *Writer) Begin(out io.Writer, columns []ports.Column) (ports.RowWriter, error) {
	var head []byte
	if w.bom {
		head = append(head, "\ufeff"...)
	}
	for i := range columns {
		head = appendText(separate(head, i), columns[i].Name)
	}
	return cells.NewLines(out, columns, append(head, lineEnd...), appendRow)
}

const lineEnd = "\r\n"

func appendRow(b []byte, columns []ports.Column, row []string) []byte {
	for i, text := range row {
		if b = separate(b, i); columns[i].Type == ports.ColumnText {
			b = appendText(b, text)
		} else {
			b = append(b, text...)
		}
	}
	if len(row) == 1 && row[0] == "" {
		b = append(b, `""`...)
	}
	return append(b, lineEnd...)
}

func separate(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}
