package clientauth_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/clientauth"
)

func TestCheckFileReturnsEveryMistake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clients.json")
	for name, c := range map[string]struct {
		text    string
		clients int
		want    []string
	}{
		"a good file": {text: `[{"id":"one"},{"id":"two","secrets":[]}]`, clients: 2},
		"broken JSON": {text: "[\n{\"id\":\"one\"},\n{\"id\":hunter2}]", want: []string{"line 3 is not valid JSON"}},
		"half a file": {text: "[\n{\"id\":\"one\"},\n{\"id\":\"tw", want: []string{"the JSON value ends in line 3 before it is complete"}},
		"no file":     {text: "", want: []string{"the JSON value ends in line 1 before it is complete"}},
		"text after the list": {
			text: "[{\"id\":\"one\"}]\n\nhunter2", want: []string{"there is text after the JSON value, in line 3"},
		},
		"a secret in the place of the id": {text: `[{"id":"cor_sk_hunter2","secrets":7}]`, want: []string{"client 1: secrets must be a list of secrets"}},
		"an empty list":                   {text: "[]", want: []string{"the list has no client"}},
		"many mistakes": {
			text: `[{"id":"one","disable":true,"Disabled":true,"disabled":"yes","merchants":["m"],"merchants":null,"revokedBefore":"hunter2"},
			{"secrets":[{"sha256":"hunter2","notAfter":"hunter2"},{},{"sha256":"` + hexOf("s") + `","notBefore":1}]},
			{"id":"one","merchants":"m","secrets":{}},
			7,
			{"id":"","secrets":[null]},
			{"id":"four","secrets":[{},{},{},{}]}]`,
			want: []string{
				`client 1 (id "one"): field 2 is unknown, the fields are id, secrets, merchants, disabled, revokedBefore`,
				`client 1 (id "one"): field 3 must be written disabled`,
				`client 1 (id "one"): disabled must be true or false`,
				`client 1 (id "one"): merchants is repeated`,
				`client 1 (id "one"): revokedBefore must be an RFC 3339 time`,
				`client 2: id is required`,
				`client 2: secret 1: sha256 must be 64 hex digits`,
				`client 2: secret 1: notAfter must be an RFC 3339 time`,
				`client 2: secret 2: sha256 is required`,
				`client 2: secret 3: notBefore must be an RFC 3339 time`,
				`client 3 (id "one"): merchants must be a list of texts`,
				`client 3 (id "one"): secrets must be a list of secrets`,
				`client 3 (id "one"): its id is repeated, client 1 has it too`,
				`client 4: must be an object: {…}`,
				`client 5: id must be a text that is not empty`,
				`client 5: secret 1: must be an object: {…}`,
				`client 6 (id "four"): 4 secrets, want at most 3`,
				`client 6 (id "four"): secret 1: sha256 is required`,
				`client 6 (id "four"): secret 2: sha256 is required`,
				`client 6 (id "four"): secret 3: sha256 is required`,
				`client 6 (id "four"): secret 4: sha256 is required`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, path, c.text)
			clients, mistakes := clientauth.CheckFile(path)
			var got []string
			for _, m := range mistakes {
				got = append(got, m.Error())
			}
			require.Equal(t, c.want, got)
			require.Equal(t, c.clients, clients)
		})
	}
	_, mistakes := clientauth.CheckFile(path + ".none")
	require.Len(t, mistakes, 1)
	require.ErrorIs(t, mistakes[0], os.ErrNotExist)
}
