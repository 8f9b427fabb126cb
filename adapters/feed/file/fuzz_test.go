package file

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
)

// FuzzParse checks every accepted file: it is JSON, its pairs are valid and not
// repeated, its mids are rates or empty, and writing and parsing it again changes
// nothing.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"rates":[{"base":"USD","quote":"ZAR","mid":"18.2500","at":"2026-11-20T15:00:00Z"},{"base":"USD","quote":"XOF","mid":null}]}`,
		`{"rates":[{"base":"USD","quote":"ZAR","mid":"18.25","at":"2026-11-20T17:00:00.1234+02:00"}]}`,
		`{"rates":[{"mid":"18.25","mid":"1.825","base":"USD","quote":"ZAR"}]}`,
		`{"rates":[{"base":"USD","quote":"USD","mid":"1e400"},]}`,
		`{"rates":[]} `,
		`<html>`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		rates, err := parse(body)
		if err != nil {
			return
		}
		require.True(t, json.Valid(body), "%q", body)
		seen := map[ports.Pair]bool{}
		for _, r := range rates {
			for _, code := range []string{r.pair.Base, r.pair.Quote} {
				_, known := ports.MinorDigits(code)
				require.True(t, known, "%q", code)
			}
			require.NotEqual(t, r.pair.Base, r.pair.Quote)
			require.False(t, seen[r.pair], "%s is repeated", r.pair)
			seen[r.pair] = true
			if r.mid != "" {
				require.NoError(t, ports.CheckRate(r.mid))
			}
		}
		again, err := parse(encode(t, rates))
		require.NoError(t, err)
		require.Equal(t, rates, again)
	})
}

func encode(t *testing.T, rates []rate) []byte {
	t.Helper()
	type row struct {
		ports.Pair

		Mid *string   `json:"mid"`
		At  time.Time `json:"at,omitzero"`
	}
	rows := []row{}
	for _, r := range rates {
		row := row{Pair: r.pair, At: r.at}
		if r.mid != "" {
			row.Mid = &r.mid
		}
		rows = append(rows, row)
	}
	body, err := json.Marshal(map[string][]row{"rates": rows})
	require.NoError(t, err)
	return body
}
