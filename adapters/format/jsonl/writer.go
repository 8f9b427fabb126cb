package jsonl

import (
	"io"
	"unicode/utf8"

	"github.com/corridor-go/corridor/adapters/format/cells"
	"github.com/corridor-go/corridor/ports"
)

// Writer is a [ports.ReportWriter]. It is safe for concurrent use.
type Writer struct{}

var _ ports.ReportWriter = (*Writer)(nil)

// New returns a writer.
func New() *Writer { return &Writer{} }

// Format returns "jsonl".
func (*Writer) Format() string { return "jsonl" }

// ContentType returns the type in common use, which is not registered.
func (*Writer) ContentType() string { return "application/jsonl" }

// Begin starts a file. It returns [errcodes.InvalidRequest] if there is no column, or a
// column has no name, a repeated name or an unknown type. The columns are copied.
//
// [cells.NewLines] describes what is buffered until Close, and errors of out.
func (*Writer) Begin(out io.Writer, columns []ports.Column) (ports.RowWriter, error) {
	names := make([]string, 0, len(columns)) // as in the file, with the colon
	for _, c := range columns {
		names = append(names, string(append(appendString(nil, c.Name), ':')))
	}
	return cells.NewLines(out, columns, nil, func(b []byte, columns []ports.Column, row []string) []byte {
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

// appendValue appends a text that fits its type.
func appendValue(b []byte, t ports.ColumnType, text string) []byte {
	if t == ports.ColumnInteger {
		return append(b, text...) // ports and JSON write integers alike
	}
	return appendString(b, text)
}

func appendString(b []byte, text string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(append(b, text[start:i]...), "\ufffd"...)
				start = i + 1
			}
			i += size
			continue
		}
		if c < ' ' || c == '"' || c == '\\' {
			b = appendEscape(append(b, text[start:i]...), c)
			start = i + 1
		}
		i++
	}
	return append(append(b, text[start:]...), '"')
}

func appendEscape(b []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	default:
		return append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
	}
}
