package csvfile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/source/csvfile"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func TestAmounts(t *testing.T) {
	comma := func(c *csvfile.Config) { c.DecimalComma, c.Thousands = true, ". '" }
	point := func(c *csvfile.Config) { c.Thousands = "," }
	minor := func(c *csvfile.Config) { c.MinorUnits, c.Thousands = true, "," }
	for _, c := range []struct {
		name, text, currency string
		change               func(c *csvfile.Config)
		want                 int64
		bad                  string
	}{
		{"whole", "12", "KES", nil, 1200, ""},
		{"one decimal", "12.5", "KES", nil, 1250, ""},
		{"two decimals", "0.05", "KES", nil, 5, ""},
		{"three decimals", "1.005", "KWD", nil, 1005, ""},
		{"zeros behind", "12.5000", "KES", nil, 1250, ""},
		{"no minor unit, zeros behind", "12.00", "XOF", nil, 12, ""},
		{"nothing", "0", "KES", nil, 0, ""},
		{"blanks around", "  12.50 ", "KES", nil, 1250, ""},
		{"zeros in front", "0012", "KES", nil, 1200, ""},
		{"below zero", "-12.50", "KES", nil, -1250, ""},
		{"minus behind", "12.50-", "KES", nil, -1250, ""},
		{"typographic minus", "\u221212.50", "KES", nil, -1250, ""},
		{"parentheses", "(12.50)", "KES", nil, -1250, ""},
		{"plus", "+12.50", "KES", nil, 1250, ""},
		{"the largest", "92233720368547758.07", "KES", nil, 9223372036854775807, ""},
		{"the lowest", "-92233720368547758.07", "KES", nil, -9223372036854775807, ""},
		{"one more", "92233720368547758.08", "KES", nil, 0, "the amount is too large"},
		{"far more", strings.Repeat("9", 400), "KES", nil, 0, "the amount is too large"},
		{"too fine", "12.505", "KES", nil, 0, "the amount has more decimals than the currency"},
		{"too fine without a minor unit", "12.5", "XOF", nil, 0, "the amount has more decimals than the currency"},
		{"empty", "", "KES", nil, 0, "no amount"},
		{"a sign alone", "-", "KES", nil, 0, "no amount"},
		{"words", "twelve", "KES", nil, 0, "the amount is no number"},
		{"two signs", "--12", "KES", nil, 0, "the amount is no number"},
		{"a sign on each side", "-12-", "KES", nil, 0, "the amount is no number"},
		{"a sign within parentheses", "(-12)", "KES", nil, 0, "the amount is no number"},
		{"half a parenthesis", "(12", "KES", nil, 0, "the amount is no number"},
		{"an exponent", "1e3", "KES", nil, 0, "the amount is no number"},
		{"infinite", "Inf", "KES", nil, 0, "the amount is no number"},
		{"a point behind", "12.", "KES", nil, 0, "the amount is no number"},
		{"a point in front", ".5", "KES", nil, 0, "the amount is no number"},
		{"two points", "1.2.3", "KES", nil, 0, "the amount is no number"},
		{"other digits", "١٢", "KES", nil, 0, "the amount is no number"},
		{"a currency's sign", "$12", "KES", nil, 0, "the amount is no number"},
		{"a comma, which means nothing here", "1,250", "KES", nil, 0, "the amount is no number"},
		{"thousands", "1,234,567.89", "KES", point, 123456789, ""},
		{"thousands not used", "1234567.89", "KES", point, 123456789, ""},
		{"thousands that are none", "1,25", "KES", point, 0, "the amount is no number"},
		{"a first group too long", "1234,567", "KES", point, 0, "the amount is no number"},
		{"an empty group", ",123", "KES", point, 0, "the amount is no number"},
		{"groups of Indian numbers", "12,34,567", "KES", point, 0, "the amount is no number"},
		{"thousands among decimals", "1.234,567", "KES", point, 0, "the amount is no number"},
		{"decimal comma", "12,50", "KES", comma, 1250, ""},
		{"decimal comma and points", "1.234.567,89", "KES", comma, 123456789, ""},
		{"decimal comma and blanks", "1 234 567,89", "KES", comma, 123456789, ""},
		{"decimal comma and no-break blanks", "1\u00a0234\u202f567,89", "KES", comma, 123456789, ""},
		{"decimal comma and ticks", "1’234'567,89", "KES", comma, 123456789, ""},
		{"mixed separators", "1.234 567,89", "KES", comma, 0, "the amount is no number"},
		{"a point, which is for thousands here", "12.50", "KES", comma, 0, "the amount is no number"},
		{"minor units", "1250", "KES", minor, 1250, ""},
		{"minor units of thousands", "1,250", "KWD", minor, 1250, ""},
		{"minor units with decimals", "12.50", "KES", minor, 0, "the amount is no number"},
		{"minor units below zero", "-1250", "XOF", minor, -1250, ""},
		{"an unknown currency", "12", "ABC", nil, 0, "no currency that is known"},
		{"no currency", "12", "", nil, 0, "no currency that is known"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := lines(t, open(t, head+"R;"+c.text+";"+c.currency+";2026-11-20T01:00:00Z\n", c.change))
			require.Len(t, got, 1)
			require.Equal(t, c.bad, got[0].Bad)
			require.Equal(t, c.want, got[0].Amount)
			require.False(t, got[0].HasAmount, "a bad line's amount is the reason")
			require.Equal(t, "R", got[0].Reference, "what can be read is there")
			require.False(t, got[0].At.IsZero())
		})
	}
}

// An amount of a bad line is known or not, whatever else is wrong and said first.
func TestAmountsOfBadLines(t *testing.T) {
	for text, want := range map[string]bool{
		";0;KES;2026-11-20T01:00:00Z": true, ";12.50;KES;2026-11-20T01:00:00Z": true, "R;-1;KES;x": true, ";0.00;XOF;x": true,
		"R;;KES;2026-11-20T01:00:00Z": false, ";x;KES;2026-11-20T01:00:00Z": false, "R;;KES;x": false, "R;1.5;XOF;x": false,
		"R;99999999999999999999;KES;x": false, ";1;ABC;x": false, ";0;;x": false, "R;1;KES": false, "R;\"1;KES;x": false,
	} {
		got := lines(t, open(t, head+text+"\n", nil))
		require.Len(t, got, 1, text)
		require.NotEmpty(t, got[0].Bad, text)
		require.Equal(t, want, got[0].HasAmount, text)
	}
}

func TestSignColumns(t *testing.T) {
	text := func(amount, sign string) string {
		return "Reference;Amount;Currency;At;D/C\nR;" + amount + ";kes;2026-11-20T01:00:00Z;" + sign + "\n"
	}
	own := func(c *csvfile.Config) { c.Sign, c.Credit, c.Debit = "D/C", []string{"Haben"}, []string{"Soll"} }
	usual := func(c *csvfile.Config) { c.Sign = "D/C" }
	for _, c := range []struct {
		amount, sign string
		change       func(c *csvfile.Config)
		want         int64
		bad          string
	}{
		{"12", "Credit", usual, 1200, ""},
		{"12", " CR ", usual, 1200, ""},
		{"12", "debit", usual, -1200, ""},
		{"12", "D", usual, -1200, ""},
		{"12", "", usual, 0, "neither debit nor credit"},
		{"12", "Haben", usual, 0, "neither debit nor credit"},
		{"12", "haben", own, 1200, ""},
		{"12", "SOLL", own, -1200, ""},
		{"12", "debit", own, 0, "neither debit nor credit"},
		{"-12", "debit", usual, 0, "the amount has a sign beside that of its column"},
		{"+12", "credit", usual, 0, "the amount has a sign beside that of its column"},
		{"", "credit", usual, 0, "no amount"},
	} {
		got := lines(t, open(t, text(c.amount, c.sign), c.change))[0]
		require.Equal(t, c.bad, got.Bad, "%+v", c)
		require.Equal(t, c.want, got.Amount, "%+v", c)
		require.False(t, got.HasAmount, "%+v", c)
		require.Equal(t, "KES", got.Currency)
	}
}

func TestTimes(t *testing.T) {
	for _, c := range []struct {
		text, zone string
		layouts    []string
		want       string
	}{
		{"2026-11-20T15:00:00+03:00", "Africa/Nairobi", nil, "2026-11-20T12:00:00Z"},
		{"20.11.2026 15:00", "Africa/Nairobi", []string{"02.01.2006 15:04"}, "2026-11-20T12:00:00Z"},
		{"20.11.2026 15:00", "", []string{"02.01.2006 15:04"}, "2026-11-20T15:00:00Z"},
		{"2026-11-20", "Europe/Berlin", []string{time.RFC3339, time.DateOnly}, "2026-11-19T23:00:00Z"},
		{"31.02.2026 15:00", "", []string{"02.01.2006 15:04"}, ""},
		{"2026-11-20 15:00", "", nil, ""},
		{"0001-01-01T00:00:00Z", "", nil, ""},
		{"", "", nil, ""},
	} {
		got := lines(t, open(t, head+"R;1;KES;"+c.text+"\n", func(f *csvfile.Config) { f.Zone, f.TimeLayouts = c.zone, c.layouts }))
		require.Len(t, got, 1)
		if c.want == "" {
			require.Equal(t, ports.SettlementLine{Line: 2, Reference: "R", Amount: 100, Currency: "KES", Bad: "the time cannot be read", HasAmount: true}, got[0])
			continue
		}
		require.Equal(t, c.want, got[0].At.Format(time.RFC3339Nano), "%+v", c)
		require.Equal(t, time.UTC, got[0].At.Location())
	}
}

// brief writes a line as "number reference" or "number !why".
func brief(list []ports.SettlementLine) string {
	var out []string
	for _, l := range list {
		text := l.Reference
		if l.Bad != "" {
			text = "!" + l.Bad
		}
		out = append(out, fmt.Sprint(l.Line, " ", text))
	}
	return strings.Join(out, " | ")
}

func TestLinesAsFilesHaveThem(t *testing.T) {
	const rest = ";1;KES;2026-11-20T01:00:00Z"
	many := strings.Repeat("\n", csvfile.MaxRecordLines-1)
	for name, c := range map[string]struct {
		body, want string
		change     func(c *csvfile.Config)
	}{
		"ending in CRLF":             {"A" + rest + "\r\nB" + rest + "\r\n", "2 A | 3 B", nil},
		"the last without an end":    {"A" + rest + "\nB" + rest, "2 A | 3 B", nil},
		"none":                       {"", "", nil},
		"blank ones between":         {"\nA" + rest + "\n  \r\n\t\nB" + rest + "\n\n", "3 A | 6 B", nil},
		"a quoted field":             {`"A;B ""C"""` + rest + "\n", `2 A;B "C"`, nil},
		"all quoted":                 {`"A";"1";"KES";"2026-11-20T01:00:00Z"` + "\r\n", "2 A", nil},
		"a quote within a field":     {`A 5" B` + rest + "\nB" + rest, `2 A 5" B | 3 B`, nil},
		"a field of two lines":       {"\"A\r\nB\"" + rest + "\nC" + rest + "\n", "2 A\nB | 4 C", nil},
		"a field of all the lines":   {`"A` + many + `B"` + rest + "\nC" + rest, "2 A" + many + "B | 34 C", nil},
		"no reference":               {rest + "\nB" + rest, "2 !no reference | 3 B", nil},
		"too few fields":             {"A;1;KES\nB" + rest, "2 !not as many fields as the header | 3 B", nil},
		"too many fields":            {"A;1;000;KES;2026-11-20T01:00:00Z\nB" + rest, "2 !not as many fields as the header | 3 B", nil},
		"a NUL byte":                 {"A\x00" + rest + "\nB" + rest, "2 !a NUL byte | 3 B", nil},
		"another encoding":           {"\xc4" + rest + "\nÄ" + rest, "2 !not UTF-8 | 3 Ä", nil},
		"a quote not closed":         {`"A` + rest + "\nB" + rest + "\nC" + rest, "2 !a quote is not closed | 3 B | 4 C", nil},
		"a quote closed far away":    {`"A` + many + "\n" + `B"` + rest + "\nC" + rest, `2 !a quote is not closed | 34 B" | 35 C`, nil},
		"a quote closed by the next": {`"A` + rest + "\n\"B\"" + rest + "\nC" + rest, "2 !a quote is not closed | 3 B | 4 C", nil},
		"text behind a quote":        {`"A"B` + rest + "\nC" + rest, "2 !a quote is not closed | 3 C", nil},
		"two quotes not closed":      {`"A` + rest + "\n\"B" + rest + "\nC" + rest, "2 !a quote is not closed | 3 !a quote is not closed | 4 C", nil},
		"swallowed, other fields":    {`"A` + rest + "\nB;\";\"" + rest + "\nC" + rest, `2 !a quote is not closed | 3 !not as many fields as the header | 4 C`, nil},
		"a quote over a NUL":         {"\"A\n\x00B\"" + rest + "\nC" + rest, "2 !a quote is not closed | 3 !a NUL byte | 4 C", nil},
		"closed too early":           {"\"A\nB\";1\nx;KES;\"\nC" + rest, "2 !a quote is not closed | 3 !not as many fields as the header | 4 !a quote is not closed | 5 C", nil},
		"lines behind a closed one":  {"\"A\nB\";1\nx;KES;2026-11-20T01:00:00Z\"\nC" + rest, "2 !a quote is not closed | 3 !not as many fields as the header | 4 !not as many fields as the header | 5 C", nil},
		"a quote before a NUL":       {`"A` + rest + "\n\x00\nC" + rest + `"`, "2 !a quote is not closed | 3 !a NUL byte | 4 !the time cannot be read", nil},
		"a long line":                {strings.Repeat("A", csvfile.MaxLine) + rest + "\nB" + rest, "2 !longer than 1 MiB | 3 B", nil},
		"the longest line":           {strings.Repeat("A", csvfile.MaxLine-len(rest)) + rest + "\r\nB" + rest, "2 " + strings.Repeat("A", csvfile.MaxLine-len(rest)) + " | 3 B", nil},
		"one byte longer":            {strings.Repeat("A", csvfile.MaxLine-len(rest)+1) + rest + "\nB" + rest, "2 !longer than 1 MiB | 3 B", nil},
		"a quote before a long line": {`"A` + rest + "\n" + strings.Repeat("B", csvfile.MaxLine+9) + "\nC" + rest, "2 !a quote is not closed | 3 !longer than 1 MiB | 4 C", nil},
		"a long quoted field":        {`"` + strings.Repeat(strings.Repeat("A", 1<<18)+"\n", 5) + `"` + rest + "\nC" + rest, "2 !a quote is not closed | 3 !not as many fields as the header | 4 !not as many fields as the header | 5 !not as many fields as the header | 6 !not as many fields as the header | 7 !a quote is not closed | 8 C", nil},
		"a footer":                   {"A" + rest + "\nTotal;1\n# end\n", "2 A", func(c *csvfile.Config) { c.SkipPrefixes = []string{"Total", "#"} }},
		"tabs": {"A\t1\tKES\t2026-11-20T01:00:00Z\n", "2 A", func(c *csvfile.Config) {
			c.Delimiter, c.Reference, c.Amount, c.Currency, c.SettledAt = "\t", "#1", "#2", "#3", "#4"
			c.NoHeader, c.SkipLines = true, 1
		}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, brief(lines(t, open(t, head+c.body, c.change))))
		})
	}
}

func TestFilesWithoutAHeader(t *testing.T) {
	change := func(c *csvfile.Config) {
		c.NoHeader, c.Delimiter = true, "|"
		c.Reference, c.Amount, c.Currency, c.SettledAt = "#4", "#3", "#2", "#1"
	}
	for text, want := range map[string]string{
		"":                               "",
		"2026-11-20T01:00:00Z|KES|1|A\n": "1 A",
		"2026-11-20T01:00:00Z|KES|1|A|x|\n2026-11-20T01:00:00Z|KES|1|B\n": "1 A | 2 !not as many fields as the header",
		"report of today\n2026-11-20T01:00:00Z|KES|1|A\n":                 "1 !not as many fields as the header | 2 A",
		"\xef\xbb\xbf2026-11-20T01:00:00Z|KES|1|A\n":                      "1 A",
	} {
		require.Equal(t, want, brief(lines(t, open(t, text, change))), "%q", text)
	}
}

func TestHeaders(t *testing.T) {
	row := func(d string) string { return "A" + d + "1" + d + "KES" + d + "2026-11-20T01:00:00Z\n" }
	skip := func(c *csvfile.Config) { c.SkipLines = 2 }
	for name, c := range map[string]struct {
		text, want string
		change     func(c *csvfile.Config)
	}{
		"semicolons":            {"Reference;Amount;Currency;At\n" + row(";"), "2 A", nil},
		"commas":                {"Reference,Amount,Currency,At\n" + row(","), "2 A", nil},
		"tabs":                  {"Reference\tAmount\tCurrency\tAt\n" + row("\t"), "2 A", nil},
		"bars":                  {"Reference|Amount|Currency|At\n" + row("|"), "2 A", nil},
		"a delimiter in quotes": {"\"Reference\";Amount;Currency;At;\"a,b,c,d,e,f\"\nA;1;KES;2026-11-20T01:00:00Z;\n", "2 A", nil},
		"other order and case":  {"AT;currency; Reference ;AMOUNT\n2026-11-20T01:00:00Z;KES;A;1\n", "2 A", nil},
		"a comma in a name":     {"Reference;Amount;Currency;At;fee, net\nA;1;KES;2026-11-20T01:00:00Z;\n", "2 A", nil},
		"a mark in front":       {"\xef\xbb\xbfReference;Amount;Currency;At\n" + row(";"), "2 A", nil},
		"quoted behind a mark":  {"\xef\xbb\xbf\"Reference\";Amount;Currency;At\r\n" + row(";"), "2 A", nil},
		"lines in front":        {"Report\n\nReference;Amount;Currency;At\n" + row(";"), "4 A", skip},
		"blank lines in front":  {"\n\nReference;Amount;Currency;At\n" + row(";"), "4 A", nil},
		"a name of two lines":   {"Reference;Amount;Currency;At;\"a\nb\"\nA;1;KES;2026-11-20T01:00:00Z;\n", "3 A", nil},
		"by place":              {"a;b;c;d\n" + row(";"), "2 A", func(c *csvfile.Config) { c.Reference, c.Amount, c.Currency, c.SettledAt = "#1", "#2", "#3", "#4" }},
		"a fixed currency": {"Reference;Amount;At\nA;1;2026-11-20T01:00:00Z\n", "2 A", func(c *csvfile.Config) {
			c.Currency, c.FixedCurrency = "", "XOF"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, brief(lines(t, open(t, c.text, c.change))))
		})
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                                           "no header",
		"\n \n":                                      "no header",
		"Reference\n":                                "no delimiter",
		"Reference;Amount;At\n":                      `no column "Currency"`,
		"Reference;Amount;Currency;At;amount\n":      `the column "Amount" twice`,
		"Reference;\"Amount;Currency;At\nA;1\n":      "a quote is not closed",
		"Reference;Amount;Curr\xe9ncy;At\n":          "not UTF-8",
		"Reference;Amount;Currency;At;\x00\n":        "a NUL byte",
		"Reference;Amount;Currency;At\rA;1;KES;x\r":  "CR alone",
		strings.Repeat("x;", csvfile.MaxLine) + "\n": "longer than 1 MiB",
		"\xff\xfeR\x00e\x00":                         "UTF-16",
		"\xfe\xff\x00R\x00e":                         "UTF-16",
		"R\x00e\x00f\x00;\x00":                       "UTF-16",
		"\x00R\x00e\x00f":                            "UTF-16",
		"PK\x03\x04rest":                             "spreadsheet",
	} {
		got, err := read(t, open(t, text, nil), always)
		require.Empty(t, got)
		require.Equal(t, errcodes.Unprocessable, errcodes.Of(err), "%.40q: %v", text, err)
		require.Contains(t, errcodes.MessageOf(err), want)
	}
	_, err := read(t, open(t, "a;b;c\n", func(c *csvfile.Config) { c.Reference = "#4" }), always)
	require.ErrorContains(t, err, "no column #4")
}

func TestConfigurations(t *testing.T) {
	for name, change := range map[string]func(c *csvfile.Config){
		"no reference":             func(c *csvfile.Config) { c.Reference = "" },
		"no amount":                func(c *csvfile.Config) { c.Amount = "" },
		"no time":                  func(c *csvfile.Config) { c.SettledAt = "" },
		"no currency":              func(c *csvfile.Config) { c.Currency = "" },
		"two currencies":           func(c *csvfile.Config) { c.FixedCurrency = "KES" },
		"an unknown currency":      func(c *csvfile.Config) { c.Currency, c.FixedCurrency = "", "kes" },
		"no owner":                 func(c *csvfile.Config) { c.FixedOwner = "" },
		"two owners":               func(c *csvfile.Config) { c.Owner = "Owner" },
		"two merchants":            func(c *csvfile.Config) { c.Merchant, c.FixedMerchant = "Merchant", "m1" },
		"gold has no minor unit":   func(c *csvfile.Config) { c.Currency, c.FixedCurrency = "", "XAU" },
		"a delimiter of two":       func(c *csvfile.Config) { c.Delimiter = ";;" },
		"a delimiter of letters":   func(c *csvfile.Config) { c.Delimiter = "x" },
		"no header, no delimiter":  func(c *csvfile.Config) { c.NoHeader = true },
		"no header, but names":     func(c *csvfile.Config) { c.NoHeader, c.Delimiter = true, "," },
		"place 0":                  func(c *csvfile.Config) { c.Amount = "#0" },
		"place -1":                 func(c *csvfile.Config) { c.Amount = "#-1" },
		"a far place":              func(c *csvfile.Config) { c.Amount = "#10001" },
		"thousands as the point":   func(c *csvfile.Config) { c.Thousands = "." },
		"thousands as the comma":   func(c *csvfile.Config) { c.Thousands, c.DecimalComma = ",", true },
		"thousands of letters":     func(c *csvfile.Config) { c.Thousands = "x" },
		"words without a sign":     func(c *csvfile.Config) { c.Debit = []string{"D"} },
		"skips less than nothing":  func(c *csvfile.Config) { c.SkipLines = -1 },
		"skips too much":           func(c *csvfile.Config) { c.SkipLines = 1001 },
		"skips everything":         func(c *csvfile.Config) { c.SkipPrefixes = []string{"#", ""} },
		"skips more than one line": func(c *csvfile.Config) { c.SkipPrefixes = []string{"a\nb"} },
		"an unknown zone":          func(c *csvfile.Config) { c.Zone = "Mars/Olympus" },
	} {
		c := config()
		change(&c)
		_, err := csvfile.New("file.csv", c)
		require.Equal(t, errcodes.Configuration, errcodes.Of(err), name)
	}
	_, err := csvfile.New("", config())
	require.Equal(t, errcodes.Configuration, errcodes.Of(err))
}
