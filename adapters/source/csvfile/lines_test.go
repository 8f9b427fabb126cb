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
		{"trailing zeros", "12.5000", "KES", nil, 1250, ""},
		{"no minor unit, trailing zeros", "12.00", "XOF", nil, 12, ""},
		{"nothing", "0", "KES", nil, 0, ""},
		{"surrounding spaces", "  12.50 ", "KES", nil, 1250, ""},
		{"leading zeros", "0012", "KES", nil, 1200, ""},
		{"negative", "-12.50", "KES", nil, -1250, ""},
		{"trailing minus", "12.50-", "KES", nil, -1250, ""},
		{"typographic minus", "\u221212.50", "KES", nil, -1250, ""},
		{"parentheses", "(12.50)", "KES", nil, -1250, ""},
		{"DR", "12.50 DR", "KES", nil, -1250, ""},
		{"Dr without a space", "12.50Dr", "KES", nil, -1250, ""},
		{"CR", "1,250.00 Cr", "KES", point, 125000, ""},
		{"a minus and DR", "-12.50 DR", "KES", nil, 0, "the amount is not a number"},
		{"DR in front", "DR 12.50", "KES", nil, 0, "the amount is not a number"},
		{"only CR", "CR", "KES", nil, 0, "no amount"},
		{"plus", "+12.50", "KES", nil, 1250, ""},
		{"the largest", "92233720368547758.07", "KES", nil, 9223372036854775807, ""},
		{"the smallest", "-92233720368547758.07", "KES", nil, -9223372036854775807, ""},
		{"one above the largest", "92233720368547758.08", "KES", nil, 0, "the amount is too large"},
		{"far too large", strings.Repeat("9", 400), "KES", nil, 0, "the amount is too large"},
		{"too many decimals", "12.505", "KES", nil, 0, "the amount has more decimals than the currency"},
		{"decimals without a minor unit", "12.5", "XOF", nil, 0, "the amount has more decimals than the currency"},
		{"empty", "", "KES", nil, 0, "no amount"},
		{"only a sign", "-", "KES", nil, 0, "no amount"},
		{"words", "twelve", "KES", nil, 0, "the amount is not a number"},
		{"two signs", "--12", "KES", nil, 0, "the amount is not a number"},
		{"a sign on each side", "-12-", "KES", nil, 0, "the amount is not a number"},
		{"a sign in parentheses", "(-12)", "KES", nil, 0, "the amount is not a number"},
		{"half a parenthesis", "(12", "KES", nil, 0, "the amount is not a number"},
		{"an exponent", "1e3", "KES", nil, 0, "the amount is not a number"},
		{"infinity", "Inf", "KES", nil, 0, "the amount is not a number"},
		{"a trailing point", "12.", "KES", nil, 0, "the amount is not a number"},
		{"a leading point", ".5", "KES", nil, 0, "the amount is not a number"},
		{"two points", "1.2.3", "KES", nil, 0, "the amount is not a number"},
		{"other digits", "١٢", "KES", nil, 0, "the amount is not a number"},
		{"a currency sign", "$12", "KES", nil, 0, "the amount is not a number"},
		{"a comma that is not configured", "1,250", "KES", nil, 0, "the amount is not a number"},
		{"thousands", "1,234,567.89", "KES", point, 123456789, ""},
		{"thousands without separators", "1234567.89", "KES", point, 123456789, ""},
		{"a group that is too short", "1,25", "KES", point, 0, "the amount is not a number"},
		{"a first group too long", "1234,567", "KES", point, 0, "the amount is not a number"},
		{"an empty group", ",123", "KES", point, 0, "the amount is not a number"},
		{"groups of Indian numbers", "12,34,567", "KES", point, 0, "the amount is not a number"},
		{"separators among decimals", "1.234,567", "KES", point, 0, "the amount is not a number"},
		{"decimal comma", "12,50", "KES", comma, 1250, ""},
		{"decimal comma and points", "1.234.567,89", "KES", comma, 123456789, ""},
		{"decimal comma and spaces", "1 234 567,89", "KES", comma, 123456789, ""},
		{"decimal comma and no-break spaces", "1\u00a0234\u202f567,89", "KES", comma, 123456789, ""},
		{"decimal comma and apostrophes", "1’234'567,89", "KES", comma, 123456789, ""},
		{"mixed separators", "1.234 567,89", "KES", comma, 0, "the amount is not a number"},
		{"a point that separates thousands", "12.50", "KES", comma, 0, "the amount is not a number"},
		{"minor units", "1250", "KES", minor, 1250, ""},
		{"minor units of thousands", "1,250", "KWD", minor, 1250, ""},
		{"minor units with decimals", "12.50", "KES", minor, 0, "the amount is not a number"},
		{"negative minor units", "-1250", "XOF", minor, -1250, ""},
		{"an unknown currency", "12", "ABC", nil, 0, "the currency is missing or unknown"},
		{"no currency", "12", "", nil, 0, "the currency is missing or unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := lines(t, open(t, head+"R;"+c.text+";"+c.currency+";2026-11-20T01:00:00Z\n", c.change))
			require.Len(t, got, 1)
			require.Equal(t, c.bad, got[0].Bad)
			require.Equal(t, c.want, got[0].Amount)
			require.False(t, got[0].HasAmount, "the amount is the reason why the line is bad")
			require.Equal(t, "R", got[0].Reference, "a bad line has what could be read")
			require.False(t, got[0].At.IsZero())
		})
	}
}

// The amount of a bad line may be known even if another reason comes first.
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
		{"-12", "debit", usual, 0, "the amount has a sign although there is a sign column"},
		{"+12", "credit", usual, 0, "the amount has a sign although there is a sign column"},
		{"12 CR", "credit", usual, 0, "the amount has a sign although there is a sign column"},
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

// brief returns lines as "number reference" or "number !why".
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

func TestLines(t *testing.T) {
	const rest = ";1;KES;2026-11-20T01:00:00Z"
	many := strings.Repeat("\n", csvfile.MaxRecordLines-1)
	totals := func(c *csvfile.Config) { c.SkipPrefixes = []string{"Total", "#"} }
	for name, c := range map[string]struct {
		body, want string
		change     func(c *csvfile.Config)
	}{
		"ending in CRLF":                   {"A" + rest + "\r\nB" + rest + "\r\n", "2 A | 3 B", nil},
		"no line break at the end":         {"A" + rest + "\nB" + rest, "2 A | 3 B", nil},
		"no lines":                         {"", "", nil},
		"blank lines":                      {"\nA" + rest + "\n  \r\n\t\nB" + rest + "\n\n", "3 A | 6 B", nil},
		"a quoted field":                   {`"A;B ""C"""` + rest + "\n", `2 A;B "C"`, nil},
		"all quoted":                       {`"A";"1";"KES";"2026-11-20T01:00:00Z"` + "\r\n", "2 A", nil},
		"a quote in a field":               {`A 5" B` + rest + "\nB" + rest, `2 A 5" B | 3 B`, nil},
		"a field of two lines":             {"\"A\r\nB\"" + rest + "\nC" + rest + "\n", "2 A\nB | 4 C", nil},
		"a field of the most lines":        {`"A` + many + `B"` + rest + "\nC" + rest, "2 A" + many + "B | 34 C", nil},
		"no reference":                     {rest + "\nB" + rest, "2 !no reference | 3 B", nil},
		"too few fields":                   {"A;1;KES\nB" + rest, "2 !not as many fields as the header | 3 B", nil},
		"too many fields":                  {"A;1;000;KES;2026-11-20T01:00:00Z\nB" + rest, "2 !not as many fields as the header | 3 B", nil},
		"a NUL byte":                       {"A\x00" + rest + "\nB" + rest, "2 !a NUL byte | 3 B", nil},
		"another encoding":                 {"\xc4" + rest + "\nÄ" + rest, "2 !not UTF-8 | 3 Ä", nil},
		"a quote not closed":               {`"A` + rest + "\nB" + rest + "\nC" + rest, "2 !a quote is not closed | 3 B | 4 C", nil},
		"a quote closed far away":          {`"A` + many + "\n" + `B"` + rest + "\nC" + rest, `2 !a quote is not closed | 34 B" | 35 C`, nil},
		"a quote closed by the next quote": {`"A` + rest + "\n\"B\"" + rest + "\nC" + rest, "2 !a quote is not closed | 3 B | 4 C", nil},
		"text after a quote":               {`"A"B` + rest + "\nC" + rest, "2 !text after a closing quote | 3 C", nil},
		"two quotes not closed":            {`"A` + rest + "\n\"B" + rest + "\nC" + rest, "2 !a quote is not closed | 3 !a quote is not closed | 4 C", nil},
		"a quoted line, other fields":      {`"A` + rest + "\nB;\";\"" + rest + "\nC" + rest, `2 !a quote is not closed | 3 !not as many fields as the header | 4 C`, nil},
		"a quote over a NUL":               {"\"A\n\x00B\"" + rest + "\nC" + rest, "2 !a quote is not closed | 3 !a NUL byte | 4 C", nil},
		"a quote closed too early":         {"\"A\nB\";1\nx;KES;\"\nC" + rest, "2 !a quote is not closed | 3 !not as many fields as the header | 4 !a quote is not closed | 5 C", nil},
		"lines after a closed quote":       {"\"A\nB\";1\nx;KES;2026-11-20T01:00:00Z\"\nC" + rest, "2 !a quote is not closed | 3 !not as many fields as the header | 4 !not as many fields as the header | 5 C", nil},
		"a quote before a NUL":             {`"A` + rest + "\n\x00\nC" + rest + `"`, "2 !a quote is not closed | 3 !a NUL byte | 4 !the time cannot be read", nil},
		"a long line":                      {strings.Repeat("A", csvfile.MaxLine) + rest + "\nB" + rest, "2 !longer than 1 MiB | 3 B", nil},
		"the longest line":                 {strings.Repeat("A", csvfile.MaxLine-len(rest)) + rest + "\r\nB" + rest, "2 " + strings.Repeat("A", csvfile.MaxLine-len(rest)) + " | 3 B", nil},
		"one byte longer":                  {strings.Repeat("A", csvfile.MaxLine-len(rest)+1) + rest + "\nB" + rest, "2 !longer than 1 MiB | 3 B", nil},
		"a quote before a long line":       {`"A` + rest + "\n" + strings.Repeat("B", csvfile.MaxLine+9) + "\nC" + rest, "2 !a quote is not closed | 3 !longer than 1 MiB | 4 C", nil},
		"a long quoted field":              {`"` + strings.Repeat(strings.Repeat("A", 1<<18)+"\n", 5) + `"` + rest + "\nC" + rest, "2 !a quote is not closed | 3 !not as many fields as the header | 4 !not as many fields as the header | 5 !not as many fields as the header | 6 !not as many fields as the header | 7 !a quote is not closed | 8 C", nil},
		"a footer":                         {"A" + rest + "\nTotal;1\n# end\n", "2 A", totals},
		"a quoted footer":                  {"A" + rest + "\n\"Total\";1\n\"Total for \"\"shop\"\"\";1;KES;\nB" + rest, "2 A | 5 B", totals},
		"a footer of two lines":            {"A" + rest + "\n\"Total\nand fees\";1;KES;\nB" + rest, "2 A | 4 !the time cannot be read | 5 B", totals},
		"a footer whose quote stays open":  {"\"Total;1\nA" + rest + "\nB" + rest, "3 A | 4 B", totals},
		"Total in another cell":            {"A Total" + rest + "\n" + `"A ""Total"""` + rest, `2 A Total | 3 A "Total"`, totals},
		"Total in a line of a cell":        {"\"A\nTotal\"" + rest + "\nB" + rest, "2 A\nTotal | 4 B", totals},
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
		"2026-11-20T01:00:00Z|KES|1|A|x|\n2026-11-20T01:00:00Z|KES|1|B\n": "1 A | 2 !not as many fields as the first line with all columns",
		"report of today\n2026-11-20T01:00:00Z|KES|1|A\n":                 "1 !too few fields for the configured columns | 2 A",
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
		"semicolons":                   {"Reference;Amount;Currency;At\n" + row(";"), "2 A", nil},
		"commas":                       {"Reference,Amount,Currency,At\n" + row(","), "2 A", nil},
		"tabs":                         {"Reference\tAmount\tCurrency\tAt\n" + row("\t"), "2 A", nil},
		"bars":                         {"Reference|Amount|Currency|At\n" + row("|"), "2 A", nil},
		"a delimiter in quotes":        {"\"Reference\";Amount;Currency;At;\"a,b,c,d,e,f\"\nA;1;KES;2026-11-20T01:00:00Z;\n", "2 A", nil},
		"other order and case":         {"AT;currency; Reference ;AMOUNT\n2026-11-20T01:00:00Z;KES;A;1\n", "2 A", nil},
		"a comma in a name":            {"Reference;Amount;Currency;At;fee, net\nA;1;KES;2026-11-20T01:00:00Z;\n", "2 A", nil},
		"a byte order mark":            {"\xef\xbb\xbfReference;Amount;Currency;At\n" + row(";"), "2 A", nil},
		"a byte order mark and quotes": {"\xef\xbb\xbf\"Reference\";Amount;Currency;At\r\n" + row(";"), "2 A", nil},
		"skipped lines":                {"Report\n\nReference;Amount;Currency;At\n" + row(";"), "4 A", skip},
		"leading blank lines":          {"\n\nReference;Amount;Currency;At\n" + row(";"), "4 A", nil},
		"a name of two lines":          {"Reference;Amount;Currency;At;\"a\nb\"\nA;1;KES;2026-11-20T01:00:00Z;\n", "3 A", nil},
		"by position":                  {"a;b;c;d\n" + row(";"), "2 A", func(c *csvfile.Config) { c.Reference, c.Amount, c.Currency, c.SettledAt = "#1", "#2", "#3", "#4" }},
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
		"Reference;Amount;Currency;At;amount\n":      `repeats the column "Amount"`,
		"Reference;\"Amount;Currency;At\nA;1\n":      "a quote is not closed",
		"Reference;Amount;Curr\xe9ncy;At\n":          "not UTF-8",
		"Reference;Amount;Currency;At;\x00\n":        "a NUL byte",
		"Reference;Amount;Currency;At\rA;1;KES;x\r":  "lines end in CR",
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
		"no reference":                  func(c *csvfile.Config) { c.Reference = "" },
		"no amount":                     func(c *csvfile.Config) { c.Amount = "" },
		"an amount and two columns":     func(c *csvfile.Config) { c.CreditAmount, c.DebitAmount = "Paid In", "Withdrawn" },
		"only a column of credits":      func(c *csvfile.Config) { c.Amount, c.CreditAmount = "", "Paid In" },
		"only a column of debits":       func(c *csvfile.Config) { c.Amount, c.DebitAmount = "", "Withdrawn" },
		"an amount and debits":          func(c *csvfile.Config) { c.DebitAmount = "Withdrawn" },
		"one column for both":           func(c *csvfile.Config) { c.Amount, c.CreditAmount, c.DebitAmount = "", "Moved", " moved" },
		"two columns and a sign":        func(c *csvfile.Config) { paidIn(c); c.Sign = "D/C" },
		"a column of debits at 0":       func(c *csvfile.Config) { paidIn(c); c.DebitAmount = "#0" },
		"no time":                       func(c *csvfile.Config) { c.SettledAt = "" },
		"no currency":                   func(c *csvfile.Config) { c.Currency = "" },
		"two currencies":                func(c *csvfile.Config) { c.FixedCurrency = "KES" },
		"an unknown currency":           func(c *csvfile.Config) { c.Currency, c.FixedCurrency = "", "kes" },
		"no owner":                      func(c *csvfile.Config) { c.FixedOwner = "" },
		"two owners":                    func(c *csvfile.Config) { c.Owner = "Owner" },
		"two merchants":                 func(c *csvfile.Config) { c.Merchant, c.FixedMerchant = "Merchant", "m1" },
		"gold has no minor unit":        func(c *csvfile.Config) { c.Currency, c.FixedCurrency = "", "XAU" },
		"a delimiter of two characters": func(c *csvfile.Config) { c.Delimiter = ";;" },
		"a letter as delimiter":         func(c *csvfile.Config) { c.Delimiter = "x" },
		"no header, no delimiter":       func(c *csvfile.Config) { c.NoHeader = true },
		"no header, but names":          func(c *csvfile.Config) { c.NoHeader, c.Delimiter = true, "," },
		"position 0":                    func(c *csvfile.Config) { c.Amount = "#0" },
		"position -1":                   func(c *csvfile.Config) { c.Amount = "#-1" },
		"a position too large":          func(c *csvfile.Config) { c.Amount = "#10001" },
		"thousands and decimal point":   func(c *csvfile.Config) { c.Thousands = "." },
		"thousands and decimal comma":   func(c *csvfile.Config) { c.Thousands, c.DecimalComma = ",", true },
		"a letter for thousands":        func(c *csvfile.Config) { c.Thousands = "x" },
		"Debit without Sign":            func(c *csvfile.Config) { c.Debit = []string{"D"} },
		"skips a negative number":       func(c *csvfile.Config) { c.SkipLines = -1 },
		"skips too many lines":          func(c *csvfile.Config) { c.SkipLines = 1001 },
		"skips every line":              func(c *csvfile.Config) { c.SkipPrefixes = []string{"#", ""} },
		"skips more than one line":      func(c *csvfile.Config) { c.SkipPrefixes = []string{"a\nb"} },
		"an unknown zone":               func(c *csvfile.Config) { c.Zone = "Mars/Olympus" },
	} {
		c := config()
		change(&c)
		_, err := csvfile.New("file.csv", c)
		require.Equal(t, errcodes.Configuration, errcodes.Of(err), name)
	}
	_, err := csvfile.New("", config())
	require.Equal(t, errcodes.Configuration, errcodes.Of(err))
}
