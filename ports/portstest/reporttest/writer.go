package reporttest

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// WriterHarness opens report writers for the suite.
type WriterHarness struct {
	// Open returns the writer.
	Open func(tb testing.TB) ports.ReportWriter
	// Read reads a file back, preferably with another library for the format. It
	// returns the columns' names, or nil if the format has none, and the rows with
	// a text for each of columns. It fails the test if the file is unreadable.
	Read func(tb testing.TB, file []byte, columns []ports.Column) (names []string, rows [][]string)
	// Reads returns the text that Read returns for a valid UTF-8 text in a column,
	// if the format changes it on purpose. Nil means that the text is unchanged.
	Reads func(column ports.Column, text string) string
	// Memory makes the suite check that the memory in use does not grow with the rows.
	// This writes 135 MB, and tests that run at the same time falsify it.
	Memory bool
	// Except maps checks that the writer cannot pass to the reason.
	Except map[string]string
}

// ReportWriter checks a ports.ReportWriter.
func ReportWriter(t *testing.T, h WriterHarness) {
	t.Helper()
	kit.Run(t, h.Except, reportWriterChecks, func(t *testing.T) *reportKit {
		return &reportKit{Kit: kit.Kit{TB: t}, WriterHarness: h}
	})
}

type reportWriterCheck kit.Check[*reportKit]

var reportWriterChecks = []reportWriterCheck{
	{"Format and ContentType are valid", reportNames},
	{"a file without rows is readable", reportEmpty},
	{"rows are read back unchanged and in order", reportRows},
	{"a hostile text stays a text", reportHostile},
	{"each valid text of a type is written unchanged", reportSpellings},
	{"a text of another type is rejected and leaves no trace", reportMistyped},
	{"a row of another length is rejected and leaves no trace", reportLengths},
	{"rows and columns are not kept", reportKeeps},
	{"two files at the same time are independent", reportTwo},
	{"an error of the io.Writer is returned", reportFails},
	{"the io.Writer is not closed", reportCloses},
	{"memory does not grow with the rows", reportStreams},
}

type reportKit struct {
	kit.Kit
	WriterHarness
}

// reportColumns has a column of each type.
func reportColumns() []ports.Column {
	return []ports.Column{
		{Name: "id", Type: ports.ColumnText, Meaning: "the transaction's id"},
		{Name: "amount", Type: ports.ColumnMoney, Currency: "currency"},
		{Name: "currency", Type: ports.ColumnText},
		{Name: "items", Type: ports.ColumnInteger},
		{Name: "createdAt", Type: ports.ColumnTime},
	}
}

func (k *reportKit) begin(w io.Writer, columns []ports.Column) ports.RowWriter {
	return kit.Got(k.Open(k.TB).Begin(w, columns)).OK(k, "Begin")
}

func (k *reportKit) file(columns []ports.Column, rows ...[]string) []byte {
	var out bytes.Buffer
	w := k.begin(&out, columns)
	for _, row := range rows {
		k.OK(w.Write(row), "Write")
	}
	k.OK(w.Close(), "Close")
	return out.Bytes()
}

func (k *reportKit) reads(file []byte, columns []ports.Column, want ...[]string) {
	names, rows := k.Read(k.TB, file, columns)
	if names != nil {
		k.Same(names, columnNames(columns), "the columns' names")
	}
	k.Same(len(rows), len(want), "the number of rows")
	for i := range want {
		k.Same(rows[i], k.readsAs(columns, want[i]), "a row")
	}
}

func (k *reportKit) readsAs(columns []ports.Column, row []string) []string {
	out := slices.Clone(row)
	for i, c := range columns {
		if k.Reads != nil {
			out[i] = k.Reads(c, out[i])
		}
	}
	return out
}

func columnName(c ports.Column) string { return c.Name }

func columnNames(columns []ports.Column) []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

// rejected checks the error of a Write. It must not contain the text, which may be
// a name or an account number.
func (k *reportKit) rejected(err error, row []string, what string) {
	k.Code(err, errcodes.InvalidRequest, what)
	for _, text := range row {
		const telling = 4 // bytes that are unlikely in an error by chance
		if len(text) >= telling && strings.Contains(err.Error(), text) {
			k.Fatalf("%s: the error contains the text %s", what, kit.Short(text))
		}
	}
}
