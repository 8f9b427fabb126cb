package main

import (
	"encoding/json"
	"strings"
	"testing"

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
		"an empty client id":                  {"", []string{"client", "new", ""}},
		"a window that ends before it starts": {"", []string{"client", "new", "a", "--not-before", "2027-01-01T00:00:00Z", "--not-after", "2026-01-01T00:00:00Z"}},
		"no command":                          {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := command(t, c.stdin, nil, c.args...)
			require.Equal(t, exitRejected, code)
			require.Empty(t, out)
			require.NotContains(t, errs, "hunter2")
		})
	}
}
