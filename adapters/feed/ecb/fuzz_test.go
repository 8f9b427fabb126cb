package ecb

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
)

// FuzzParse checks every accepted body: it has a day and a bounded number of rates,
// writing and parsing it again changes nothing, and its table, if there is one, has a
// rate for every pair.
func FuzzParse(f *testing.F) {
	for _, path := range []string{"testdata/eurofxref-daily.xml", "testdata/eurofxref-hist-90d.xml"} {
		body, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(body)
	}
	f.Add([]byte(write(day{time.Date(2026, time.October, 2, 0, 0, 0, 0, time.UTC), map[string]string{"USD": "1.1225", "JPY": "176.99"}})))
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := parse(body)
		if err != nil {
			return
		}
		require.Equal(t, d.date, d.date.UTC().Truncate(24*time.Hour))
		require.NotEmpty(t, d.rates)
		require.Less(t, len(d.rates), ports.MaxFeedCurrencies)
		require.NotContains(t, d.rates, euro)
		for currency, perEuro := range d.rates {
			require.Regexp(t, "^[A-Z]{3}$", currency)
			require.NoError(t, ports.CheckRate(perEuro))
		}
		again, err := parse([]byte(write(d)))
		require.NoError(t, err)
		require.Equal(t, d, again)
		checkTable(t, d)
	})
}

func checkTable(t *testing.T, d day) {
	t.Helper()
	table, err := tabulate(d, nil)
	if err != nil {
		return
	}
	currencies := len(d.rates) - len(table.skipped) + 1
	require.Equal(t, currencies*(currencies-1), table.pairs.Len())
	for _, pair := range table.pairs.All() {
		mid, err := table.mid(pair)
		require.NoError(t, err, "%s", pair)
		require.NoError(t, ports.CheckRate(mid), "%s", pair)
		if pair.Base == euro {
			require.Equal(t, d.rates[pair.Quote], mid)
		}
	}
}

func write(d day) string {
	var s strings.Builder
	s.WriteString(`<e:Envelope xmlns:e="` + envelopeSpace + `" xmlns="` + ratesSpace + `"><Cube><Cube time='` + d.date.Format(time.DateOnly) + `'>`)
	for currency, perEuro := range d.rates {
		s.WriteString(`<Cube currency='` + currency + `' rate='` + perEuro + `'/>`)
	}
	return s.String() + `</Cube></Cube></e:Envelope>`
}
