package csvfile_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/source/csvfile"
	"github.com/corridor-go/corridor/errcodes"
)

// otherEnds are line ends besides LF and CRLF, with their names in the error.
var otherEnds = map[string]string{
	"\r": "CR", "\v": "VT", "\f": "FF", "\x1c": "FS", "\x1d": "GS", "\x1e": "RS",
	"\u0085": "NEL", "\u2028": "U+2028", "\u2029": "U+2029",
}

const (
	noteHead = "At,Reference,Amount,Currency,Note"
	row1     = "2026-11-20T01:00:00Z,R1,12.50,KES,note"
	row2     = "2026-11-20T02:00:00Z,R2,13.00,KES,note"
	row3     = "2026-11-20T03:00:00Z,R3,14.00,KES,note"
)

// Lines that end otherwise than in LF or CRLF must not vanish in the line before.
func TestFilesWithOtherLineEnds(t *testing.T) {
	skip := func(c *csvfile.Config) { headerless(c); c.SkipLines = 1 }
	totals := func(c *csvfile.Config) { headerless(c); c.SkipPrefixes = []string{"Total"} }
	for end, name := range otherEnds {
		for _, c := range []struct {
			name   string
			text   string
			change func(c *csvfile.Config)
		}{
			{"everywhere", row1 + end + row2 + end + row3 + end, headerless},
			{"everywhere, with a header", noteHead + end + row1 + end + row2 + end, nil},
			{"everywhere, after a byte order mark", "\xef\xbb\xbf" + row1 + end + row2 + end, headerless},
			{"but the header's", noteHead + "\n" + row1 + end + row2 + end + row3 + end, nil},
			{"only the header's", noteHead + end + row1 + "\n" + row2 + "\n", nil},
			{"one among LF", row1 + "\n" + row2 + end + row3 + "\n", headerless},
			{"one among CRLF", noteHead + "\r\n" + row1 + "\r\n" + row2 + end + row3 + "\r\n", nil},
			{"after a quoted field", row1 + "\n" + `2026-11-20T02:00:00Z,R2,13.00,KES,"note"` + end + row3 + "\n", headerless},
			{"after a quoted field of two lines", row1 + "\n" + "2026-11-20T02:00:00Z,R2,13.00,KES,\"a\nb\"" + end + row3 + "\n", headerless},
			{"after a field with a quote", row1 + "\n" + `2026-11-20T02:00:00Z,R2,13.00,KES,5" pipe` + end + row3 + "\n", headerless},
			{"after an open quote", row1 + "\n" + `2026-11-20T02:00:00Z,"R2,13.00,KES,` + end + row3 + "\n", headerless},
			{"in skipped lines", "Report" + end + row1 + end + row2 + "\n", skip},
			{"in a footer", row1 + "\nTotal,12.50" + end + row2 + "\n", totals},
			{"after a byte that is not UTF-8", row1 + "\n\xe9" + end + row2 + "\n", headerless},
			{"after a NUL byte", row1 + "\n\x00" + end + row2 + "\n", headerless},
			{"after a part of a line", row1 + "\nTotal" + end + row2 + "\n", headerless},
			{"between two parts of a line", row1 + "\n2026-11-20T01:00:00Z,R2" + end + "R3,13.00,KES,note\n", headerless},
			{"after the columns but one", row1 + "\n2026-11-20T02:00:00Z,R2,13.00" + end + row3 + "\n", headerless},
			{"after a line of 1 MiB", row1 + "\n" + strings.Repeat("x", csvfile.MaxLine+9) + end + row2 + "\n", headerless},
			{"in every part of a file", strings.Repeat(strings.Repeat("x", 64<<10-len(end))+end, 40), headerless},
			{"across the parts of a file", strings.Repeat("x", 30*64<<10-1) + end + row2 + "\n", headerless},
		} {
			t.Run(name+" "+c.name, func(t *testing.T) {
				named := c.change
				if named == nil {
					named = func(*csvfile.Config) {}
				}
				_, err := read(t, open(t, c.text, named), always)
				require.Equal(t, errcodes.Unprocessable, errcodes.Of(err), "%v", err)
				require.Contains(t, errcodes.MessageOf(err), "lines end in "+name)
			})
		}
	}
}

// What looks like a line end but separates no lines is read as before.
func TestLineEndsThatAreContent(t *testing.T) {
	for end, name := range otherEnds {
		for _, c := range []struct{ name, text, want string }{
			{"in a quoted field", row1 + "\n2026-11-20T02:00:00Z,R2,13.00,KES,\"a" + end + "b\"\n" + row3, "1 R1 | 2 R2 | 3 R3"},
			{"in the first line, in a quoted field", "2026-11-20T02:00:00Z,\"R" + end + "1\",13.00,KES,\n" + row3, "1 R" + end + "1 | 2 R3"},
			{"in a quoted field of two lines", "2026-11-20T02:00:00Z,R1,13.00,KES,\"a" + end + "b\nc" + end + "d\"\n" + row3, "1 R1 | 3 R3"},
			{"in blank lines", row1 + "\n" + row2 + "\n \t\n" + row3, "1 R1 | 2 R2 | 4 R3"},
		} {
			t.Run(name+" "+c.name, func(t *testing.T) {
				require.Equal(t, c.want, brief(lines(t, open(t, c.text, headerless))))
			})
		}
		if end == "\r" {
			continue // writers quote fields with CR, but not those with the others
		}
		t.Run(name+" in a field that is not quoted", func(t *testing.T) {
			text := noteHead + "\n" + row1 + "\n" + row2 + end + "x\n" + row3 + end + "\n"
			require.Equal(t, "2 R1 | 3 R2 | 4 R3", brief(lines(t, open(t, text, nil))))
		})
	}
	for name, text := range map[string]string{
		"CR at the end of the file":        row1 + "\r\n" + row2 + "\r",
		"U+2028 at the edge of a field":    row1 + "\n2026-11-20T02:00:00Z,R2\u2028,13.00,KES,note\n",
		"a page break in front of a line":  "\f" + row1 + "\n" + row2 + "\n",
		"a page break at the file's end":   row1 + "\n" + row2 + "\n\f",
		"LF and CRLF mixed":                row1 + "\n" + row2 + "\r\n",
		"CR in blank lines at the end":     row1 + "\n" + row2 + "\n\r\r\n\r",
		"LF and CRLF mixed, no end at all": row1 + "\r\n" + row2,
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, "1 R1 | 2 R2", brief(lines(t, open(t, text, headerless))))
		})
	}
}

// Whatever the rows and the line ends, every row comes back or the file is rejected. Files
// with LF and CRLF are never rejected.
func TestNoRowVanishes(t *testing.T) {
	ends := []string{"\n", "\r\n"}
	for end := range otherEnds {
		ends = append(ends, end)
	}
	note := rapid.SliceOfN(rapid.SampledFrom([]string{"a", " ", ",", `"`, "\n", "\r", "\r\n", "\v", "\u2028", "5", "ä"}), 0, 5)
	rapid.Check(t, func(t *rapid.T) {
		usual := rapid.Bool().Draw(t, "only LF and CRLF")
		drawEnd := rapid.SampledFrom(ends)
		if usual {
			drawEnd = rapid.SampledFrom(ends[:2])
		}
		header := rapid.Bool().Draw(t, "with a header")
		var text strings.Builder
		if rapid.Bool().Draw(t, "with a byte order mark") {
			text.WriteString("\xef\xbb\xbf")
		}
		if header {
			text.WriteString(noteHead + drawEnd.Draw(t, "the header's end"))
		}
		var want []string
		for i := range rapid.IntRange(1, 6).Draw(t, "rows") {
			if rapid.IntRange(0, 4).Draw(t, "part of a row") == 0 {
				want = append(want, "bad")
				text.WriteString("Total" + strings.Repeat(",5", rapid.IntRange(1, 2).Draw(t, "fields")) + drawEnd.Draw(t, "end"))
				continue
			}
			want = append(want, fmt.Sprint("R", i))
			fmt.Fprintf(&text, "2026-11-20T01:00:00Z,R%d,12.50,KES,%s", i, written4180(t, strings.Join(note.Draw(t, "note"), ""), usual))
			text.WriteString(drawEnd.Draw(t, "end"))
		}
		change := headerless
		if header {
			change = func(*csvfile.Config) {}
		}
		c := config()
		c.FS = inMemory("file.csv", text.String())
		change(&c)
		s, err := csvfile.New("file.csv", c)
		require.NoError(t, err)
		var got []string
		for l, err := range s.Lines(context.Background(), always) {
			if err != nil {
				require.False(t, usual, "%q: %v", text.String(), err)
				require.Equal(t, errcodes.Unprocessable, errcodes.Of(err))
				return
			}
			if l.Bad != "" {
				l.Reference = "bad"
			}
			got = append(got, l.Reference)
		}
		require.Equal(t, want, got, "%q", text.String())
	})
}

// written4180 writes a field as RFC 4180 demands. Fields with other line ends than CR and
// LF may remain without quotes, unless they all must be quoted.
func written4180(t *rapid.T, field string, all bool) string {
	must := ",\"\r\n"
	if all {
		must += "\v\u2028"
	}
	if strings.ContainsAny(field, must) || rapid.Bool().Draw(t, "quoted") {
		return `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
	}
	return field
}
