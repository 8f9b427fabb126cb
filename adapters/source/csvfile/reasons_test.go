package csvfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/source/csvfile"
	"github.com/corridor-go/corridor/ports"
)

// Every reason is true of a file with a header and of one without. Without a header, no
// reason speaks of one.
func TestReasons(t *testing.T) {
	const first = "2026-11-20T01:00:00Z,FIRST,1,KES,note\n"
	for _, c := range []struct{ name, line, want, without string }{
		{"text after a closing quote", `2026-11-20T01:00:00Z,"R" ,1,KES,`, "text after a closing quote", ""},
		{"a field after a closing quote", `A,"B"C,1`, "text after a closing quote", ""},
		{"a quote that is not closed", `2026-11-20T01:00:00Z,"R,1,KES,`, "a quote is not closed", ""},
		{"a field too few", `2026-11-20T01:00:00Z,R,1,KES`, "not as many fields as the header", "not as many fields as the first line with all columns"},
		{"a field too many", `2026-11-20T01:00:00Z,R,1,000,KES,`, "not as many fields as the header", "not as many fields as the first line with all columns"},
		{"a NUL byte", "2026-11-20T01:00:00Z,R,1,KES,\x00", "a NUL byte", ""},
		{"Latin-1", "2026-11-20T01:00:00Z,R,1,KES,\xe9", "not UTF-8", ""},
		{"another time", "20.11.2026,R,1,KES,", "the time cannot be read", ""},
		{"no reference", "2026-11-20T01:00:00Z,,1,KES,", "no reference", ""},
		{"no currency", "2026-11-20T01:00:00Z,R,1,,", "the currency is missing or unknown", ""},
		{"no amount", "2026-11-20T01:00:00Z,R,,KES,", "no amount", ""},
		{"words", "2026-11-20T01:00:00Z,R,one,KES,", "the amount is not a number", ""},
		{"a fraction of a cent", "2026-11-20T01:00:00Z,R,.001,KES,", "the amount is not a number", ""},
		{"three decimals", "2026-11-20T01:00:00Z,R,0.001,KES,", "the amount has more decimals than the currency", ""},
		{"too large", "2026-11-20T01:00:00Z,R,99999999999999999999,KES,", "the amount is too large", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			reason := func(text string, change func(c *csvfile.Config)) ports.SettlementLine {
				got := lines(t, open(t, text+first+c.line+"\n", change))
				require.Len(t, got, 2)
				require.Empty(t, got[0].Bad)
				return got[1]
			}
			require.Equal(t, c.want, reason("At,Reference,Amount,Currency,Note\n", nil).Bad)
			if c.without == "" {
				c.without = c.want
			}
			without := reason("", headerless).Bad
			require.Equal(t, c.without, without)
			require.NotContains(t, without, "header")
		})
	}
}
