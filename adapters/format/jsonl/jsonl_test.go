package jsonl_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/format/jsonl"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/reporttest"
)

var full = flag.Bool("full", false, "also run what .ci/full runs")

func TestConforms(t *testing.T) {
	reporttest.ReportWriter(t, reporttest.WriterHarness{
		Memory: *full,
		Open:   func(testing.TB) ports.ReportWriter { return jsonl.New() },
		Read: func(tb testing.TB, file []byte, columns []ports.Column) ([]string, [][]string) {
			tb.Helper()
			return nil, parse(tb, string(file), columns)
		},
	})
}

// parse parses a file strictly with encoding/json: an unknown member and a value of
// another type fail the test.
func parse(tb require.TestingT, file string, columns []ports.Column) [][]string {
	var rows [][]string
	for line := range strings.Lines(file) {
		require.True(tb, strings.HasSuffix(line, "}\n"), "%q", line)
		members := map[string]json.RawMessage{}
		require.NoError(tb, json.Unmarshal([]byte(line), &members))
		row := make([]string, len(columns))
		for i, c := range columns {
			if raw, there := members[c.Name]; there {
				row[i] = value(tb, c, raw)
				require.NotEmpty(tb, row[i], "empty values are left out")
			}
			delete(members, c.Name)
		}
		require.Empty(tb, members)
		rows = append(rows, row)
	}
	return rows
}

func value(tb require.TestingT, c ports.Column, raw json.RawMessage) string {
	if c.Type == ports.ColumnInteger {
		var n json.Number
		require.NoError(tb, json.Unmarshal(raw, &n))
		require.NotContains(tb, string(raw), `"`)
		return n.String()
	}
	var text string
	require.NoError(tb, json.Unmarshal(raw, &text))
	return text
}

func write(tb require.TestingT, columns []ports.Column, rows ...[]string) string {
	var out bytes.Buffer
	w, err := jsonl.New().Begin(&out, columns)
	require.NoError(tb, err)
	for _, row := range rows {
		require.NoError(tb, w.Write(row))
	}
	require.NoError(tb, w.Close())
	return out.String()
}

func TestFileContent(t *testing.T) {
	t.Parallel()
	columns := []ports.Column{
		{Name: "id", Type: ports.ColumnText}, {Name: `the "net" amount`, Type: ports.ColumnMoney},
		{Name: "items", Type: ports.ColumnInteger}, {Name: "at", Type: ports.ColumnTime},
	}
	got := write(t, columns,
		[]string{"tx_1", "-12.50", "-3", "2026-11-20T15:00:00.000Z"},
		[]string{"", "", "", ""},
		[]string{"", "0.00", "", ""},
		[]string{"<b>&\"\\\n\r\t\b\x7f\u2028\xff\xfe</b>", "", "9223372036854775807", ""},
	)
	require.Equal(t, `{"id":"tx_1","the \"net\" amount":"-12.50","items":-3,"at":"2026-11-20T15:00:00.000Z"}`+"\n"+
		"{}\n"+
		`{"the \"net\" amount":"0.00"}`+"\n"+
		`{"id":"<b>&\"\\\n\r\t\u0008`+"\x7f\u2028\ufffd\ufffd"+`</b>","items":9223372036854775807}`+"\n", got)
}

func TestEncodingJSONReadsWhatWasWritten(t *testing.T) {
	t.Parallel()
	columns := []ports.Column{{Name: "a", Type: ports.ColumnText}, {Name: "b\x00\"", Type: ports.ColumnText}, {Name: "n", Type: ports.ColumnInteger}}
	special := rapid.SampledFrom([]string{`"`, `\`, "\n", "\r", "\x00", "\x1f", "\x7f", "\u2028", "\xff", "\xef\xbc", "😀", "a", "</script>"})
	text := rapid.OneOf(
		rapid.Map(rapid.SliceOfN(special, 0, 6), func(s []string) string { return strings.Join(s, "") }),
		rapid.String(),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 12), func(b []byte) string { return string(b) }),
	)
	rapid.Check(t, func(rt *rapid.T) {
		row := []string{text.Draw(rt, "a"), text.Draw(rt, "b"), rapid.StringMatching(`0|-?[1-9][0-9]{0,17}`).Draw(rt, "n")}
		want := []string{string([]rune(row[0])), string([]rune(row[1])), row[2]}
		require.Equal(rt, [][]string{want, want}, parse(rt, write(rt, columns, row, row), columns))
	})
}

func TestBeginRejectsInvalidColumns(t *testing.T) {
	t.Parallel()
	for name, columns := range map[string][]ports.Column{
		"no columns": nil,
		"no name":    {{Type: ports.ColumnText}},
		"twice":      {{Name: "a", Type: ports.ColumnText}, {Name: "a", Type: ports.ColumnText}},
		"no type":    {{Name: "a"}},
		"other type": {{Name: "a", Type: "float"}},
	} {
		_, err := jsonl.New().Begin(&bytes.Buffer{}, columns)
		require.ErrorIs(t, err, errcodes.InvalidRequest, name)
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{`"`, `\`, "\x00", "\u2028", "\xff", "\xed\xa0\x80", ""} {
		f.Add(seed)
	}
	columns := []ports.Column{{Name: "a", Type: ports.ColumnText}}
	f.Fuzz(func(t *testing.T, text string) {
		file := write(t, columns, []string{text})
		require.True(t, utf8.ValidString(file))
		require.Equal(t, [][]string{{string([]rune(text))}}, parse(t, file, columns))
	})
}
