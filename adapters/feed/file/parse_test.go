package file_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/feed/file"
)

// brokenBodies returns files that must be rejected.
func brokenBodies() map[string]string {
	row := func(fields string) string { return `{"rates":[{` + fields + `}]}` }
	mid := func(mid string) string { return row(`"base":"USD","quote":"ZAR","mid":` + mid) }
	return map[string]string{
		"nothing":                    "",
		"HTML":                       "<html><body>502 Bad Gateway</body></html>",
		"null":                       "null",
		"a number":                   "18.25",
		"a list":                     "[]",
		"no rates":                   "{}",
		"rates that are null":        `{"rates":null}`,
		"rates as an object":         `{"rates":{}}`,
		"half a file":                rates[:len(rates)/2],
		"a second value":             one("18.25") + one("18.25"),
		"an unknown key":             `{"rates":[],"base":"USD"}`,
		"another case":               `{"Rates":[]}`,
		"repeated rates":             `{"rates":[],"rates":[]}`,
		"a row that is a list":       `{"rates":[["USD","ZAR","18.25"]]}`,
		"no mid":                     row(`"base":"USD","quote":"ZAR"`),
		"no base":                    row(`"quote":"ZAR","mid":"18.25"`),
		"a repeated mid":             row(`"base":"USD","quote":"ZAR","mid":"18.25","mid":"1.825"`),
		"a mid in another case":      row(`"base":"USD","quote":"ZAR","mid":"18.25","MID":"1.825"`),
		"a mid that is a number":     mid(`18.25`),
		"a mid of zero":              mid(`"0.00"`),
		"a negative mid":             mid(`"-18.25"`),
		"a mid that is NaN":          mid(`"NaN"`),
		"a mid with a comma":         mid(`"18,25"`),
		"a mid with an exponent":     mid(`"1e400"`),
		"a mid of a trillion":        mid(`"1000000000000"`),
		"an empty mid":               mid(`""`),
		"a mid that is false":        mid(`false`),
		"a lower-case currency":      row(`"base":"usd","quote":"ZAR","mid":"18.25"`),
		"a currency of four letters": row(`"base":"USDT","quote":"ZAR","mid":"18.25"`),
		"an unknown base":            row(`"base":"AAB","quote":"ZAR","mid":"18.25"`),
		"an unknown quote":           row(`"base":"USD","quote":"AAB","mid":"18.25"`),
		"gold":                       row(`"base":"XAU","quote":"USD","mid":"4000"`),
		"the code for tests":         row(`"base":"USD","quote":"XTS","mid":"18.25"`),
		"the same base and quote":    row(`"base":"USD","quote":"USD","mid":"1"`),
		"a repeated pair":            `{"rates":[{"base":"USD","quote":"ZAR","mid":"18"},{"base":"USD","quote":"ZAR","mid":null}]}`,
		"a day instead of a time":    row(`"base":"USD","quote":"ZAR","mid":"18.25","at":"2026-11-20"`),
		"a time that is null":        row(`"base":"USD","quote":"ZAR","mid":"18.25","at":null`),
		"a time in year one":         row(`"base":"USD","quote":"ZAR","mid":"18.25","at":"0001-01-01T00:00:00Z"`),
		"the first second of 1970":   row(`"base":"USD","quote":"ZAR","mid":"18.25","at":"1970-01-01T00:00:00Z"`),
		"a time in seconds":          row(`"base":"USD","quote":"ZAR","mid":"18.25","at":1795186800}`),
		"one byte too many":          one("18.25") + strings.Repeat(" ", file.MaxBody-len(one("18.25"))+1),
		"deep nesting":               strings.Repeat("[", 100_000),
		"a byte order mark":          "\ufeff" + one("18.25"),
		"a trailing comma":           `{"rates":[{"base":"USD","quote":"ZAR","mid":"18"},]}`,
		"one broken row of many":     strings.Replace(rates, "1420.3537", "1420,3537", 1),
		"text after a mid":           mid(`"18.25"18"`),
	}
}

func TestTheLargestFileIsRead(t *testing.T) {
	body := one("18.25") + strings.Repeat(" ", file.MaxBody-len(one("18.25")))
	require.Equal(t, "18.25", open(t, body).mid(usdzar))
}

func TestAnErrorNamesItsPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rates.json")
	for body, want := range map[string]string{
		strings.Replace(rates, `"1420.3537"`, "1420.3537", 1): "rate 2: mid must be decimal text in quotes, or null",
		strings.Replace(rates, `"NGN"`, `"ngn"`, 1):           `rate 2: quote "ngn" must be an upper-case ISO 4217 code`,
		strings.Replace(rates, `"USD"`, `"AAB"`, 1):           `rate 1: base "AAB" must be an upper-case ISO 4217 code`,
		strings.Replace(rates, `"XOF"`, `"ZAR"`, 1):           "rate 3: pair USD/ZAR is repeated",
		strings.Replace(rates, `"mid":null`, `"mud":null`, 1): `rate 3: key "mud" is unknown or repeated`,
	} {
		require.NoError(t, os.WriteFile(path, []byte(body), 0o600))
		_, err := file.New(path, nil)
		require.ErrorContains(t, err, want)
	}
}
