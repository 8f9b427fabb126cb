package failures_test

import (
	"encoding/csv"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
)

// testdata/field.csv has what providers really send, from their documents and public
// samples: name, scheme, code and message, and the answer on a payin and on a payout. "" is
// not checked, and noRow means that no row has the answer. A message without a code is also
// looked up as the code.
const noRow = "-"

func TestWhatProvidersSend(t *testing.T) {
	f, err := os.Open("testdata/field.csv")
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	cases, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"name", "scheme", "code", "message", "payin", "payout"}, cases[0])
	n := normaliser(t, nil)
	for _, c := range cases[1:] {
		in := failures.Input{Scheme: failures.Scheme(c[1]), Code: c[2], Message: c[3]}
		for i, d := range bothDirections {
			want := c[4+i]
			if want == "" {
				continue
			}
			in.Direction = d
			assert.Equal(t, want, answerOf(t, n, in), "%s, on a %s", c[0], d)
			if in.Code == "" {
				asCode := failures.Input{Scheme: in.Scheme, Direction: d, Code: in.Message}
				assert.Equal(t, want, answerOf(t, n, asCode), "%s, as the code on a %s", c[0], d)
			}
		}
	}
}

// answerOf returns success, pending or the code of a failure, as the tables write them.
func answerOf(t *testing.T, n *failures.Normaliser, in failures.Input) string {
	t.Helper()
	r, err := n.Normalise(in)
	require.NoError(t, err)
	switch {
	case !r.Known():
		return noRow
	case r.Failure():
		return string(r.Code)
	default:
		return string(r.Outcome)
	}
}
