package csv_test

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/format/csv"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func TestFileContent(t *testing.T) {
	t.Parallel()
	columns := []ports.Column{
		{Name: "id", Type: ports.ColumnText}, {Name: "amount, net", Type: ports.ColumnMoney, Currency: "-currency"},
		{Name: "-currency", Type: ports.ColumnText}, {Name: "items", Type: ports.ColumnInteger}, {Name: "at", Type: ports.ColumnTime},
	}
	got := write(t, newWriter(t, nil), columns,
		[]string{"tx_1", "-12.50", "USD", "-3", "2026-11-20T15:00:00.000Z"},
		[]string{"", "", "", "", ""},
		[]string{`=HYPERLINK("x")`, "0.00", " a", "0", ""},
	)
	require.Equal(t, "id,\"amount, net\",'-currency,items,at\r\n"+
		"tx_1,-12.50,USD,-3,2026-11-20T15:00:00.000Z\r\n"+
		",,,,\r\n"+
		"\"'=HYPERLINK(\"\"x\"\")\",0.00,\" a\",0,\r\n", got)
}

func TestTexts(t *testing.T) {
	t.Parallel()
	columns := []ports.Column{{Name: "a", Type: ports.ColumnText}, {Name: "b", Type: ports.ColumnText}}
	for _, c := range []struct{ name, text, want string }{
		{"plain", "Ama Mensah", "Ama Mensah"},
		{"nothing", "", ""},
		{"a formula", "=1+1", "'=1+1"},
		{"a plus", "+1", "'+1"},
		{"a minus", "-1", "'-1"},
		{"an at", "@A1", "'@A1"},
		{"a tab in front", "\t=1", "\"'\t'=1\""},
		{"a CR in front", "\r=1", "\"'\r'=1\""},
		{"an LF in front", "\n=1", "\"'\n'=1\""},
		{"a NUL in front", "\x00=1", "'\x00=1"},
		{"full-width equals", "＝1", "'＝1"},
		{"full-width plus", "＋1", "'＋1"},
		{"full-width minus", "－1", "'－1"},
		{"full-width at", "＠1", "'＠1"},
		{"another full-width character", "＜1", "＜1"},
		{"an apostrophe is left alone", "'=1", "'=1"},
		{"a formula's sign inside", "1=1", "1=1"},
		{"a comma", "a,b", `"a,b"`},
		{"a semicolon", "a;b", `"a;b"`},
		{"a formula after a semicolon", "a;=1", `"a;'=1"`},
		{"a formula after spaces and quotes", `a; "=1`, `"a;' ""=1"`},
		{"a formula after two dividers", "a;\t=1", "\"a;\t'=1\""},
		{"a formula after a line break", "a\r\n=1", "\"a\r\n'=1\""},
		{"a full-width formula after an LF", "a\n＝1", "\"a\n'＝1\""},
		{"a tab", "a\tb", "\"a\tb\""},
		{"a quote", `a"b`, `"a""b"`},
		{"quotes only", `""`, `""""""`},
		{"a CR", "a\rb", "\"a\rb\""},
		{"an LF", "a\nb", "\"a\nb\""},
		{"a leading space", " a", `" a"`},
		{"a trailing space", "a ", `"a "`},
		{"a space inside", "a b", "a b"},
		{"the end of a COPY", `\.`, `"\."`},
		{"invalid UTF-8", "a\xff\xfeb", "a\ufffd\ufffdb"},
		{"half a character", "\xef\xbc", "\ufffd\ufffd"},
		{"invalid UTF-8 and a quote", "\xff\"", "\"\ufffd\"\"\""},
		{"another script", "café ᎣᏏᏲ", "café ᎣᏏᏲ"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, "a,b\r\nx,"+c.want+"\r\n", write(t, newWriter(t, nil), columns, []string{"x", c.text}))
		})
	}
}

func TestAnEmptyTextInTheOnlyColumnIsNotABlankLine(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a\r\n\"\"\r\n", write(t, newWriter(t, nil), []ports.Column{{Name: "a", Type: ports.ColumnMoney}}, []string{""}))
}

func TestTheByteOrderMarkIsOptional(t *testing.T) {
	t.Parallel()
	columns := []ports.Column{{Name: "a", Type: ports.ColumnText}}
	require.Equal(t, "a\r\n", write(t, newWriter(t, &csv.Config{}), columns))
	require.Equal(t, "\xef\xbb\xbfa\r\n", write(t, newWriter(t, &csv.Config{BOM: true}), columns))
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
		_, err := newWriter(t, nil).Begin(&bytes.Buffer{}, columns)
		require.ErrorIs(t, err, errcodes.InvalidRequest, name)
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"=1+1", "\r\n", `"`, "＝", "\xff", ",", " ", `\.`, "\xef\xbc\x9d", ""} {
		f.Add(seed, "x")
	}
	columns := []ports.Column{{Name: "a", Type: ports.ColumnText}, {Name: "b", Type: ports.ColumnText}}
	f.Fuzz(func(t *testing.T, a, b string) {
		file := write(t, newWriter(t, nil), columns, []string{a, b})
		require.True(t, utf8.ValidString(file))
		require.Equal(t, [][]string{{"a", "b"}, {read(a), read(b)}}, parse(t, []byte(file)))
	})
}
