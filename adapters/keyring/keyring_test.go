package keyring_test

import (
	"bytes"
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

func TestConforms(t *testing.T) {
	portstest.Sealer(t, portstest.SealerHarness{
		Open: func(tb testing.TB, keys ...int) ports.Sealer { return newRing(tb, keys...) },
	})
}

func TestNewRejectsInvalidKeys(t *testing.T) {
	good, zero := keyOf(1), keyring.Key{ID: "zero", Secret: make([]byte, keyring.SecretSize)}
	named := func(id string) keyring.Key { return keyring.Key{ID: id, Secret: keyOf(2).Secret} }
	for name, keys := range map[string][]keyring.Key{
		"no key":                  nil,
		"a key without an id":     {named("")},
		"an id of 33 letters":     {named(strings.Repeat("a", 33))},
		"an id in upper case":     {named("Key")},
		"an id with a space":      {named("key ")},
		"an id with a NUL":        {named("key\x00")},
		"an id with the letter é": {named("ké")},
		"no secret":               {{ID: "key"}},
		"a secret of 31 bytes":    {{ID: "key", Secret: good.Secret[:31]}},
		"a secret of 33 bytes":    {{ID: "key", Secret: append(bytes.Clone(good.Secret), 1)}},
		"a secret of zeros":       {zero},
		"a repeated id":           {good, {ID: good.ID, Secret: keyOf(2).Secret}},
		"a repeated secret":       {good, {ID: "other", Secret: good.Secret}},
		"a bad second key":        {good, zero},
	} {
		t.Run(name, func(t *testing.T) {
			ring, err := keyring.New(keys, nil)
			require.Equal(t, errcodes.Configuration, errcodes.Of(err))
			require.Nil(t, ring)
			require.NotContains(t, err.Error(), string(good.Secret))
		})
	}
	_, err := keyring.New([]keyring.Key{good}, &keyring.Config{Random: (*bytes.Reader)(nil)})
	require.ErrorIs(t, err, errcodes.Configuration)
	for _, id := range []string{"a", "0", "-", "_", strings.Repeat("z", 32), "2026-03_a"} {
		_, err := keyring.New([]keyring.Key{good, named(id)}, nil)
		require.NoError(t, err, id)
	}
}

func TestNewDoesNotKeepTheSecrets(t *testing.T) {
	key := keyOf(1)
	ring, err := keyring.New([]keyring.Key{key}, nil)
	require.NoError(t, err)
	sealed, err := ring.Seal(t.Context(), nil, plain)
	require.NoError(t, err)
	want := ring.Digest(plain)
	clear(key.Secret)
	require.Equal(t, want, ring.Digest(plain))
	got, err := newRing(t, 1).Open(t.Context(), nil, sealed)
	require.NoError(t, err)
	require.Equal(t, plain, got)
}

// Caches and secrets depend on the digests: a change of the label or of the derivation
// would lose them all.
func TestDigestIsHMACUnderADerivedKey(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(rt, "data")
		key, err := hkdf.Key(sha256.New, keyOf(1).Secret, nil, "corridor keyring digest HMAC-SHA-256", 32)
		require.NoError(rt, err)
		mac := hmac.New(sha256.New, key)
		mac.Write(data)
		got := newRing(t, 1).Digest(data)
		require.Equal(rt, mac.Sum(nil), got[:])
	})
}

func TestOpensWhatEarlierVersionsSealed(t *testing.T) {
	ring, err := keyring.New([]keyring.Key{keyOf(1)}, &keyring.Config{Random: endless{7}})
	require.NoError(t, err)
	sealed, err := ring.Seal(t.Context(), []byte("acme/validation-1"), []byte("Ada Okafor"))
	require.NoError(t, err)
	require.Equal(t, "key-1", sealed.KeyID)
	require.Equal(t, sealedBefore, hex.EncodeToString(sealed.Data))
}

const sealedBefore = "070707070707070707070707f8ccf83151df83ef042a98a3b977eb61339fd925b1aa892ebc63"

// endless always returns the same byte.
type endless struct{ b byte }

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.b
	}
	return len(p), nil
}

func TestEachNonceIsReadFromTheRandomSource(t *testing.T) {
	chance := make([]byte, 12*64*3)
	for i := range chance {
		chance[i] = byte(i / 12)
	}
	ring, err := keyring.New([]keyring.Key{keyOf(1)}, &keyring.Config{Random: iotest.OneByteReader(bytes.NewReader(chance))})
	require.NoError(t, err)
	for i := range 64 * 3 {
		sealed, err := ring.Seal(t.Context(), nil, plain)
		require.NoError(t, err)
		require.Equal(t, bytes.Repeat([]byte{byte(i)}, 12), sealed.Data[:12], "nonce %d", i)
	}
	_, err = ring.Seal(t.Context(), nil, plain)
	require.ErrorIs(t, err, errcodes.Internal, "the random source has ended")
}

func TestSealFailsIfTheRandomSourceFails(t *testing.T) {
	broken := errors.New("no entropy")
	for name, random := range map[string]io.Reader{
		"fails":      iotest.ErrReader(broken),
		"breaks off": io.MultiReader(bytes.NewReader(make([]byte, 20)), iotest.ErrReader(broken)),
		"is empty":   bytes.NewReader(nil),
	} {
		t.Run(name, func(t *testing.T) {
			ring, err := keyring.New([]keyring.Key{keyOf(1)}, &keyring.Config{Random: random})
			require.NoError(t, err)
			for range 3 {
				sealed, err := ring.Seal(t.Context(), nil, plain)
				require.ErrorIs(t, err, errcodes.Internal)
				require.Empty(t, sealed)
			}
		})
	}
}

func TestAKeyShowsOnlyItsID(t *testing.T) {
	key := keyring.Key{ID: "key-1", Secret: []byte("0123456789abcdef0123456789abcdef")}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("made", "key", key, "any", []keyring.Key{key})
	text, err := json.Marshal(map[string]any{"key": key})
	require.NoError(t, err)
	for _, shown := range []string{
		key.String(), fmt.Sprint(key), fmt.Sprintf("%v %+v %#v %s %x %q %d", key, key, key, key, key, key, &key),
		fmt.Sprintf("%+v", []keyring.Key{key}), log.String(), string(text),
	} {
		require.Contains(t, shown, "key-1")
		require.NotContains(t, shown, "0123456789")
		require.NotContains(t, shown, "48 49 50")
		require.NotContains(t, shown, "303132")
		require.NotContains(t, shown, "MDEyMzQ1")
	}
}

func FuzzOpen(f *testing.F) {
	// The nonce is fixed, so that seeds are the same in every process.
	ring, err := keyring.New([]keyring.Key{keyOf(1), keyOf(2)}, &keyring.Config{Random: endless{7}})
	require.NoError(f, err)
	sealed, err := ring.Seal(context.Background(), []byte("aad"), plain)
	require.NoError(f, err)
	f.Add("key-1", []byte("aad"), sealed.Data)
	f.Add("key-2", []byte("aad"), sealed.Data)
	f.Add("key-1", []byte{}, sealed.Data[:27])
	f.Add("", []byte(nil), []byte(nil))
	f.Fuzz(func(t *testing.T, id string, aad, data []byte) {
		given := bytes.Clone(data)
		got, err := ring.Open(t.Context(), aad, ports.Sealed{KeyID: id, Data: data})
		require.Equal(t, given, data, "Open changed its input")
		genuine := id == "key-1" && string(aad) == "aad" && bytes.Equal(data, sealed.Data)
		switch {
		case genuine:
			require.NoError(t, err)
			require.Equal(t, plain, got)
		case id == "key-1" || id == "key-2":
			require.ErrorIs(t, err, errcodes.CorruptRecord)
			require.Empty(t, got)
		default:
			require.ErrorIs(t, err, errcodes.KeyUnknown)
			require.Empty(t, got)
		}
	})
}
