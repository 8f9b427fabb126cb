package clientauth_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/errcodes"
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
