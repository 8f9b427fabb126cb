package reporttest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
	"github.com/corridor-go/corridor/ports/portstest/reporttest"
)

// reportFormat is a correct report writer: one JSON list per line, the names
// first. A flaw can replace each part.
type reportFormat struct {
	format, contentType string
	out                 func(w io.Writer) io.Writer
	columns             func(columns []ports.Column) []ports.Column
	check               func(columns []ports.Column, row []string) error
	line                func(row []string) []string
	flush               func(w io.Writer, line []byte) error
	kept                func(line []byte)
	write               func(w *reportRows, row []string) error
	close               func(w *reportRows) error
}

func newReportFormat() *reportFormat {
	return &reportFormat{
		format: "lists", contentType: "application/x-lists",
		out:     func(w io.Writer) io.Writer { return w },
		columns: slices.Clone[[]ports.Column],
		check:   checkReportRow,
		line:    func(row []string) []string { return row },
		flush: func(w io.Writer, line []byte) error {
			n, err := w.Write(line)
			if err == nil && n < len(line) {
				err = io.ErrShortWrite
			}
			return err
		},
		kept:  func([]byte) {},
		write: (*reportRows).put,
		close: func(*reportRows) error { return nil },
	}
}

type reportRows struct {
	*reportFormat

	to      io.Writer
	columns []ports.Column
}

func (f *reportFormat) Format() string      { return f.format }
func (f *reportFormat) ContentType() string { return f.contentType }

func (f *reportFormat) Begin(w io.Writer, columns []ports.Column) (ports.RowWriter, error) {
	r := &reportRows{f, f.out(w), f.columns(columns)}
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return r, r.add(names)
}

func (r *reportRows) Write(row []string) error { return r.write(r, row) }
func (r *reportRows) Close() error             { return r.close(r) }

func (r *reportRows) put(row []string) error {
	if err := r.check(r.columns, row); err != nil {
		return err
	}
	return r.add(r.line(row))
}

func (r *reportRows) add(texts []string) error {
	line, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	r.kept(line)
	return r.flush(r.to, append(line, '\n'))
}

var (
	moneyText   = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	integerText = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)
)

// checkReportRow checks a row in another way than the adapters do.
func checkReportRow(columns []ports.Column, row []string) error {
	if len(row) != len(columns) {
		return errcodes.New(errcodes.InvalidRequest, "")
	}
	for i, c := range columns {
		if row[i] != "" && !sound(c.Type, row[i]) {
			return errcodes.New(errcodes.InvalidRequest, "")
		}
	}
	return nil
}

func sound(t ports.ColumnType, text string) bool {
	switch t {
	case ports.ColumnText:
		return true
	case ports.ColumnMoney:
		return moneyText.MatchString(text)
	case ports.ColumnInteger:
		n, ok := new(big.Int).SetString(text, 10)
		return ok && n.IsInt64() && integerText.MatchString(text)
	case ports.ColumnTime:
		at, err := time.Parse(ports.TimeLayout, text)
		return err == nil && at.Format(ports.TimeLayout) == text
	default:
		return false
	}
}

var full = flag.Bool("full", false, "also run what .ci/full runs")

// memoryCheck writes 135 MB, so the gate leaves it out.
const memoryCheck = "memory does not grow with the rows"

func (f *reportFormat) harness() reporttest.WriterHarness {
	return reporttest.WriterHarness{
		Memory: *full,
		Open:   func(testing.TB) ports.ReportWriter { return f },
		Read: func(tb testing.TB, file []byte, _ []ports.Column) ([]string, [][]string) {
			tb.Helper()
			var rows [][]string
			for line := range bytes.Lines(file) {
				var row []string
				if err := json.Unmarshal(line, &row); err != nil {
					tb.Fatalf("unreadable: %v", err)
				}
				rows = append(rows, row)
			}
			return rows[0], rows[1:]
		},
	}
}

// alters changes each text of a row.
func alters(fn func(text string) string) func(f *reportFormat) {
	return func(f *reportFormat) {
		f.line = func(row []string) []string {
			var out []string
			for _, text := range row {
				out = append(out, fn(text))
			}
			return out
		}
	}
}

// misreads accepts some texts that are invalid for a type.
func misreads(t ports.ColumnType, lax func(text string) bool) func(f *reportFormat) {
	return func(f *reportFormat) {
		f.check = func(columns []ports.Column, row []string) error {
			cleared := slices.Clone(row)
			for i := range min(len(columns), len(row)) {
				if columns[i].Type == t && lax(row[i]) {
					cleared[i] = ""
				}
			}
			return checkReportRow(columns, cleared)
		}
	}
}

func parsesAs(layout string) func(text string) bool {
	return func(text string) bool {
		_, err := time.Parse(ports.TimeLayout, text)
		return err == nil
	}
}

const (
	emptyReport     = "a file without rows is readable"
	rowsReadBack    = "rows are read back unchanged and in order"
	staysText       = "a hostile text stays a text"
	spellings       = "each valid text of a type is written unchanged"
	mistypedRefused = "a text of another type is rejected and leaves no trace"
	lengthsRefused  = "a row of another length is rejected and leaves no trace"
	nothingKept     = "rows and columns are not kept"
	apart           = "two files at the same time are independent"
	failureReturned = "an error of the io.Writer is returned"
)

var reportFlaws = []struct {
	flaw, check string
	spoil       func(f *reportFormat)
}{
	{"writes its format as an extension with a dot", "Format and ContentType are valid", func(f *reportFormat) { f.format = ".lists" }},
	{"writes its format in capitals", "Format and ContentType are valid", func(f *reportFormat) { f.format = "CSV" }},
	{"has no media type", "Format and ContentType are valid", func(f *reportFormat) { f.contentType = "lists" }},
	{"writes the names with the first row", emptyReport, func(f *reportFormat) {
		f.flush = func(w io.Writer, line []byte) error {
			if bytes.Contains(line, []byte(`"id"`)) {
				_, err := w.Write([]byte("["))
				return err
			}
			_, err := w.Write(line)
			return err
		}
	}},
	{"alters a name that looks like a formula", emptyReport, func(f *reportFormat) {
		f.flush = func(w io.Writer, line []byte) error {
			_, err := w.Write(bytes.Replace(line, []byte("=1"), []byte("2"), 1))
			return err
		}
	}},
	{"drops rows without a value", rowsReadBack, func(f *reportFormat) {
		f.write = func(w *reportRows, row []string) error {
			if strings.Join(row, "") == "" {
				return nil
			}
			return w.put(row)
		}
	}},
	{"drops repeats", rowsReadBack, func(f *reportFormat) {
		seen := map[string]bool{}
		f.write = func(w *reportRows, row []string) error {
			key := strings.Join(row, "|")
			if seen[key] {
				return nil
			}
			seen[key] = true
			return w.put(row)
		}
	}},
	{"writes 0 for no value", rowsReadBack, alters(func(text string) string {
		if text == "" {
			return "0"
		}
		return text
	})},
	{"trims blanks", staysText, alters(strings.TrimSpace)},
	{"escapes markup", staysText, alters(func(text string) string { return strings.ReplaceAll(text, "<", "&lt;") })},
	{"decodes escapes that it did not write", staysText, alters(func(text string) string { return strings.ReplaceAll(text, "_x0041_", "A") })},
	{"escapes numbers as if they were formulas", rowsReadBack, alters(func(text string) string {
		if strings.HasPrefix(text, "-") {
			return "'" + text
		}
		return text
	})},
	{"converts money through a float", spellings, alters(func(text string) string {
		if n, err := strconv.ParseFloat(text, 64); err == nil && strings.Contains(text, ".") {
			return strconv.FormatFloat(n, 'f', -1, 64)
		}
		return text
	})},
	{"converts integers through a float", spellings, alters(func(text string) string {
		if n, err := strconv.ParseFloat(text, 64); err == nil && !strings.Contains(text, ".") {
			return strconv.FormatFloat(n, 'f', -1, 64)
		}
		return text
	})},
	{"rejects integers near the bounds", spellings, func(f *reportFormat) {
		f.check = func(columns []ports.Column, row []string) error {
			if len(row) == 2 && len(row[1]) == 20 && columns[1].Type == ports.ColumnInteger {
				return errcodes.New(errcodes.InvalidRequest, "")
			}
			return checkReportRow(columns, row)
		}
	}},
	{"accepts every integer that strconv accepts", mistypedRefused, misreads(ports.ColumnInteger, func(text string) bool {
		_, err := strconv.ParseInt(text, 10, 64)
		return err == nil
	})},
	{"accepts integers that are too large", mistypedRefused, misreads(ports.ColumnInteger, integerText.MatchString)},
	{"accepts every number that strconv accepts as money", mistypedRefused, misreads(ports.ColumnMoney, func(text string) bool {
		_, err := strconv.ParseFloat(text, 64)
		return err == nil
	})},
	{"accepts a formula as money", mistypedRefused, misreads(ports.ColumnMoney, func(text string) bool { return text[:min(1, len(text))] == "=" })},
	{"accepts any RFC 3339 time", mistypedRefused, misreads(ports.ColumnTime, parsesAs(time.RFC3339))},
	{"accepts every time that time.Parse accepts", mistypedRefused, misreads(ports.ColumnTime, parsesAs(ports.TimeLayout))},
	{"accepts days that no month has", mistypedRefused, misreads(ports.ColumnTime, regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`).MatchString)},
	{"returns another code", mistypedRefused, func(f *reportFormat) {
		f.check = func(columns []ports.Column, row []string) error {
			if checkReportRow(columns, row) != nil {
				return errcodes.New(errcodes.Unprocessable, "")
			}
			return nil
		}
	}},
	{"puts the text into the error", mistypedRefused, func(f *reportFormat) {
		f.check = func(columns []ports.Column, row []string) error {
			if checkReportRow(columns, row) != nil {
				return errcodes.New(errcodes.InvalidRequest, strings.Join(row, ", "))
			}
			return nil
		}
	}},
	{"writes the row that it rejects", mistypedRefused, func(f *reportFormat) {
		f.write = func(w *reportRows, row []string) error { return errors.Join(w.add(row), w.put(row)) }
	}},
	{"accepts short rows", lengthsRefused, func(f *reportFormat) {
		f.check = func(columns []ports.Column, row []string) error {
			return checkReportRow(columns[:min(len(row), len(columns))], row)
		}
	}},
	{"cuts long rows", lengthsRefused, func(f *reportFormat) {
		f.write = func(w *reportRows, row []string) error { return w.put(row[:min(len(row), len(w.columns))]) }
	}},
	{"stops at the first invalid row", lengthsRefused, func(f *reportFormat) {
		bad := false
		f.check = func(columns []ports.Column, row []string) error {
			err := checkReportRow(columns, row)
			if bad = bad || err != nil; bad {
				return errcodes.New(errcodes.InvalidRequest, "")
			}
			return nil
		}
	}},
	{"keeps the row until Close", nothingKept, keepsRows},
	{"keeps the columns", nothingKept, func(f *reportFormat) {
		f.columns = func(columns []ports.Column) []ports.Column { return columns }
	}},
	{"has only one file", apart, func(f *reportFormat) {
		var first io.Writer
		f.out = func(w io.Writer) io.Writer {
			if first == nil {
				first = w
			}
			return first
		}
	}},
	{"ignores failures", failureReturned, func(f *reportFormat) {
		f.flush = func(w io.Writer, line []byte) error {
			_, _ = w.Write(line)
			return nil
		}
	}},
	{"ignores short writes", failureReturned, func(f *reportFormat) {
		f.flush = func(w io.Writer, line []byte) error {
			_, err := w.Write(line)
			return err
		}
	}},
	{"hides the error", failureReturned, func(f *reportFormat) {
		f.flush = func(w io.Writer, line []byte) error {
			if n, err := w.Write(line); err != nil || n < len(line) {
				return errcodes.New(errcodes.StorageUnavailable, "")
			}
			return nil
		}
	}},
	{"closes the io.Writer", "the io.Writer is not closed", func(f *reportFormat) {
		f.close = func(w *reportRows) error {
			if c, ok := w.to.(io.Closer); ok {
				return c.Close()
			}
			return nil
		}
	}},
	{"keeps the file in memory", memoryCheck, func(f *reportFormat) {
		var all [][]byte
		f.kept = func(line []byte) { all = append(all, bytes.Clone(line)) }
		f.close = func(*reportRows) error {
			all = nil
			return nil
		}
	}},
}

func keepsRows(f *reportFormat) {
	var rows [][]string
	f.write = func(w *reportRows, row []string) error {
		if err := f.check(w.columns, row); err != nil {
			return err
		}
		rows = append(rows, row)
		return nil
	}
	f.close = func(w *reportRows) error {
		for _, row := range rows {
			if err := w.add(row); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestACorrectReportWriterPassesEveryCheck(t *testing.T) {
	reporttest.ReportWriter(t, newReportFormat().harness())
	for _, check := range reporttest.ReportWriterCheckNames() {
		r := broken.Record(t, func(tb testing.TB) { reporttest.RunReportWriterCheck(tb, check, newReportFormat().harness()) })
		if r.Failed() || r.Skipped() != (check == memoryCheck && !*full) {
			t.Errorf("%s: failed %t, skipped %t\n%s", check, r.Failed(), r.Skipped(), r.Text())
		}
	}
}

func TestEveryFlawOfAReportWriterIsCaught(t *testing.T) {
	for _, s := range reportFlaws {
		t.Run(s.flaw, func(t *testing.T) {
			if s.check == memoryCheck && !*full {
				t.Skip("only .ci/full measures memory")
			}
			r := broken.Record(t, func(tb testing.TB) {
				flawed := newReportFormat()
				s.spoil(flawed)
				reporttest.RunReportWriterCheck(tb, s.check, flawed.harness())
			})
			if !r.Failed() {
				t.Errorf("the check %q did not catch it", s.check)
			}
		})
	}
}

func TestEveryCheckOfAReportWriterHasAFlaw(t *testing.T) {
	for _, check := range reporttest.ReportWriterCheckNames() {
		if !slices.ContainsFunc(reportFlaws, func(s struct {
			flaw, check string
			spoil       func(f *reportFormat)
		}) bool {
			return s.check == check
		}) {
			t.Errorf("no flaw shows that the check %q can fail", check)
		}
	}
}
