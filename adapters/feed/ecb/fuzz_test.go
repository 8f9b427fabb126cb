package ecb

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
)

// FuzzParse checks every accepted body: it has a day and rates, no currency is
// repeated, writing and parsing it again changes nothing, and its table, if there is
// one, contains only rates.
func FuzzParse(f *testing.F) {
	for _, path := range []string{"testdata/eurofxref-daily.xml", "testdata/eurofxref-hist-90d.xml"} {
		body, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(body)
	}
	f.Add([]byte(write(day{time.Date(2026, time.October, 2, 0, 0, 0, 0, time.UTC), []rate{{"USD", "1.1225"}, {"JPY", "176.99"}}})))
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := parse(body)
		if err != nil {
			return
		}
		require.Equal(t, d.date, d.date.UTC().Truncate(24*time.Hour))
		require.NotEmpty(t, d.rates)
		seen := map[string]bool{euro: true}
		for _, r := range d.rates {
			require.Regexp(t, "^[A-Z]{3}$", r.currency)
			require.False(t, seen[r.currency], "%s is repeated", r.currency)
			seen[r.currency] = true
			require.NoError(t, ports.CheckRate(r.perEuro))
		}
		again, err := parse([]byte(write(d)))
		require.NoError(t, err)
		require.Equal(t, d, again)
		checkTable(t, d)
	})
}

func checkTable(t *testing.T, d day) {
	t.Helper()
	if len(d.rates) > 8 {
		return // the table would be too large
	}
	table, err := tabulate(d)
	if err != nil {
		return
	}
	require.Len(t, table.mids, table.pairs.Len())
	for pair, mid := range table.mids {
		require.NoError(t, ports.CheckRate(mid), "%s", pair)
	}
	for _, r := range d.rates {
		require.Equal(t, r.perEuro, table.mids[ports.Pair{Base: euro, Quote: r.currency}])
	}
}

func write(d day) string {
	var s strings.Builder
	s.WriteString(`<e:Envelope xmlns:e="` + envelopeSpace + `" xmlns="` + ratesSpace + `"><Cube><Cube time='` + d.date.Format(time.DateOnly) + `'>`)
	for _, r := range d.rates {
		s.WriteString(`<Cube currency='` + r.currency + `' rate='` + r.perEuro + `'/>`)
	}
	return s.String() + `</Cube></Cube></e:Envelope>`
}
