package file_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/feed/file"
)

// brokenBodies are files of which nothing may be believed.
func brokenBodies() map[string]string {
	row := func(fields string) string { return `{"rates":[{` + fields + `}]}` }
	mid := func(mid string) string { return row(`"base":"USD","quote":"ZAR","mid":` + mid) }
	return map[string]string{
		"nothing":                  "",
		"HTML":                     "<html><body>502 Bad Gateway</body></html>",
		"null":                     "null",
		"a number":                 "18.25",
		"a list":                   "[]",
		"no rates":                 "{}",
		"rates of null":            `{"rates":null}`,
		"rates as an object":       `{"rates":{}}`,
		"half of it":               rates[:len(rates)/2],
		"something behind it":      one("18.25") + one("18.25"),
		"an unknown key":           `{"rates":[],"base":"USD"}`,
		"another case":             `{"Rates":[]}`,
		"rates twice":              `{"rates":[],"rates":[]}`,
		"a row that is a list":     `{"rates":[["USD","ZAR","18.25"]]}`,
		"no mid":                   row(`"base":"USD","quote":"ZAR"`),
		"no base":                  row(`"quote":"ZAR","mid":"18.25"`),
		"a mid twice":              row(`"base":"USD","quote":"ZAR","mid":"18.25","mid":"1.825"`),
		"a mid in another case":    row(`"base":"USD","quote":"ZAR","mid":"18.25","MID":"1.825"`),
		"a mid that is a number":   mid(`18.25`),
		"a mid of zero":            mid(`"0.00"`),
		"a negative mid":           mid(`"-18.25"`),
		"a mid of NaN":             mid(`"NaN"`),
		"a mid with a comma":       mid(`"18,25"`),
		"a mid with an exponent":   mid(`"1e400"`),
		"a mid of a trillion":      mid(`"1000000000000"`),
		"an empty mid":             mid(`""`),
		"a mid of false":           mid(`false`),
		"a lower-case currency":    row(`"base":"usd","quote":"ZAR","mid":"18.25"`),
		"a currency of four":       row(`"base":"USDT","quote":"ZAR","mid":"18.25"`),
		"base is quote":            row(`"base":"USD","quote":"USD","mid":"1"`),
		"a pair twice":             `{"rates":[{"base":"USD","quote":"ZAR","mid":"18"},{"base":"USD","quote":"ZAR","mid":null}]}`,
		"a day for a time":         row(`"base":"USD","quote":"ZAR","mid":"18.25","at":"2026-11-20"`),
		"a time of null":           row(`"base":"USD","quote":"ZAR","mid":"18.25","at":null`),
		"a time of year one":       row(`"base":"USD","quote":"ZAR","mid":"18.25","at":"0001-01-01T00:00:00Z"`),
		"the first second of 1970": row(`"base":"USD","quote":"ZAR","mid":"18.25","at":"1970-01-01T00:00:00Z"`),
		"a time in seconds":        row(`"base":"USD","quote":"ZAR","mid":"18.25","at":1795186800}`),
		"one byte too many":        one("18.25") + strings.Repeat(" ", file.MaxBody-len(one("18.25"))+1),
		"deep nesting":             strings.Repeat("[", 100_000),
		"a byte order mark":        "\ufeff" + one("18.25"),
		"a comma behind the last":  `{"rates":[{"base":"USD","quote":"ZAR","mid":"18"},]}`,
		"one broken row of many":   strings.Replace(rates, "1420.3537", "1420,3537", 1),
		"a mid between two quotes": mid(`"18.25"18"`),
	}
}

func TestTheLargestFileIsRead(t *testing.T) {
	body := one("18.25") + strings.Repeat(" ", file.MaxBody-len(one("18.25")))
	require.Equal(t, "18.25", open(t, body).mid(usdzar))
}

func TestATroubleNamesItsPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rates.json")
	for body, want := range map[string]string{
		strings.Replace(rates, `"1420.3537"`, "1420.3537", 1): "rate 2: mid: expected decimal text in quotes, or null",
		strings.Replace(rates, `"NGN"`, `"ngn"`, 1):           `rate 2: quote: "ngn" is no upper-case ISO 4217 code`,
		strings.Replace(rates, `"XOF"`, `"ZAR"`, 1):           "rate 3: the pair USD/ZAR is there twice",
		strings.Replace(rates, `"mid":null`, `"mud":null`, 1): `rate 3: the key "mud" is unknown or there twice`,
	} {
		require.NoError(t, os.WriteFile(path, []byte(body), 0o600))
		_, err := file.New(path, nil)
		require.ErrorContains(t, err, want)
	}
}
