package xlsx_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/corridor-go/corridor/adapters/format/xlsx"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

var textColumn = []ports.Column{{Name: "a", Type: ports.ColumnText}}

func sheetXML(tb testing.TB, file []byte, number int) string {
	tb.Helper()
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(tb, err)
	f, err := archive.Open(fmt.Sprintf("xl/worksheets/sheet%d.xml", number))
	require.NoError(tb, err)
	xml, err := io.ReadAll(f)
	require.NoError(tb, err)
	return string(xml)
}

func TestNumbersAreNumbersIfAFloatPreservesTheirDigits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		kind  ports.ColumnType
		text  string
		value string // in the file; "" means a text
	}{
		{"money", ports.ColumnMoney, "-12.50", "-12.5"},
		{"money without decimals", ports.ColumnMoney, "100", "100"},
		{"zero money", ports.ColumnMoney, "0.00", "0"},
		{"15 digits", ports.ColumnMoney, "9999999999999.99", "9999999999999.99"},
		{"15 decimals", ports.ColumnMoney, "0.000000000000001", "0.000000000000001"},
		{"16 digits", ports.ColumnMoney, "99999999999999.99", ""},
		{"16 decimals", ports.ColumnMoney, "0.0000000000000001", ""},
		{"minus zero", ports.ColumnMoney, "-0.00", ""},
		{"an integer", ports.ColumnInteger, "-3", "-3"},
		{"an integer that Excel would round", ports.ColumnInteger, "999999999999999", "999999999999999"},
		{"an integer of 16 digits", ports.ColumnInteger, "1000000000000000", ""},
		{"digits of a text", ports.ColumnText, "12.50", ""},
		{"a time", ports.ColumnTime, "2026-11-20T15:00:00.000Z", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := write(t, newWriter(t, nil), []ports.Column{{Name: "a", Type: c.kind}}, []string{c.text})
			cell := regexp.MustCompile(`<c r="A2".*?</c>`).FindString(sheetXML(t, file, 1))
			if c.value == "" {
				require.Equal(t, `<c r="A2" s="1" t="inlineStr"><is><t>`+c.text+`</t></is></c>`, cell)
			} else {
				require.Regexp(t, `^<c r="A2" s="\d+"><v>`+regexp.QuoteMeta(c.value)+`</v></c>$`, cell)
			}
			require.Equal(t, [][]string{{"a"}, {c.text}}, sheet(t, open(t, file), "report", 1), "the shown text")
		})
	}
}

func TestTextCellsHaveTheFormatText(t *testing.T) {
	t.Parallel()
	book := open(t, write(t, newWriter(t, nil), textColumn, []string{"=1+1"}))
	for _, cell := range []string{"A1", "A2"} {
		id, err := book.GetCellStyle("report", cell)
		require.NoError(t, err)
		style, err := book.GetStyle(id)
		require.NoError(t, err)
		require.Equal(t, 49, style.NumFmt, "an edit of %s would make it a formula", cell)
		formula, err := book.GetCellFormula("report", cell)
		require.NoError(t, err)
		require.Empty(t, formula)
	}
}

func TestAFullSheetIsFollowedByAnother(t *testing.T) {
	t.Parallel()
	columns := []ports.Column{{Name: "id", Type: ports.ColumnText}, {Name: "n", Type: ports.ColumnInteger}}
	for _, c := range []struct {
		rows   int
		sheets []string
	}{
		{0, []string{"report"}},
		{3, []string{"report"}},
		{4, []string{"report", "report 2"}},
		{6, []string{"report", "report 2"}},
		{7, []string{"report", "report 2", "report 3"}},
	} {
		var given [][]string
		want := [][]string{}
		for i := range c.rows {
			row := []string{"tx_" + strconv.Itoa(i), strconv.Itoa(i)}
			given, want = append(given, row), append(want, row)
		}
		file := write(t, newWriter(t, &xlsx.Config{SheetRows: 4}), columns, given...)
		require.Equal(t, c.sheets, open(t, file).GetSheetList())
		got := [][]string{}
		for _, name := range c.sheets {
			rows := sheet(t, open(t, file), name, 2)
			require.Equal(t, []string{"id", "n"}, rows[0], name)
			require.LessOrEqual(t, len(rows), 4, name)
			got = append(got, rows[1:]...)
		}
		require.Equal(t, want, got)
	}
}

func TestATextThatIsTooLongIsRejectedAndLeavesNoTrace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		fits       bool
	}{
		{"as long as a cell", strings.Repeat("x", xlsx.MaxText), true},
		{"one character too many", strings.Repeat("x", xlsx.MaxText+1), false},
		{"as long as a cell, in another script", strings.Repeat("é", xlsx.MaxText), true},
		{"one character too many, in another script", strings.Repeat("é", xlsx.MaxText+1), false},
		{"characters of two units", strings.Repeat("😀", xlsx.MaxText/2), true},
		{"one character of two units too many", strings.Repeat("😀", xlsx.MaxText/2+1), false},
		{"text that looks escaped counts twice", strings.Repeat("x", xlsx.MaxText-7) + "_x0041_", false},
		{"text that looks escaped", strings.Repeat("x", xlsx.MaxText-8) + "_x0041_", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			w, err := newWriter(t, nil).Begin(&out, textColumn)
			require.NoError(t, err)
			require.NoError(t, w.Write([]string{"before"}))
			err = w.Write([]string{c.text})
			want := [][]string{{"a"}, {"before"}, {"after"}}
			if c.fits {
				require.NoError(t, err)
				want = [][]string{{"a"}, {"before"}, {c.text}, {"after"}}
			} else {
				require.ErrorIs(t, err, errcodes.Unprocessable)
				require.NotContains(t, err.Error(), "xxx")
			}
			require.NoError(t, w.Write([]string{"after"}))
			require.NoError(t, w.Close())
			require.True(t, equal(want, sheet(t, open(t, out.Bytes()), "report", 1)), "the rows differ")
		})
	}
}

func equal(a, b [][]string) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

func TestBeginRejectsInvalidColumns(t *testing.T) {
	t.Parallel()
	many := make([]ports.Column, xlsx.MaxColumns+1)
	for i := range many {
		many[i] = ports.Column{Name: strconv.Itoa(i), Type: ports.ColumnText}
	}
	for _, c := range []struct {
		name    string
		columns []ports.Column
		want    errcodes.Code
	}{
		{"no columns", nil, errcodes.InvalidRequest},
		{"no name", []ports.Column{{Type: ports.ColumnText}}, errcodes.InvalidRequest},
		{"twice", []ports.Column{textColumn[0], textColumn[0]}, errcodes.InvalidRequest},
		{"no type", []ports.Column{{Name: "a"}}, errcodes.InvalidRequest},
		{"other type", []ports.Column{{Name: "a", Type: "float"}}, errcodes.InvalidRequest},
		{"too many", many, errcodes.Unprocessable},
		{"a long name", []ports.Column{{Name: strings.Repeat("x", xlsx.MaxText+1), Type: ports.ColumnText}}, errcodes.Unprocessable},
	} {
		_, err := newWriter(t, nil).Begin(&bytes.Buffer{}, c.columns)
		require.ErrorIs(t, err, c.want, c.name)
	}
	_, err := newWriter(t, nil).Begin(&bytes.Buffer{}, many[:xlsx.MaxColumns])
	require.NoError(t, err)
}

func TestSheetRowsOutOfRangeAreRejected(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{-1, 1, xlsx.MaxSheetRows + 1} {
		_, err := xlsx.New(&xlsx.Config{SheetRows: rows})
		require.ErrorIs(t, err, errcodes.Configuration, "%d", rows)
	}
}

// large writes a text that looks escaped, and more than excelize keeps in memory.
func large(tb testing.TB, c *xlsx.Config, out io.Writer) ports.RowWriter {
	tb.Helper()
	w, err := newWriter(tb, c).Begin(out, textColumn)
	require.NoError(tb, err)
	require.NoError(tb, w.Write([]string{"_x0041_"}))
	text := strings.Repeat("x", 30_000)
	for range excelize.StreamChunkSize/len(text) + 2 {
		require.NoError(tb, w.Write([]string{text}))
	}
	return w
}

type broken struct{}

var errBroken = errors.New("broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestTemporaryFilesAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	left := func() int {
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		return len(files)
	}
	var out bytes.Buffer
	w := large(t, &xlsx.Config{TempDir: dir}, &out)
	require.Equal(t, 1, left())
	require.NoError(t, w.Close())
	require.Zero(t, left(), "after Close")
	xml := sheetXML(t, out.Bytes(), 1)
	require.Equal(t, 1, strings.Count(xml, "<t>_x005F_x0041_</t>"), "the text that looks escaped")
	require.Equal(t, 2, strings.Count(xml, "_x"), "there is no other")
	w = large(t, &xlsx.Config{TempDir: dir}, broken{})
	require.Equal(t, errBroken, w.Close(), "the error is unchanged")
	require.Zero(t, left(), "after a Close that failed")
}

// A mark may be split between two pieces of a temporary file.
func TestMarksAreReplacedWhereverTheyAreSplit(t *testing.T) {
	t.Parallel()
	text, want := "a"+xlsx.Mark+xlsx.Mark+"é"+xlsx.Mark, "a_x005F__x005F_é_x005F_"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		w := xlsx.Unmarker(&out)
		for piece := range slices.Chunk([]byte(text), size) {
			n, err := w.Write(piece)
			require.NoError(t, err)
			require.Equal(t, len(piece), n)
		}
		require.Equal(t, want, out.String(), "in pieces of %d bytes", size)
	}
}

func TestANameThatLooksEscapedIsReadBack(t *testing.T) {
	t.Parallel()
	columns := []ports.Column{{Name: "_x0041_x0042_", Type: ports.ColumnText}}
	require.Equal(t, [][]string{{"_x0041_x0042_"}}, sheet(t, open(t, write(t, newWriter(t, nil), columns)), "report", 1))
}

func TestAFolderWithoutTemporaryFilesFailsAtBegin(t *testing.T) {
	t.Parallel()
	_, err := newWriter(t, &xlsx.Config{TempDir: filepath.Join(t.TempDir(), "none")}).Begin(io.Discard, textColumn)
	require.ErrorIs(t, err, errcodes.StorageUnavailable)
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"=1+1", "_x0041_x0042_", "_xD800_", "\r\n", " ", "\xff", "\U0010ffff", "<&>", ""} {
		f.Add(seed)
	}
	columns := []ports.Column{{Name: "a", Type: ports.ColumnText}, {Name: "b", Type: ports.ColumnText}}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > xlsx.MaxText/2 {
			return
		}
		file := write(t, newWriter(t, nil), columns, []string{text, "end"})
		require.Equal(t, [][]string{{"a", "b"}, {readable(text), "end"}}, sheet(t, open(t, file), "report", 2))
		require.NotContains(t, sheetXML(t, file, 1), "<f>")
	})
}

// Readers that stream, such as openpyxl's, stop at the dimension in a sheet, which is
// unknown before the last row.
func TestSheetsHaveNoDimension(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"1"}, {"2"}, {"3"}, {"4"}}
	file := write(t, newWriter(t, &xlsx.Config{SheetRows: 3}), textColumn, rows...)
	for number := range 2 {
		require.NotContains(t, sheetXML(t, file, number+1), "<dimension")
	}
}
