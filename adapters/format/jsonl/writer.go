package jsonl

import (
	"io"

	"github.com/corridor-go/corridor/adapters/format/cells"
	"github.com/corridor-go/corridor/ports"
)

// Writer is a [ports.ReportWriter]. It may be used by many goroutines at once.
type Writer struct{}

var _ ports.ReportWriter = (*Writer)(nil)

// New returns a writer.
func New() *Writer { return &Writer{} }

// Format is jsonl.
func (*Writer) Format() string { return "jsonl" }

// ContentType is the name in use; none is registered.
func (*Writer) ContentType() string { return "application/jsonl" }

// Begin starts a file. No column, a column without a name or with the name of
// another, and an unknown type are [errcodes.InvalidRequest]. The columns are not
// kept.
//
// Up to 64 KiB and the longest row are held back until Close. An error of out is
// returned as it is, by the Write or Close that meets it and by all that follow.
func (*Writer) Begin(out io.Writer, columns []ports.Column) (ports.RowWriter, error) {
	names := make([]string, 0, len(columns)) // as they stand in the file, with the colon
	for _, c := range columns {
		names = append(names, string(append(appendString(nil, c.Name), ':')))
	}
	return cells.NewLines(out, columns, nil, func(b []byte, columns []ports.Column, row ports.Row) []byte {
		mark := byte('{')
		for i, text := range row {
			if text != "" {
				b = append(append(b, mark), names[i]...)
				b = appendValue(b, columns[i].Type, text)
				mark = ','
			}
		}
		if mark == '{' {
			b = append(b, mark)
		}
		return append(b, "}\n"...)
	})
}
