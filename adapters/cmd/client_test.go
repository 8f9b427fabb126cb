package cmd

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClientNewCreatesAnEntryThatServeAccepts(t *testing.T) {
	code, out, errs := command(t, "", nil, "client", "new", "acme", "--merchant", "m1", "--merchant", "m2", "--not-after", "2027-01-01T00:00:00Z")
	require.Zero(t, code)
	var made entry
	require.NoError(t, json.Unmarshal([]byte(out), &made))
	require.Equal(t, "acme", made.ID)
	require.Equal(t, []string{"m1", "m2"}, made.Merchants)
	fields := strings.Fields(errs)
	secret := fields[len(fields)-1]
	require.NotContains(t, out, secret)

	code, hashed, _ := command(t, secret+"\n", nil, "client", "hash")
	require.Zero(t, code)
	require.Contains(t, hashed, made.Secrets[0].SHA256, "the same secret has the same hash")
}

func TestClientRejects(t *testing.T) {
	for name, c := range map[string]struct {
		stdin string
		args  []string
	}{
		"no secret":                           {"", []string{"client", "hash"}},
		"a secret too short":                  {"hunter2\n", []string{"client", "hash"}},
		"an empty client id":                  {"", []string{"client", "new", "", "--merchant", "m"}},
		"no merchant":                         {"", []string{"client", "new", "a"}},
		"a window that ends before it starts": {"", []string{"client", "new", "a", "--merchant", "*", "--not-before", "2027-01-01T00:00:00Z", "--not-after", "2026-01-01T00:00:00Z"}},
		"tokens of an empty client id":        {"", []string{"client", "revoke", "", "--store", "memory:"}},
		"tokens of a store in memory":         {"", []string{"client", "revoke", "acme", "--store", "memory:"}},
		"a rotation without a file":           {"", []string{"client", "rotate", "acme"}},
		"old secrets that ended long ago":     {"", []string{"client", "rotate", "acme", "--file", "none.json", "--expire-old=-1h"}},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := command(t, c.stdin, nil, c.args...)
			require.Equal(t, exitRejected, code)
			require.Empty(t, out)
			require.NotContains(t, errs, "hunter2")
		})
	}
}

func TestClientCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clients.json")
	hash := strings.Repeat("ab", 32)
	for name, c := range map[string]struct {
		text   string
		code   int
		out    string
		json   string
		errors []string
	}{
		"a good file": {
			text: `[{"id":"acme","secrets":[{"sha256":"` + hash + `"}]},{"id":"beta"}]`, out: "clients: 2\n", json: `{"clients":2}`,
		},
		"two mistakes": {
			text: `[{"id":"acme"},{"id":"acme","secrets":[{"sha256":"` + hash + `ab"}]},{"id":"beta"}]`, code: exitRejected,
			json: `{"clients":0,"mistakes":["client 2 (id \"acme\"): secret 1: sha256 must be 64 hex digits",` +
				`"client 2 (id \"acme\"): its id is repeated, client 1 has it too"]}`,
			errors: []string{
				`client 2 (id "acme"): secret 1: sha256 must be 64 hex digits`,
				`client 2 (id "acme"): its id is repeated, client 1 has it too`,
				"corridor: " + path + " is not a valid clients file, mistakes: 2",
			},
		},
		"half a file": {
			text: "[{\"id\":\"acme\"},\n{\"id", code: exitRejected, json: `{"clients":0,"mistakes":["the JSON value ends in line 2 before it is complete"]}`, errors: []string{
				"corridor: " + path + " is not a valid clients file: the JSON value ends in line 2 before it is complete",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, path, c.text)
			code, out, errs := command(t, "", nil, "client", "check", path)
			require.Equal(t, c.code, code)
			require.Equal(t, c.out, out)
			var want string
			for _, line := range c.errors {
				want += line + "\n"
			}
			require.Equal(t, want, errs)
			require.NotContains(t, errs, hash)

			code, out, errs = command(t, "", nil, "client", "check", "--json", path)
			require.Equal(t, c.code, code)
			require.JSONEq(t, c.json, out)
			require.Equal(t, min(1, len(c.errors)), strings.Count(errs, "\n"), errs)
		})
	}
	code, out, errs := command(t, "", nil, "client", "check", path+".none")
	require.Equal(t, exitRejected, code)
	require.Empty(t, out)
	require.Contains(t, errs, "no such file")
	require.Equal(t, 1, strings.Count(errs, "\n"), errs)
}

func TestClientRevokeSaysThatNoTokenIsStored(t *testing.T) {
	code, out, errs := command(t, "", nil, "client", "revoke", "acmee", "--store", "sqlite:"+emptyStore(t))
	require.Zero(t, code, errs)
	require.Equal(t, "tokens revoked: 0\n", out)
	require.Equal(t, "no token of this client is stored\n", errs)
}

// A running service accepts both secrets after a rotation.
func TestClientRotateReachesARunningService(t *testing.T) {
	path := clientsFile(t)
	s := serve(t, nil, "--sandbox", "--store", "memory:", "--clients-file", path)
	code, out, errs := command(t, "", nil, "client", "rotate", "acme", "--file", path, "--expire-old", "24h")
	require.Zero(t, code, errs)
	var changed entry
	require.NoError(t, json.Unmarshal([]byte(out), &changed))
	require.Equal(t, "acme", changed.ID)
	secret := strings.TrimSpace(strings.TrimPrefix(errs, "client_secret, printed only once: "))
	require.NotContains(t, out, secret)
	_, hashed, _ := command(t, secret+"\n", nil, "client", "hash")
	require.Contains(t, hashed, changed.Secrets[len(changed.Secrets)-1].SHA256)
	require.WithinDuration(t, time.Now().Add(24*time.Hour), changed.Secrets[0].NotAfter, time.Hour)
	s.eventually(func() bool { return s.login("acme", secret) == http.StatusOK }, "the new secret is not accepted")
	require.Equal(t, http.StatusOK, s.login("acme", acmeSecret), "the old secret is still accepted")
}

func TestClientRotateRejects(t *testing.T) {
	path := clientsFile(t)
	for says, args := range map[string][]string{
		"no client with this id": {"nobody", "--file", path},
		"in the future":          {"acme", "--file", path, "--not-after", "2020-01-01T00:00:00Z"},
		"no such file":           {"acme", "--file", path + ".none"},
	} {
		code, out, errs := command(t, "", nil, append([]string{"client", "rotate"}, args...)...)
		require.Equal(t, exitRejected, code)
		require.Empty(t, out)
		require.Contains(t, errs, says)
		require.NotContains(t, errs, "client_secret", "no secret that the file does not have")
	}
}
