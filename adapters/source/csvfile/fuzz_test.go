package csvfile_test

import (
	"encoding/csv"
	"math/big"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/source/csvfile"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const last = "LAST;7.77;KES;2026-11-20T07:07:07Z"

// FuzzLines checks that whatever the file, line numbers rise, each line is good or bad,
// and the last line is always read, unless there are other line ends than LF and CRLF. Where encoding/csv can read the file, both agree on
// every field; where a file has no quotes, every line agrees with a naive parser.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		"A;1;KES;2026-11-20T01:00:00Z\r\n\"B\";\"-1.50\";XOF;2026-11-20T01:00:00Z",
		"\"A;1;KES;2026-11-20T01:00:00Z\nB;1;KES;2026-11-20T01:00:00Z\n\"",
		"\"A\n\nB\";1;KES;x\n\"\"\"\";(1,5);usd;\n",
		"A;1;KES\n;;;\n\"\";\"\";\"\"\n\x00\n\xff",
		"\"A;\"\";\"\n\";1;KES;\"\"x",
		"a\n\"\n\"b\n\"\"\n\"\"\"",
		"A;1 CR;KES;2026-11-20T01:00:00Z\nB;2dr;KES;2026-11-20T01:00:00Z",
		"A;1;KES;2026-11-20T01:00:00Z\rB;1;KES;2026-11-20T01:00:00Z",
		"\"A\rB\";1;KES;2026-11-20T01:00:00Z\fC\n\u2028",
		";;;x\r\n\"B\";\"-d.50\";XOF;9026-11-20T01:00:00Z",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		got, err := read(t, open(t, head+body+"\n"+last, nil), always)
		if err != nil {
			require.Equal(t, errcodes.Unprocessable, errcodes.Of(err))
			require.True(t, strings.ContainsAny(strings.ReplaceAll(body, "\r\n", "\n"), "\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029"))
			return
		}
		require.NotEmpty(t, got)
		for i, l := range got {
			require.True(t, i == 0 || got[i-1].Line < l.Line, "the line numbers must rise")
			require.True(t, l.Bad != "" || l.Reference != "" && !l.At.IsZero() && l.Currency != "", "%+v", l)
		}
		end := got[len(got)-1]
		require.Equal(t, "LAST", end.Reference)
		require.Equal(t, int64(777), end.Amount)
		require.Empty(t, end.Bad)
		if !plain(body) {
			return
		}
		if !strings.Contains(body, `"`) {
			require.Equal(t, naive(body), got[:len(got)-1])
		}
		agree(t, body, got[:len(got)-1])
	})
}

// plain reports whether a body has nothing that makes a whole line bad.
func plain(body string) bool {
	return utf8.ValidString(body) && !strings.Contains(body, "\x00") && len(body) < csvfile.MaxLine &&
		strings.Count(body, "\n") < csvfile.MaxRecordLines-1
}

// agree compares the lines with those of encoding/csv if it accepts the body.
func agree(t *testing.T, body string, got []ports.SettlementLine) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(body))
	r.Comma, r.FieldsPerRecord = ';', 4
	records, err := r.ReadAll()
	if err != nil {
		return
	}
	var want []ports.SettlementLine
	for _, fields := range records {
		if l := settlement(fields); asked(l) {
			want = append(want, l)
		}
	}
	require.Len(t, got, len(want))
	for i := range want {
		want[i].Line = got[i].Line
		require.Equal(t, want[i], got[i])
	}
}

// asked reports whether the query asks for a line.
func asked(l ports.SettlementLine) bool {
	return l.At.IsZero() || !l.At.Before(always.From) && l.At.Before(always.Until)
}

// naive parses a body without quotes.
func naive(body string) []ports.SettlementLine {
	out := []ports.SettlementLine{}
	for i, text := range strings.Split(body, "\n") {
		text = strings.TrimSuffix(text, "\r")
		if strings.TrimSpace(text) == "" {
			continue
		}
		l := ports.SettlementLine{Bad: "not as many fields as the header"}
		if fields := strings.Split(text, ";"); len(fields) == 4 {
			l = settlement(fields)
		}
		l.Line = int64(i) + 2
		if asked(l) {
			out = append(out, l)
		}
	}
	return out
}

// settlement parses four fields in another way than the package: amounts are rationals.
func settlement(fields []string) ports.SettlementLine {
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	l := ports.SettlementLine{Reference: fields[0]}
	var bads []string
	hasAmount := false
	at, err := time.Parse(time.RFC3339, fields[3])
	if err != nil || at.IsZero() {
		bads = append(bads, "the time cannot be read")
	} else {
		l.At = at.UTC()
	}
	if l.Reference == "" {
		bads = append(bads, "no reference")
	}
	digits, known := ports.MinorDigits(strings.ToUpper(fields[2]))
	if !known {
		bads = append(bads, "the currency is missing or unknown")
	} else {
		l.Currency = strings.ToUpper(fields[2])
		var why string
		if l.Amount, why = rational(fields[1], digits); why != "" {
			bads = append(bads, why)
		}
		hasAmount = why == ""
	}
	if len(bads) > 0 {
		l.Bad, l.HasAmount = bads[0], hasAmount
	}
	return l
}

func rational(text string, digits int) (int64, string) {
	sign := int64(1)
	switch {
	case strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") && len(text) > 1:
		sign, text = -1, text[1:len(text)-1]
	case strings.HasPrefix(text, "-"):
		sign, text = -1, strings.TrimLeft(text[1:], " ")
	case strings.HasSuffix(text, "-"):
		sign, text = -1, strings.TrimRight(text[:len(text)-1], " ")
	case strings.HasPrefix(text, "\u2212"):
		sign, text = -1, strings.TrimLeft(strings.TrimPrefix(text, "\u2212"), " ")
	case strings.HasSuffix(text, "\u2212"):
		sign, text = -1, strings.TrimRight(strings.TrimSuffix(text, "\u2212"), " ")
	case strings.HasPrefix(text, "+"):
		text = text[1:]
	case len(text) > 1 && strings.EqualFold(text[len(text)-2:], "CR"):
		text = strings.TrimSpace(text[:len(text)-2])
	case len(text) > 1 && strings.EqualFold(text[len(text)-2:], "DR"):
		sign, text = -1, strings.TrimSpace(text[:len(text)-2])
	}
	if text == "" {
		return 0, "no amount"
	}
	r, ok := new(big.Rat).SetString(text)
	if strings.Trim(text, "0123456789.") != "" || strings.HasPrefix(text, ".") || strings.HasSuffix(text, ".") || !ok {
		return 0, "the amount is not a number"
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)))
	switch {
	case !r.IsInt():
		return 0, "the amount has more decimals than the currency"
	case !r.Num().IsInt64():
		return 0, "the amount is too large"
	default:
		return sign * r.Num().Int64(), ""
	}
}
