package ecb_test

import (
	"math/big"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/feed/ecb"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

// badBodies returns bodies that must be rejected.
func badBodies(good string) map[string]string {
	with := func(was, is string) string {
		if !strings.Contains(good, was) {
			panic("the daily file has no " + was)
		}
		return strings.Replace(good, was, is, 1)
	}
	usd := func(rate string) string { return with("'1.0856'", "'"+rate+"'") }
	return map[string]string{
		"nothing":                    "",
		"HTML":                       "<!DOCTYPE html><html><body>Maintenance</body></html>",
		"JSON":                       `{"rates":[]}`,
		"an empty day":               regexp.MustCompile(`<Cube currency.*/>`).ReplaceAllString(good, ""),
		"no day at all":              `<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><Cube/></gesmes:Envelope>`,
		"cut in the middle":          good[:len(good)/2],
		"two files in one":           good + strings.TrimPrefix(with("2024-02-27", "2024-02-26"), `<?xml version="1.0" encoding="UTF-8"?>`),
		"another envelope":           with("http://www.gesmes.org/xml/2002-08-01", "http://www.gesmes.org/xml/2003"),
		"another vocabulary":         with("http://www.ecb.int/vocabulary/2002-08-01/eurofxref", "urn:other"),
		"a document type":            with("<gesmes:Envelope", `<!DOCTYPE x [<!ENTITY y "1">]><gesmes:Envelope`),
		"another encoding":           with("UTF-8", "ISO-8859-1"),
		"tomorrow":                   with("2024-02-27", "2024-02-28"),
		"no date":                    with(" time='2024-02-27'", ""),
		"a day that does not exist":  with("2024-02-27", "2024-02-30"),
		"a day before the euro":      with("2024-02-27", "1998-12-31"),
		"a rate of zero":             usd("0"),
		"a rate of 0.0000":           usd("0.0000"),
		"a negative rate":            usd("-1.0856"),
		"a rate that is NaN":         usd("NaN"),
		"an empty rate":              usd(""),
		"a rate with a comma":        usd("1,0856"),
		"a rate of 1e400":            usd("1e400"),
		"a rate of a trillion":       usd("1000000000000"),
		"a cross rate of a trillion": strings.Replace(usd("900000000"), "'163.04'", "'0.0001'", 1),
		"no known currency":          envelope("2024-02-27", [][2]string{{"AAB", "1"}, {"XAU", "0.0005"}}),
		"a repeated currency":        with("'JPY'", "'USD'"),
		"the euro itself":            with("'JPY'", "'EUR'"),
		"a lower-case currency":      with("'JPY'", "'jpy'"),
		"a currency of four":         with("'JPY'", "'YENS'"),
		"no currency":                with("currency='JPY' ", ""),
		"an unknown one of zero":     with("<Cube currency='JPY'", "<Cube currency='AAB' rate='0'/><Cube currency='JPY'"),
		"no rate":                    with(" rate='163.04'", ""),
		"a repeated rate":            with("rate='163.04'", "rate='163.04' rate='1.6304'"),
		"a unit":                     with("rate='163.04'", "rate='163.04' unit='100'"),
		"a rate in a rate":           with("<Cube currency='JPY' rate='163.04'/>", "<Cube currency='JPY' rate='163.04'><Cube currency='XTS' rate='1'/></Cube>"),
		"a repeated day":             strings.Replace(good, "\t</Cube>\n</gesmes", "<Cube time='2024-02-27'><Cube currency='USD' rate='1'/></Cube></Cube>\n</gesmes", 1),
		"an unknown entity":          with("'163.04'", "'&y;'"),
		"elements out of order":      with("</gesmes:subject>", "</gesmes:name>"),
		"text instead of markup":     strings.ReplaceAll(good, "<", "&lt;"),
	}
}

// The file has 30 currencies. ISO 4217 has withdrawn one of them since, the lev.
func TestThePricesOfARealFile(t *testing.T) {
	feed := fromFile(t, dailyFile)
	set, err := feed.Pairs(t.Context())
	require.NoError(t, err)
	perEuro := map[string]string{"EUR": "1"}
	for _, row := range regexp.MustCompile(`currency='(\w+)' rate='([\d.]+)'`).FindAllStringSubmatch(daily(t), -1) {
		perEuro[row[1]] = row[2]
	}
	require.Len(t, perEuro, 31)
	delete(perEuro, "BGN")
	require.Equal(t, 30*29, set.Len())
	for base := range perEuro {
		for quote := range perEuro {
			if base == quote {
				continue
			}
			got, err := feed.Mid(t.Context(), ports.Pair{Base: base, Quote: quote})
			require.NoError(t, err)
			if base == "EUR" {
				require.Equal(t, perEuro[quote], got.Mid, "the text of the bank")
			} else {
				exact := new(big.Rat).Quo(rat(perEuro[quote]), rat(perEuro[base]))
				require.Equal(t, halfEven(exact, 10), rat(got.Mid), "%s of %s", got.Mid, got.Pair)
			}
			require.Equal(t, "ecb", got.Source)
			require.Equal(t, noon, got.At)
		}
	}
}

func TestTheNewestDayOfAHistoryIsUsed(t *testing.T) {
	body, err := os.ReadFile(historyFile)
	require.NoError(t, err)
	newest := regexp.MustCompile(`<Cube time="2020-12-10">.*</Cube>`).FindString(string(body))
	require.NotEmpty(t, newest)
	oldestFirst := strings.Replace(strings.Replace(string(body), newest, "", 1), "</Cube></gesmes", newest+"</Cube></gesmes", 1)
	for name, body := range map[string]string{"newest first": string(body), "oldest first": oldestFirst} {
		got, err := open(t, text(body)).Mid(t.Context(), ports.Pair{Base: "EUR", Quote: "KRW"})
		require.NoError(t, err, name)
		require.Equal(t, "1318.52", got.Mid, name)
		require.Equal(t, "2020-12-10 12:00:00 +0000 UTC", got.At.String(), name)
	}
}

// The test compares every pair that does not start with EUR with the exact quotient,
// and with half a unit of its tenth digit.
func TestCrossRatesAreRoundedHalfEvenToTenDigits(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rate := rapid.StringMatching(`[1-9][0-9]{0,4}(\.[0-9]{1,5})?|0\.0{0,3}[1-9][0-9]{0,4}`)
		a, b := rate.Draw(r, "USD"), rate.Draw(r, "ZAR")
		prices := crosses(t, a, b)
		for pair, q := range map[string][2]string{"USD/EUR": {"1", a}, "ZAR/EUR": {"1", b}, "USD/ZAR": {b, a}, "ZAR/USD": {a, b}} {
			exact := new(big.Rat).Quo(rat(q[0]), rat(q[1]))
			require.Equal(t, halfEven(exact, 10), rat(prices[pair]), "%s of EUR/USD %s and EUR/ZAR %s is %s", pair, a, b, prices[pair])
			require.NotRegexp(t, `\..*0$|\.$`, prices[pair])
		}
	})
}

func TestATieIsRoundedToTheEvenDigit(t *testing.T) {
	for quote, want := range map[string]string{
		"2.00000000050": "1", "2.00000000100": "1", "2.000000001": "1", "2.000000003": "1.000000002", "2.000000005": "1.000000002",
	} {
		require.Equal(t, want, crosses(t, "2", quote)["USD/ZAR"], quote)
	}
}

// crosses returns the mids of a day with two currencies.
func crosses(t *testing.T, a, b string) map[string]string {
	t.Helper()
	path := t.TempDir() + "/day.xml"
	require.NoError(t, os.WriteFile(path, []byte(envelope("2024-02-27", [][2]string{{"USD", a}, {"ZAR", b}})), 0o600))
	feed, err := ecb.New(path, &ecb.Config{Clock: portstest.NewClock(after)})
	require.NoError(t, err)
	set, err := feed.Pairs(t.Context())
	require.NoError(t, err)
	mids := map[string]string{}
	for _, pair := range set.All() {
		p, err := feed.Mid(t.Context(), pair)
		require.NoError(t, err)
		mids[pair.String()] = p.Mid
	}
	return mids
}

// currenciesOf returns a day on which one euro is two units of each of the currencies.
func currenciesOf(day string, currencies []string) string {
	var rates [][2]string
	for _, c := range currencies {
		if c != "EUR" {
			rates = append(rates, [2]string{c, "2"})
		}
	}
	return envelope(day, rates)
}

func envelope(day string, rates [][2]string) string {
	var s strings.Builder
	s.WriteString(`<Envelope xmlns="http://www.gesmes.org/xml/2002-08-01"><Cube xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><Cube time="` + day + `">`)
	for _, r := range rates {
		s.WriteString(`<Cube currency="` + r[0] + `" rate="` + r[1] + `"/>`)
	}
	return s.String() + `</Cube></Cube></Envelope>`
}

func rat(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(text)
	}
	return r
}

// halfEven rounds a positive x to digits significant digits.
func halfEven(x *big.Rat, digits int) *big.Rat {
	ten, scale := big.NewRat(10, 1), big.NewRat(1, 1)
	low := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits-1)), nil))
	y := new(big.Rat).Set(x)
	for ; y.Cmp(low) < 0; y.Mul(y, ten) {
		scale.Mul(scale, ten)
	}
	for high := new(big.Rat).Mul(low, ten); y.Cmp(high) >= 0; y.Quo(y, ten) {
		scale.Quo(scale, ten)
	}
	n, rest := new(big.Int).QuoRem(y.Num(), y.Denom(), new(big.Int))
	if c := rest.Lsh(rest, 1).Cmp(y.Denom()); c > 0 || c == 0 && n.Bit(0) == 1 {
		n.Add(n, big.NewInt(1))
	}
	return new(big.Rat).Quo(new(big.Rat).SetInt(n), scale)
}
