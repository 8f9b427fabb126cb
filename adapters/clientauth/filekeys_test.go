package clientauth_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/errcodes"
)

// encoding/json takes the last of two keys, folds their case, and leaves in a list
// what the first one had put there: a client that somebody has disabled would be
// enabled by a line below.
func TestAKeyStandsOnceAndAsItIsSpelt(t *testing.T) {
	const hash = `"sha256":"0000000000000000000000000000000000000000000000000000000000000001"`
	for name, text := range map[string]string{
		"disabled twice":           `[{"id":"a","disabled":true,"disabled":false}]`,
		"disabled in another case": `[{"id":"a","disabled":true,"Disabled":false}]`,
		"another case alone":       `[{"ID":"a"}]`,
		"merchants twice":          `[{"id":"a","merchants":["m"],"merchants":null}]`,
		"secrets twice":            `[{"id":"a","secrets":[{` + hash + `}],"secrets":[]}]`,
		"a secret's window twice":  `[{"id":"a","secrets":[{` + hash + `,"notAfter":"2020-01-01T00:00:00Z","notAfter":"2999-01-01T00:00:00Z"}]}]`,
		"escaped":                  `[{"id":"a","disabled":true,"dis\u0061bled":false}]`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "clients.json")
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			_, err := clientauth.OpenFile(path, nil)
			require.ErrorIs(t, err, errcodes.Configuration)
		})
	}
}
