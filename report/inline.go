package report

import (
	"github.com/corridor-go/corridor/internal/jsontext"
	"github.com/corridor-go/corridor/ports"
)

// maxInlineText is from how many bytes on a list takes no more rows.
const maxInlineText = maxSmallFile / 4

// inline collects the rows of a small report as JSON objects, one a line, for
// answers that show them. Beyond its limit it holds none: a list is never cut.
type inline struct {
	columns []ports.Column
	left    int
	lines   []byte
	over    bool
}

func newInline(columns []ports.Column, limit int) *inline {
	return &inline{columns: columns, left: limit, lines: []byte{}}
}

func (i *inline) add(row ports.Row) {
	if i.left == 0 || len(i.lines) > maxInlineText {
		i.over, i.lines = true, nil
	}
	if i.over {
		return
	}
	i.left--
	i.lines = append(appendObject(i.lines, i.columns, row), '\n')
}

// text gives the lines, or nil when there were too many.
func (i *inline) text() []byte { return i.lines }

// appendObject appends a row as an object. Money and times are texts, integers
// numbers; what has no value is left out.
func appendObject(dst []byte, columns []ports.Column, row ports.Row) []byte {
	o := jsontext.Object{}
	for c := range columns {
		switch {
		case row[c] == "":
		case columns[c].Type == ports.ColumnInteger && plainInteger(row[c]):
			o.Raw(columns[c].Name, row[c])
		default:
			o.Text(columns[c].Name, row[c])
		}
	}
	text, _ := o.Done() // texts always marshal
	return append(dst, text...)
}
