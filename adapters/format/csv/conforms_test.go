package csv_test

import (
	"bytes"
	encoding "encoding/csv"
	"flag"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/format/csv"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/reporttest"
)

var (
	full  = flag.Bool("full", false, "also run what .ci/full runs")
	cells = flag.Int("cells", 8_000, "how many random cells are written, none of which may be a formula")
)

func TestConforms(t *testing.T) {
	reporttest.ReportWriter(t, reporttest.WriterHarness{
		Memory: *full,
		Open:   func(tb testing.TB) ports.ReportWriter { return newWriter(tb, nil) },
		Read: func(tb testing.TB, file []byte, _ []ports.Column) ([]string, [][]string) {
			tb.Helper()
			lines := parse(tb, file)
			return lines[0], lines[1:]
		},
		Reads: func(c ports.Column, text string) string {
			if c.Type == ports.ColumnText {
				return guarded(text)
			}
			return text
		},
	})
}

func newWriter(tb require.TestingT, c *csv.Config) *csv.Writer {
	w, err := csv.New(c)
	require.NoError(tb, err)
	return w
}

func parse(tb require.TestingT, file []byte) [][]string {
	lines, err := encoding.NewReader(bytes.NewReader(file)).ReadAll()
	require.NoError(tb, err)
	return lines
}

// formulaStarts are the characters that start a formula in a spreadsheet, or that it
// skips first.
const formulaStarts = "=+-@\t\r\n\x00＝＋－＠"

// divided matches the places in a text at which some spreadsheet starts a cell with a
// formula.
var divided = regexp.MustCompile("([;\t\r\n])([\" ]*[-=+@\\x00＝＋－＠])")

func guarded(text string) string {
	text = divided.ReplaceAllString(text, "$1'$2")
	if text != "" && strings.ContainsRune(formulaStarts, []rune(text)[0]) {
		return "'" + text
	}
	return text
}

// read returns a text as encoding/csv reads it.
func read(text string) string {
	valid := string([]rune(text)) // a U+FFFD for each byte that is not UTF-8
	return strings.ReplaceAll(guarded(valid), "\r\n", "\n")
}

func write(tb require.TestingT, w *csv.Writer, columns []ports.Column, rows ...[]string) string {
	var out bytes.Buffer
	writer, err := w.Begin(&out, columns)
	require.NoError(tb, err)
	for _, row := range rows {
		require.NoError(tb, writer.Write(row))
	}
	require.NoError(tb, writer.Close())
	return out.String()
}

// hostileText draws texts with many characters that have a meaning in the format.
func hostileText() *rapid.Generator[string] {
	special := rapid.SampledFrom([]string{
		"=", "+", "-", "@", "\t", "\r", "\n", "\r\n", "\x00", "＝", "＋", "－", "＠", "\uff1c", "'", `"`, ",", ";", " ", `\.`, "\xff", "\xef", "\xef\xbc", "\ufeff", "a", "1",
	})
	parts := rapid.Map(rapid.SliceOfN(special, 0, 6), func(s []string) string { return strings.Join(s, "") })
	bytesOf := rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 12), func(b []byte) string { return string(b) })
	return rapid.OneOf(parts, rapid.String(), bytesOf)
}

func TestEncodingCSVReadsWhatWasWritten(t *testing.T) {
	t.Parallel()
	w := newWriter(t, nil)
	rapid.Check(t, func(rt *rapid.T) {
		width := rapid.IntRange(1, 4).Draw(rt, "width")
		columns := make([]ports.Column, width)
		for i := range columns {
			columns[i] = ports.Column{Name: string(rune('a' + i)), Type: ports.ColumnText}
		}
		rows := rapid.SliceOfN(rapid.SliceOfN(hostileText(), width, width), 0, 5).Draw(rt, "rows")
		var given [][]string
		want := [][]string{strings.Split("abcd", "")[:width]}
		for _, row := range rows {
			given = append(given, row)
			var line []string
			for _, text := range row {
				line = append(line, read(text))
			}
			want = append(want, line)
		}
		require.Equal(rt, want, parse(rt, []byte(write(rt, w, columns, given...))))
	})
}

// This is I23: no random cell is a formula, and no number is changed.
func TestNoRandomCellIsAFormula(t *testing.T) {
	t.Parallel()
	const texts = 8
	rows := *cells / texts
	columns := make([]ports.Column, texts+1)
	for i := range texts {
		columns[i] = ports.Column{Name: string(rune('a' + i)), Type: ports.ColumnText}
	}
	columns[texts] = ports.Column{Name: "amount", Type: ports.ColumnMoney}
	var out bytes.Buffer
	w, err := newWriter(t, nil).Begin(&out, columns)
	require.NoError(t, err)
	text := hostileText()
	for i := range rows {
		row := make([]string, texts+1)
		for j := range texts {
			row[j] = text.Example(i*texts + j)
		}
		row[texts] = "-12.50"
		require.NoError(t, w.Write(row))
	}
	require.NoError(t, w.Close())
	cells := 0
	reader := encoding.NewReader(&out)
	for {
		line, err := reader.Read()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if line[0] == "a" && cells == 0 {
			continue
		}
		for _, cell := range line[:texts] {
			cells++
			require.False(t, cell != "" && strings.ContainsRune(formulaStarts, []rune(cell)[0]), "%q", cell)
		}
		require.Equal(t, "-12.50", line[texts])
	}
	require.Equal(t, rows*texts, cells)
}
