package report

import (
	"iter"
	"slices"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/jsontext"
	"github.com/corridor-go/corridor/ports"
)

// needed contains the columns that every source must have.
var needed = []ports.Column{
	{Name: ports.ColumnTransactionID, Type: ports.ColumnText}, {Name: ports.ColumnMerchantReference, Type: ports.ColumnText},
	{Name: ports.ColumnStatus, Type: ports.ColumnText}, {Name: ports.ColumnDirection, Type: ports.ColumnText},
	{Name: ports.ColumnAmount, Type: ports.ColumnMoney}, {Name: ports.ColumnCurrency, Type: ports.ColumnText},
	{Name: ports.ColumnMethod, Type: ports.ColumnText}, {Name: ports.ColumnConnector, Type: ports.ColumnText},
	{Name: ports.ColumnCode, Type: ports.ColumnText}, {Name: ports.ColumnCreatedAt, Type: ports.ColumnTime},
}

func checkSource(columns []ports.Column) error {
	for _, n := range needed {
		if i := find(columns, n.Name); i < 0 || columns[i].Type != n.Type {
			return errcodes.New(errcodes.Configuration, "the transaction source needs a column "+n.Name+" of type "+string(n.Type))
		}
	}
	return nil
}

// checkColumns returns the requested columns, or all columns if none are requested. It
// rejects unknown and repeated columns.
func checkColumns(asked []string, columns []ports.Column) ([]string, error) {
	if len(asked) == 0 {
		return names(columns), nil
	}
	seen := make(map[string]bool, len(columns))
	for _, name := range asked {
		if fault := faultOf(name, columns, seen); fault != "" {
			return nil, unprocessable("columns", "must be columns of the report, each once: "+fault)
		}
	}
	return append([]string(nil), asked...), nil
}

// faultOf returns what is wrong with a requested column, or "", and marks the column as
// seen. The message contains only the beginning of a client's text.
func faultOf(name string, columns []ports.Column, seen map[string]bool) string {
	switch {
	case find(columns, name) < 0:
		return jsontext.Shown(name) + " is not among " + strings.Join(names(columns), ", ")
	case seen[name]:
		return jsontext.Shown(name) + " is repeated"
	}
	seen[name] = true
	return ""
}

// with appends a column unless it is already there.
func with(columns []string, name string) []string {
	if slices.Contains(columns, name) {
		return columns
	}
	return append(columns, name)
}

// describe returns the columns with the names. A money column refers to its currency
// column only if that is included.
func describe(names []string, columns []ports.Column) []ports.Column {
	list := make([]ports.Column, len(names))
	for i, name := range names {
		list[i] = columns[find(columns, name)]
		if !slices.Contains(names, list[i].Currency) {
			list[i].Currency = ""
		}
	}
	return list
}

// projected returns rows with only the requested columns, from rows with all columns.
func projected(rows iter.Seq2[[]string, error], all []ports.Column, columns []string) iter.Seq2[[]string, error] {
	at := make([]int, len(columns))
	for i, name := range columns {
		at[i] = find(all, name)
	}
	return func(yield func([]string, error) bool) {
		out := make([]string, len(columns))
		for row, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range at {
				out[i] = row[at[i]]
			}
			if !yield(out, nil) {
				return
			}
		}
	}
}

func names(columns []ports.Column) []string {
	list := make([]string, len(columns))
	for i := range columns {
		list[i] = columns[i].Name
	}
	return list
}

// find returns the index of a column, or -1.
func find(columns []ports.Column, name string) int {
	for i := range columns {
		if columns[i].Name == name {
			return i
		}
	}
	return -1
}
