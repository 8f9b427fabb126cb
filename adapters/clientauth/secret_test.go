package clientauth_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func TestNewSecret(t *testing.T) {
	secret, hash, err := clientauth.NewSecret(rand.Reader)
	require.NoError(t, err)
	assert.Regexp(t, `^cor_sk_[A-Za-z0-9_-]{43}$`, string(secret))
	assert.Equal(t, sha256.Sum256([]byte(string(secret))), hash)
	assert.Equal(t, hash, clientauth.HashSecret(string(secret)))

	_, _, err = clientauth.NewSecret(bytes.NewReader(nil))
	assert.Equal(t, errcodes.Internal, errcodes.Of(err))
}

func TestASecretMasksItself(t *testing.T) {
	secret, _, err := clientauth.NewSecret(rand.Reader)
	require.NoError(t, err)
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("made", "secret", secret, "in", []clientauth.Secret{secret}, "at", &secret)
	}
	shown := log.String() + fmt.Sprintf("%v %+v %#v %s %q %x %d", secret, secret, secret, secret, secret, secret, secret) +
		fmt.Sprint(struct{ S clientauth.Secret }{secret})
	text, err := json.Marshal(map[string]any{"s": secret})
	require.NoError(t, err)
	shown += string(text)
	assert.NotContains(t, shown, string(secret[7:]))
	assert.NotContains(t, shown, fmt.Sprintf("%x", string(secret[7:])))
	assert.Contains(t, shown, "cor_sk_…")
}

// TestRotation moves the clock over up to three secrets with random windows: a secret
// is valid if and only if NotBefore ≤ now < NotAfter.
func TestRotation(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		f := newFixture(t, clientauth.Config{})
		bound := rapid.Custom(func(r *rapid.T) time.Time {
			ms := rapid.IntRange(-20, 20).Draw(r, "ms")
			if ms == -20 {
				return time.Time{}
			}
			return start.Add(time.Duration(ms) * time.Millisecond)
		})
		n := rapid.IntRange(0, clientauth.MaxSecrets).Draw(r, "secrets")
		client := ports.Client{ID: "acme"}
		for i := range n {
			s := secretOf(fmt.Sprint("secret ", i))
			s.NotBefore, s.NotAfter = bound.Draw(r, "from"), bound.Draw(r, "to")
			client.Secrets = append(client.Secrets, s)
		}
		f.store.put(client)
		for range 10 {
			now := start.Add(time.Duration(rapid.IntRange(-22, 22).Draw(r, "now")) * time.Millisecond)
			f.clock.Set(now)
			which := rapid.IntRange(0, clientauth.MaxSecrets).Draw(r, "which")
			good := which < n
			if good {
				s := client.Secrets[which]
				good = now.Compare(s.NotBefore) >= 0 && (s.NotAfter.IsZero() || now.Compare(s.NotAfter) < 0)
			}
			_, _, err := f.Issue(t.Context(), "acme", fmt.Sprint("secret ", which))
			if (err == nil) != good {
				r.Fatalf("secret %d at %v: error %v, want valid %v: %+v", which, now, err, good, client.Secrets)
			}
		}
	})
}
