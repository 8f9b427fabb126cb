package csv

import (
	"cmp"
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

// New returns a writer. Its error is nil: every Config is good.
func New(c *Config) (*Writer, error) { return &Writer{bom: cmp.Or(c, &Config{}).BOM}, nil }

// Format is csv.
func (*Writer) Format() string { return "csv" }

// ContentType is that of RFC 4180 and RFC 7111.
func (*Writer) ContentType() string { return "text/csv; charset=utf-8; header=present" }

// Begin starts a file with the line of names. No column, a column without a
// name or with the name of another, and an unknown type are
// [errcodes.InvalidRequest]. The columns are not kept.
//
// What is held back until Close, and errors of out: see [cells.NewLines].
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
