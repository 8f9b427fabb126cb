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
	// Read reads a file back, best by what others read the format with: the
	// columns' names, nil for a format that has none, and the rows with a text for
	// each of columns. It fails the test on a file that cannot be read.
	Read func(tb testing.TB, file []byte, columns []ports.Column) (names []string, rows [][]string)
	// Reads returns what a text that is UTF-8 reads back as in a column, where the
	// format alters it on purpose. Nil: as it was written.
	Reads func(column ports.Column, text string) string
	// Except names checks that the writer cannot pass, each with the reason.
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
	{"format and content type are names", reportNames},
	{"a file without rows can be read", reportEmpty},
	{"rows read back as they were written, in their order", reportRows},
	{"a text of strangers stays a text", reportHostile},
	{"each spelling of a type is taken as it is", reportSpellings},
	{"a text that is not of its type is refused and leaves no trace", reportMistyped},
	{"a row of another length is refused and leaves no trace", reportLengths},
	{"the row and the columns are not kept", reportKeeps},
	{"two files at once are apart", reportTwo},
	{"a failure of the io.Writer is told", reportFails},
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
	k.Same(len(rows), len(want), "how many rows there are")
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

// refused checks a Write's error. That the text itself is not in it is a rule of
// the house: it may be a name or an account number.
func (k *reportKit) refused(err error, row []string, what string) {
	k.Code(err, errcodes.InvalidRequest, what)
	for _, text := range row {
		const telling = 4 // bytes that hardly stand in an error by chance
		if len(text) >= telling && strings.Contains(err.Error(), text) {
			k.Fatalf("%s: the error holds the text %s", what, kit.Short(text))
		}
	}
}
