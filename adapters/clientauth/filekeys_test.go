package clientauth_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/errcodes"
)

// encoding/json uses the last of two equal keys, ignores their case, and keeps in a
// list what the first key had put there: a later line could enable a client that
// somebody has disabled.
func TestAKeyMustBeUniqueAndInTheRightCase(t *testing.T) {
	const hash = `"sha256":"0000000000000000000000000000000000000000000000000000000000000001"`
	for name, text := range map[string]string{
		"repeated disabled":            `[{"id":"a","disabled":true,"disabled":false}]`,
		"disabled in another case":     `[{"id":"a","disabled":true,"Disabled":false}]`,
		"only another case":            `[{"ID":"a"}]`,
		"repeated merchants":           `[{"id":"a","merchants":["m"],"merchants":null}]`,
		"repeated secrets":             `[{"id":"a","secrets":[{` + hash + `}],"secrets":[]}]`,
		"a repeated bound of a secret": `[{"id":"a","secrets":[{` + hash + `,"notAfter":"2020-01-01T00:00:00Z","notAfter":"2999-01-01T00:00:00Z"}]}]`,
		"escaped":                      `[{"id":"a","disabled":true,"dis\u0061bled":false}]`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "clients.json")
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			_, err := clientauth.OpenFile(path, nil)
			require.ErrorIs(t, err, errcodes.Configuration)
		})
	}
}
