package clientauth_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

func hexOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func write(t testing.TB, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestOpenFileReadsEveryField(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clients.json")
	write(t, path, `[
	  {"id":"acme","secrets":[
	    {"sha256":"`+hexOf("old")+`","notAfter":"2026-12-01T02:00:00+02:00"},
	    {"sha256":"`+strings.ToUpper(hexOf("new"))+`","notBefore":"2026-11-01T00:00:00Z","notAfter":null}],
	   "merchants":["m1","m2"],"disabled":false,"revokedBefore":"2026-11-01T02:00:00.0019+02:00"},
	  {"id":"off","disabled":true}]`)
	file, err := clientauth.OpenFile(path, nil)
	require.NoError(t, err)
	got, err := file.Client(t.Context(), "acme")
	require.NoError(t, err)
	assert.Equal(t, ports.Client{ID: "acme", Merchants: []string{"m1", "m2"}, RevokedBefore: time.Date(2026, 11, 1, 0, 0, 0, int(time.Millisecond), time.UTC), Secrets: []ports.ClientSecret{
		{SHA256: sha256.Sum256([]byte("old")), NotAfter: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)},
		{SHA256: sha256.Sum256([]byte("new")), NotBefore: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)},
	}}, got)
	off, err := file.Client(t.Context(), "off")
	require.NoError(t, err)
	assert.True(t, off.Disabled)
	_, err = file.Client(t.Context(), "ACME")
	assert.Equal(t, errcodes.NotFound, errcodes.Of(err))

	got.Merchants[0], got.Secrets[0] = "changed", ports.ClientSecret{}
	again, err := file.Client(t.Context(), "acme")
	require.NoError(t, err)
	assert.Equal(t, "m1", again.Merchants[0])
	assert.NotZero(t, again.Secrets[0])
}

var brokenFiles = map[string]string{
	"empty":                   "",
	"not JSON":                "acme:hunter2-canary",
	"an object":               `{"id":"acme"}`,
	"null":                    "null",
	"an empty list":           "[]",
	"no entry":                "[null]",
	"an entry that is a text": `["hunter2-canary"]`,
	"no id":                   `[{"secrets":[]}]`,
	"a repeated id":           `[{"id":"acme"},{"id":"acme"}]`,
	"a misspelled field":      `[{"id":"acme","disable":true}]`,
	"four secrets":            `[{"id":"acme","secrets":[` + strings.Repeat(`{"sha256":"`+hexOf("s")+`"},`, 3) + `{"sha256":"` + hexOf("s") + `"}]}]`,
	"a secret in plain text":  `[{"id":"acme","secrets":[{"sha256":"hunter2-canary"}]}]`,
	"a short hash":            `[{"id":"acme","secrets":[{"sha256":"abcd"}]}]`,
	"an inverted window":      `[{"id":"acme","secrets":[{"sha256":"` + hexOf("s") + `","notBefore":"2026-01-02T00:00:00Z","notAfter":"2026-01-02T00:00:00Z"}]}]`,
	"an invalid time":         `[{"id":"acme","secrets":[{"sha256":"` + hexOf("s") + `","notAfter":"hunter2-canary"}]}]`,
	"trailing data":           `[] hunter2-canary`,
}

func TestOpenFileRejectsABrokenFile(t *testing.T) {
	for name, text := range brokenFiles {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "clients.json")
			write(t, path, text)
			_, err := clientauth.OpenFile(path, nil)
			assert.Equal(t, errcodes.Configuration, errcodes.Of(err))
			assert.NotContains(t, err.Error(), "hunter2", "no content of the file")
		})
	}
	t.Run("an entry outside a list", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "clients.json")
		write(t, path, `{"id":"acme","secrets":[]}`)
		_, err := clientauth.OpenFile(path, nil)
		assert.Equal(t, errcodes.Configuration, errcodes.Of(err))
		assert.ErrorContains(t, err, "must be a list: [")
	})
	t.Run("missing", func(t *testing.T) {
		_, err := clientauth.OpenFile(filepath.Join(t.TempDir(), "none"), nil)
		assert.Equal(t, errcodes.Configuration, errcodes.Of(err))
	})
	t.Run("above 16 MiB", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "clients.json")
		write(t, path, `[{"id":"acme"}]`+strings.Repeat(" ", 16<<20))
		_, err := clientauth.OpenFile(path, nil)
		assert.Equal(t, errcodes.Configuration, errcodes.Of(err))
	})
}

func TestAChangedFileIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clients.json")
	c, log := portstest.NewClock(start), &bytes.Buffer{}
	write(t, path, `[{"id":"one"}]`)
	file, err := clientauth.OpenFile(path, &clientauth.FileConfig{Clock: c, Logger: slog.New(slog.NewTextHandler(log, nil))})
	require.NoError(t, err)
	has := func(id string) bool {
		_, err := file.Client(t.Context(), id)
		return err == nil
	}
	complaints := func() int { return strings.Count(log.String(), "level=ERROR") }

	write(t, path, `[{"id":"two, written in place"}]`)
	c.Advance(time.Second - 1)
	assert.True(t, has("one"), "the file is checked once a second")
	c.Advance(1)
	assert.True(t, has("two, written in place"))

	other := path + ".new"
	write(t, other, `[{"id":"three, renamed over it"}]`)
	require.NoError(t, os.Rename(other, path))
	c.Advance(time.Second)
	assert.True(t, has("three, renamed over it"))

	write(t, path, `[{"id":"hunter2-canary"`)
	for range 5 {
		c.Advance(time.Second)
		assert.True(t, has("three, renamed over it"), "the last valid version stays in force")
	}
	assert.Equal(t, 1, complaints(), "logged once")
	assert.NotContains(t, log.String(), "hunter2")

	write(t, path, `[{"id":"four"}]`)
	c.Advance(time.Second)
	assert.True(t, has("four"))
	assert.Contains(t, log.String(), "can be used again")

	require.NoError(t, os.Remove(path))
	for range 3 {
		c.Advance(time.Second)
		assert.True(t, has("four"))
	}
	assert.Equal(t, 2, complaints())

	write(t, path, `[{"id":"five"}]`)
	c.Advance(-time.Hour)
	assert.True(t, has("five"), "a clock that was set back does not stop the checks")
}

func TestAChangeWithTheSameSizeAndTimeIsNoticed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clients.json")
	c := portstest.NewClock(start)
	write(t, path, `[{"id":"one"}]`)
	info, err := os.Stat(path)
	require.NoError(t, err)
	file, err := clientauth.OpenFile(path, &clientauth.FileConfig{Clock: c})
	require.NoError(t, err)
	write(t, path, `[{"id":"two"}]`)
	require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	c.Advance(time.Second)
	_, err = file.Client(t.Context(), "two")
	assert.NoError(t, err)
}

func TestParse(t *testing.T) {
	const long = "canary-and-128-random-bits"
	for text, want := range map[string]map[string]ports.Client{
		"acme:" + long + ":m1+m2, beta:" + long + ":*": {
			"acme": {ID: "acme", Merchants: []string{"m1", "m2"}, Secrets: []ports.ClientSecret{secretOf(long)}},
			"beta": {ID: "beta", Merchants: []string{ports.AnyMerchant}, Secrets: []ports.ClientSecret{secretOf(long)}},
		},
		"acme:" + long[:22] + ":*":   {"acme": {ID: "acme", Merchants: []string{ports.AnyMerchant}, Secrets: []ports.ClientSecret{secretOf(long[:22])}}},
		"acme:" + long[:21] + ":*":   nil,
		"acme:" + long:               nil,
		"acme:" + long + ":":         nil,
		"acme:" + long + ":m1+":      nil,
		"acme:" + long + ":m1:m2":    nil,
		"acme:" + long + " :m1":      nil,
		"acme:a\u00a0" + long + ":*": nil,
		"acme:\t" + long + ":*":      nil,
		"acme:" + long + "\x00:*":    nil,
	} {
		clients, err := clientauth.Parse(text)
		if want == nil {
			assert.Equal(t, errcodes.Configuration, errcodes.Of(err), text)
			assert.NotContains(t, err.Error(), "canary")
			continue
		}
		require.NoError(t, err, text)
		for id, client := range want {
			got, err := clients.Client(t.Context(), id)
			require.NoError(t, err)
			assert.Equal(t, client, got)
		}
		_, err = clients.Client(t.Context(), "gamma")
		assert.Equal(t, errcodes.NotFound, errcodes.Of(err))
		assert.NotContains(t, fmt.Sprintf("%+v", clients), "canary")
	}

	trial, err := clientauth.ParseTrial("acme:x, beta:y:m1")
	require.NoError(t, err)
	for id, merchant := range map[string]string{"acme": ports.AnyMerchant, "beta": "m1"} {
		client, err := trial.Client(t.Context(), id)
		require.NoError(t, err)
		assert.Equal(t, []string{merchant}, client.Merchants)
	}
	for _, text := range []string{"", "acme", "acme:", ":canary", "acme:canary,", "acme:canary,acme:other", "canary", "acme:a canary", "acme:canary\x7f:*"} {
		_, err := clientauth.ParseTrial(text)
		assert.Equal(t, errcodes.Configuration, errcodes.Of(err), text)
		assert.NotContains(t, err.Error(), "canary")
	}
}

// FuzzClientsFile checks the clients of every file that is accepted.
func FuzzClientsFile(f *testing.F) {
	for _, text := range brokenFiles {
		f.Add(text, "acme")
	}
	f.Add(`[{"id":"acme","secrets":[{"sha256":"`+hexOf("s")+`","notAfter":"2026-12-01T02:00:00+02:00"}],"merchants":["m"],"disabled":true}]`, "acme")
	path := filepath.Join(f.TempDir(), "clients.json")
	f.Fuzz(func(t *testing.T, text, id string) {
		write(t, path, text)
		file, err := clientauth.OpenFile(path, nil)
		if _, mistakes := clientauth.CheckFile(path); (err == nil) != (len(mistakes) == 0) {
			t.Fatalf("%q: opened with %v, but %d mistakes", text, err, len(mistakes))
		}
		if err != nil {
			if errcodes.Of(err) != errcodes.Configuration {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		c, err := file.Client(t.Context(), id)
		if err != nil {
			return
		}
		if c.ID != id || id == "" || len(c.Secrets) > clientauth.MaxSecrets {
			t.Fatalf("%q: impossible client %+v", text, c)
		}
		for _, s := range c.Secrets {
			escaped := strings.Contains(text, `\`)
			if !escaped && !strings.Contains(strings.ToLower(text), hex.EncodeToString(s.SHA256[:])) {
				t.Fatalf("%q: a hash that is not in the file", text)
			}
			if !s.NotAfter.IsZero() && !s.NotBefore.Before(s.NotAfter) {
				t.Fatalf("%q: inverted window %v to %v", text, s.NotBefore, s.NotAfter)
			}
		}
	})
}
