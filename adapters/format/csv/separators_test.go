package csv_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
)

// sheet parses a file like a spreadsheet with another separator: a quote only counts at
// the start of a cell, and text after the closing quote belongs to the cell.
func sheet(file string, separator byte) (cells []string) {
	for at := 0; at < len(file); at++ { // skips the separator or line break
		var cell strings.Builder
		if file[at] == '"' {
			for at++; at < len(file); at++ {
				if file[at] != '"' {
					cell.WriteByte(file[at])
				} else if at++; at == len(file) || file[at] != '"' {
					break
				} else {
					cell.WriteByte('"')
				}
			}
		}
		for ; at < len(file) && file[at] != separator && file[at] != '\r' && file[at] != '\n'; at++ {
			cell.WriteByte(file[at])
		}
		cells = append(cells, cell.String())
	}
	return cells
}

// isFormula reports whether a spreadsheet, which may skip some characters, reads a formula.
func isFormula(cell string) bool {
	cell = strings.TrimLeft(cell, " \x00\t\r\n")
	return cell != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(cell)[0])
}

// This is I23: a spreadsheet in a country with decimal commas splits our lines at
// semicolons, or also at tabs. Our quotes are then in the middle of a cell and have no
// effect.
func TestNoTextIsAFormulaAfterAnotherSeparator(t *testing.T) {
	t.Parallel()
	columns := []ports.Column{{Name: "id", Type: ports.ColumnText}, {Name: "reference", Type: ports.ColumnText}, {Name: "amount", Type: ports.ColumnMoney}}
	for _, text := range []string{
		"x;=1+1;y", "x\t=1+1\ty", "x\n=1+1;y", "x\r=1+1;y", "x\r\n=1+1;y", "x;;=1+1;y", "x;\t=1+1;y", `x;"=1+1&";y`, `x;""=1+1&"";y`,
		"x; =1+1;y", "x;@SUM(1;1);y", "x;＝1+1;y", "x;=cmd|'/C calc'!A0;y", "x;-1+1;y", "x;\x00=1;y",
	} {
		for _, row := range [][]string{{"tx_1", text, "1.00"}, {text, text, "1.00"}} {
			file := write(t, newWriter(t, nil), columns, row)
			for _, separator := range []byte(";\t,") {
				for _, cell := range sheet(file, separator) {
					require.False(t, isFormula(cell), "%q split at %q has the cell %q", file, separator, cell)
				}
			}
		}
	}
}

func TestNoRandomTextIsAFormulaAfterAnotherSeparator(t *testing.T) {
	t.Parallel()
	columns := []ports.Column{{Name: "id", Type: ports.ColumnText}, {Name: "reference", Type: ports.ColumnText}}
	rapid.Check(t, func(rt *rapid.T) {
		special := rapid.SampledFrom([]string{"=", "-", "＠", "\t", "\r", "\n", "\r\n", "'", `"`, ";", ",", " ", "a", "\xff"})
		text := rapid.Map(rapid.SliceOfN(special, 0, 8), func(s []string) string { return "x" + strings.Join(s, "") })
		file := write(rt, newWriter(rt, nil), columns, []string{"tx_1", text.Draw(rt, "one")}, []string{text.Draw(rt, "two"), text.Draw(rt, "three")})
		for _, separator := range []byte(";\t") {
			for _, cell := range sheet(file, separator) {
				require.False(rt, isFormula(cell), "%q split at %q has the cell %q", file, separator, cell)
			}
		}
	})
}
