package clientauth_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/ports"
)

var (
	hashA, hashB, hashC = strings.Repeat("aa", 32), strings.Repeat("bb", 32), strings.Repeat("cc", 32)
	added               = ports.ClientSecret{SHA256: [32]byte{1}}
	addedHash           = hex.EncodeToString(added.SHA256[:])
	rotatedAt           = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
)

// clientsOf writes a clients file.
func clientsOf(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "clients.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestARotationChangesOnlyTheSecrets(t *testing.T) {
	const day = 24 * time.Hour
	secret := func(hash, rest string) string { return `{"sha256":"` + hash + `"` + rest + `}` }
	for name, c := range map[string]struct {
		before, after string
		rotation      clientauth.Rotation
	}{
		"the layout and the order stay": {
			before: "[\n  {\"id\": \"zulu\"},\n  {\n    \"merchants\": [ \"m1\",\"m2\" ],\n    \"secrets\": [\n      " + secret(hashA, "") +
				"\n    ],\n    \"id\": \"acme\"\n  }, {\"id\":\"beta\"}\n]\n",
			after: "[\n  {\"id\": \"zulu\"},\n  {\n    \"merchants\": [ \"m1\",\"m2\" ],\n    \"secrets\": [\n      " + secret(hashA, "") +
				",\n      " + secret(addedHash, "") + "\n    ],\n    \"id\": \"acme\"\n  }, {\"id\":\"beta\"}\n]\n",
		},
		"one line": {
			before: `[{"id":"acme","secrets":[` + secret(hashA, "") + `]}]`,
			after:  `[{"id":"acme","secrets":[` + secret(hashA, "") + `, ` + secret(addedHash, "") + `]}]`,
		},
		"the first secret":  {before: `[{"id":"acme","disabled":true}]`, after: `[{"id":"acme","disabled":true, "secrets": [` + secret(addedHash, "") + `]}]`},
		"an empty list":     {before: `[{"id":"acme","secrets":[]}]`, after: `[{"id":"acme","secrets":[` + secret(addedHash, "") + `]}]`},
		"null for no list":  {before: `[{"id":"acme","secrets":null}]`, after: `[{"id":"acme","secrets":[` + secret(addedHash, "") + `]}]`},
		"the escaped id":    {before: `[{"id":"\u0061cme"}]`, after: `[{"id":"\u0061cme", "secrets": [` + secret(addedHash, "") + `]}]`},
		"a secret with end": {before: `[{"id":"acme"}]`, after: `[{"id":"acme", "secrets": [` + secret(addedHash, `,"notAfter":"2026-11-21T12:00:00Z"`) + `]}]`, rotation: clientauth.Rotation{New: ports.ClientSecret{SHA256: added.SHA256, NotAfter: rotatedAt.Add(day)}}},
		"expired secrets are removed": {
			before: `[{"id":"acme","secrets":[` + secret(hashA, `,"notAfter":"2026-11-20T12:00:00Z"`) + `,` + secret(hashB, `,"notAfter":"2026-11-20T12:00:00.001Z"`) + `]}]`,
			after:  `[{"id":"acme","secrets":[` + secret(hashB, `,"notAfter":"2026-11-20T12:00:00.001Z"`) + `, ` + secret(addedHash, "") + `]}]`,
		},
		"old secrets end at the time, or before": {
			before: `[{"id":"acme","secrets":[` + secret(hashA, "") + `,` + secret(hashB, `,"notAfter":"2026-11-20T13:00:00Z"`) + `]},{"id":"beta","secrets":[` + secret(hashC, "") + `]}]`,
			after: `[{"id":"acme","secrets":[` + secret(hashA, `, "notAfter": "2026-11-21T12:00:00Z"`) + `, ` + secret(hashB, `,"notAfter":"2026-11-20T13:00:00Z"`) + `, ` +
				secret(addedHash, "") + `]},{"id":"beta","secrets":[` + secret(hashC, "") + `]}]`,
			rotation: clientauth.Rotation{EndOld: rotatedAt.Add(day)},
		},
		"a later end moves": {
			before:   `[{"id":"acme","secrets":[` + secret(hashA, `,"notAfter":"2027-11-20T12:00:00Z"`) + `]}]`,
			after:    `[{"id":"acme","secrets":[` + secret(hashA, `,"notAfter":"2026-11-21T12:00:00Z"`) + `, ` + secret(addedHash, "") + `]}]`,
			rotation: clientauth.Rotation{EndOld: rotatedAt.Add(day)},
		},
		"old secrets that end at once are removed, also those that have not begun": {
			before:   `[{"id":"acme","secrets":[` + secret(hashA, "") + `,` + secret(hashB, `,"notBefore":"2026-12-01T00:00:00Z"`) + `]}]`,
			after:    `[{"id":"acme","secrets":[` + secret(addedHash, "") + `]}]`,
			rotation: clientauth.Rotation{EndOld: rotatedAt},
		},
		"an old secret that would end before it begins is removed": {
			before:   `[{"id":"acme","secrets":[` + secret(hashB, `,"notBefore":"2026-12-01T00:00:00Z"`) + `]}]`,
			after:    `[{"id":"acme","secrets":[` + secret(addedHash, "") + `]}]`,
			rotation: clientauth.Rotation{EndOld: rotatedAt.Add(day)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := clientsOf(t, c.before)
			c.rotation.Now = rotatedAt
			if c.rotation.New.SHA256 == [32]byte{} {
				c.rotation.New = added
			}
			entry, err := clientauth.RotateFile(path, "acme", &c.rotation)
			require.NoError(t, err)
			require.Equal(t, c.after, textOf(t, path))
			_, mistakes := clientauth.CheckFile(path)
			require.Empty(t, mistakes)
			require.NotContains(t, string(entry), "\n")
			var all []json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(c.after), &all))
			require.Condition(t, func() bool {
				for _, one := range all {
					if jsonEqual(t, one, entry) {
						return true
					}
				}
				return false
			}, "the entry is in the file: %s", entry)
		})
	}
}

func jsonEqual(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	require.NoError(t, json.Unmarshal(a, &x))
	require.NoError(t, json.Unmarshal(b, &y))
	return assert.ObjectsAreEqual(x, y)
}

func TestARejectedRotationChangesNothing(t *testing.T) {
	full := `[{"id":"acme","secrets":[{"sha256":"` + hashA + `"},{"sha256":"` + hashB + `"},{"sha256":"` + hashC + `"}]}]`
	for name, c := range map[string]struct {
		text, id, says string
		begin, end     time.Time // of the new secret
	}{
		"an invalid file":        {`[{"id":"acme","disable":true}]`, "acme", "invalid", time.Time{}, time.Time{}},
		"no JSON":                {`[{"id":"acme"`, "acme", "invalid", time.Time{}, time.Time{}},
		"an unknown client":      {`[{"id":"beta"}]`, "acme", "no client with this id", time.Time{}, time.Time{}},
		"too many secrets":       {full, "acme", "end or remove one first", time.Time{}, time.Time{}},
		"a secret in the past":   {`[{"id":"acme"}]`, "acme", "future", time.Time{}, rotatedAt.Add(-time.Hour)},
		"a window that is empty": {`[{"id":"acme"}]`, "acme", "would be invalid", rotatedAt.Add(time.Hour), rotatedAt.Add(time.Hour)},
		"a file that is full":    {`[{"id":"acme"}` + strings.Repeat(" ", 16<<20-len(`[{"id":"acme"}]`)) + `]`, "acme", "is read up to 16777216", time.Time{}, time.Time{}},
		"a secret that is over":  {`[{"id":"acme"}]`, "acme", "future", time.Time{}, rotatedAt},
	} {
		t.Run(name, func(t *testing.T) {
			path := clientsOf(t, c.text)
			_, err := clientauth.RotateFile(path, c.id, &clientauth.Rotation{New: ports.ClientSecret{SHA256: added.SHA256, NotBefore: c.begin, NotAfter: c.end}, Now: rotatedAt})
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), hashA)
			require.True(t, c.text == textOf(t, path), "the file has changed") // not Equal, which would print a file of 16 MiB
			require.NoFileExists(t, path+".lock")
		})
	}
	_, err := clientauth.RotateFile(filepath.Join(t.TempDir(), "none.json"), "acme", &clientauth.Rotation{New: added, Now: rotatedAt})
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestARotationKeepsModeAndLink(t *testing.T) {
	path := clientsOf(t, `[{"id":"acme"}]`)
	link := filepath.Join(t.TempDir(), "link.json")
	require.NoError(t, os.Symlink(path, link))
	for _, mode := range []os.FileMode{0o600, 0o640, 0o644} {
		require.NoError(t, os.WriteFile(path, []byte(`[{"id":"acme"}]`), 0o600))
		require.NoError(t, os.Chmod(path, mode))
		_, err := clientauth.RotateFile(link, "acme", &clientauth.Rotation{New: added, Now: rotatedAt})
		require.NoError(t, err)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode())
		require.Contains(t, textOf(t, path), addedHash)
	}
	target, err := os.Readlink(link)
	require.NoError(t, err)
	require.Equal(t, path, target)
}

func TestALockedFileIsNotRotated(t *testing.T) {
	path := clientsOf(t, `[{"id":"acme"}]`)
	require.NoError(t, os.WriteFile(path+".lock", nil, 0o600))
	_, err := clientauth.RotateFile(path, "acme", &clientauth.Rotation{New: added, Now: rotatedAt})
	require.ErrorContains(t, err, "clients.json.lock exists")
	require.FileExists(t, path+".lock", "it is another command's")
	require.Equal(t, `[{"id":"acme"}]`, textOf(t, path))
}

// Every rotation that has returned its entry is in the file at the end.
func TestConcurrentRotationsLoseNoSecret(t *testing.T) {
	ids := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	var entries []string
	for _, id := range ids {
		entries = append(entries, `{"id":"`+id+`"}`)
	}
	path := clientsOf(t, "["+strings.Join(entries, ",")+"]")
	var all sync.WaitGroup
	var mu sync.Mutex
	done := map[string]bool{}
	for i, id := range ids {
		all.Go(func() {
			for range clientauth.MaxSecrets {
				if _, err := clientauth.RotateFile(path, id, &clientauth.Rotation{New: ports.ClientSecret{SHA256: [32]byte{byte(i + 1)}}, Now: rotatedAt}); err == nil {
					mu.Lock()
					done[id] = true
					mu.Unlock()
					return
				}
			}
		})
	}
	all.Wait()
	require.NotEmpty(t, done)
	var clients []struct {
		ID      string
		Secrets []json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(textOf(t, path)), &clients))
	for _, c := range clients {
		require.Equal(t, done[c.ID], len(c.Secrets) == 1, c.ID)
	}
}
