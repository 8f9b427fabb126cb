package xlsx_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/format/xlsx"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/reporttest"
)

var (
	full  = flag.Bool("full", false, "also run what .ci/full runs")
	cells = flag.Int("cells", 8_000, "how many random cells are written, none of which may be a formula")
)

func TestMain(m *testing.M) {
	// A check writes and reads a workbook; .ci/full makes more checks.
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestConforms(t *testing.T) {
	reporttest.ReportWriter(t, reporttest.WriterHarness{
		Memory: *full,
		Open:   func(tb testing.TB) ports.ReportWriter { return newWriter(tb, &xlsx.Config{TempDir: tb.TempDir()}) },
		Read: func(tb testing.TB, file []byte, columns []ports.Column) ([]string, [][]string) {
			tb.Helper()
			rows := sheet(tb, open(tb, file), "report", len(columns))
			return rows[0], rows[1:]
		},
	})
}

func newWriter(tb require.TestingT, c *xlsx.Config) *xlsx.Writer {
	w, err := xlsx.New(c)
	require.NoError(tb, err)
	return w
}

func write(tb require.TestingT, w *xlsx.Writer, columns []ports.Column, rows ...[]string) []byte {
	var out bytes.Buffer
	writer, err := w.Begin(&out, columns)
	require.NoError(tb, err)
	for _, row := range rows {
		require.NoError(tb, writer.Write(row))
	}
	require.NoError(tb, writer.Close())
	return out.Bytes()
}

func open(tb require.TestingT, file []byte) *excelize.File {
	book, err := excelize.OpenReader(bytes.NewReader(file))
	require.NoError(tb, err)
	return book
}

// sheet returns the cells of a sheet as a spreadsheet shows them.
func sheet(tb require.TestingT, book *excelize.File, name string, width int) [][]string {
	defer func() { require.NoError(tb, book.Close()) }()
	shown, err := book.Rows(name)
	require.NoError(tb, err)
	var rows [][]string
	for shown.Next() {
		cells, err := shown.Columns()
		require.NoError(tb, err)
		rows = append(rows, append(cells, make([]string, width-len(cells))...))
	}
	require.NoError(tb, shown.Close())
	return rows
}

// readable replaces the characters that XML cannot contain.
func readable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF || r == 0x10FFFF {
			return 0xFFFD
		}
		return r
	}, string([]rune(text)))
}

func hostileText() *rapid.Generator[string] {
	special := rapid.SampledFrom([]string{
		"=", "_", "x", "_x0041_", "0041_", "_x005F_", "_xD800_", "_xFFFF_", "_x", "D83D", "<", "&", "]]>", "\r", "\n", "\t", " ", "\x00", "\x1f", "\xff", "\ufffe", "\U0010ffff", "😀", "a",
	})
	return rapid.OneOf(
		rapid.Map(rapid.SliceOfN(special, 0, 10), func(s []string) string { return strings.Join(s, "") }),
		rapid.String(),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 12), func(b []byte) string { return string(b) }),
	)
}

func TestExcelizeReadsWhatWasWritten(t *testing.T) {
	t.Parallel()
	columns := []ports.Column{{Name: "a", Type: ports.ColumnText}, {Name: "m", Type: ports.ColumnMoney}, {Name: "n", Type: ports.ColumnInteger}}
	w := newWriter(t, nil)
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) []string {
			return []string{
				hostileText().Draw(rt, "a"),
				rapid.StringMatching(`-?(0|[1-9][0-9]{0,16})(\.[0-9]{1,4})?`).Draw(rt, "m"),
				rapid.StringMatching(`0|-?[1-9][0-9]{0,17}`).Draw(rt, "n"),
			}
		}), 1, 40).Draw(rt, "rows")
		want := [][]string{{"a", "m", "n"}}
		for _, row := range rows {
			want = append(want, []string{readable(row[0]), row[1], row[2]})
		}
		require.Equal(rt, want, sheet(rt, open(rt, write(rt, w, columns, rows...)), "report", len(columns)))
	})
}

// This is I23: no random cell is a formula.
func TestNoRandomCellIsAFormula(t *testing.T) {
	t.Parallel()
	const width = 8
	rows := *cells / width
	columns := make([]ports.Column, width)
	for i := range columns {
		columns[i] = ports.Column{Name: "=" + string(rune('a'+i)), Type: ports.ColumnText}
	}
	text := hostileText()
	given := make([][]string, rows)
	for i := range given {
		for j := range width {
			given[i] = append(given[i], "="[:(i+j)%2]+text.Example(i*width+j))
		}
	}
	xml := sheetXML(t, write(t, newWriter(t, nil), columns, given...), 1)
	require.NotContains(t, xml, "<f")
	require.Equal(t, strings.Count(xml, "<c "), strings.Count(xml, ` s="1" t="inlineStr"`), "all cells are texts")
	require.Greater(t, strings.Count(xml, "<c "), rows*width*8/10, "most cells have a text")
}
