package keyring_test

import (
	"bytes"
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// noted is a store's secrets, and what Check has stored there.
type noted struct {
	ports.SecretStore
	err error

	mu     sync.Mutex
	values map[string][]byte
}

func newNoted(t *testing.T) *noted {
	t.Helper()
	store, err := memory.New(nil)
	require.NoError(t, err)
	return &noted{SecretStore: store.Secrets(), values: map[string][]byte{}}
}

func (n *noted) Secret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	if n.err != nil {
		return nil, n.err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	value, err := n.SecretStore.Secret(ctx, name, fresh)
	n.values[name] = value
	return value, err
}

// as returns the key with the number under another key's id.
func as(id, n int) keyring.Key { return keyring.Key{ID: keyOf(id).ID, Secret: keyOf(n).Secret} }

func TestCheckRejectsAnotherKeyUnderAKnownID(t *testing.T) {
	for name, c := range map[string]struct {
		before, now []keyring.Key
		rejected    string   // the id in the message; "" means accepted
		known       []string // the ids with a check value afterwards
	}{
		"a new store":                     {nil, []keyring.Key{keyOf(1)}, "", []string{"key-1"}},
		"the same key":                    {[]keyring.Key{keyOf(1)}, []keyring.Key{keyOf(1)}, "", []string{"key-1"}},
		"another key":                     {[]keyring.Key{keyOf(1)}, []keyring.Key{as(1, 2)}, "key-1", []string{"key-1"}},
		"a new id":                        {[]keyring.Key{keyOf(1)}, []keyring.Key{keyOf(2)}, "", []string{"key-1", "key-2"}},
		"a known key under a new id":      {[]keyring.Key{keyOf(1)}, []keyring.Key{as(2, 1)}, "", []string{"key-1", "key-2"}},
		"a rotation":                      {[]keyring.Key{keyOf(1)}, []keyring.Key{keyOf(2), keyOf(1)}, "", []string{"key-1", "key-2"}},
		"a rotation with a wrong key":     {[]keyring.Key{keyOf(1)}, []keyring.Key{keyOf(2), as(1, 3)}, "key-1", []string{"key-1"}},
		"the second of two known keys":    {[]keyring.Key{keyOf(1), keyOf(2)}, []keyring.Key{keyOf(1), as(2, 3)}, "key-2", []string{"key-1", "key-2"}},
		"the first of two known keys":     {[]keyring.Key{keyOf(1), keyOf(2)}, []keyring.Key{as(1, 3), keyOf(2)}, "key-1", []string{"key-1", "key-2"}},
		"two known keys, ids exchanged":   {[]keyring.Key{keyOf(1), keyOf(2)}, []keyring.Key{as(1, 2), as(2, 1)}, "key-2", []string{"key-1", "key-2"}},
		"two known keys in another order": {[]keyring.Key{keyOf(1), keyOf(2)}, []keyring.Key{keyOf(2), keyOf(1)}, "", []string{"key-1", "key-2"}},
	} {
		t.Run(name, func(t *testing.T) {
			secrets := newNoted(t)
			if c.before != nil {
				require.NoError(t, keyring.Check(t.Context(), secrets, c.before))
			}
			err := keyring.Check(t.Context(), secrets, c.now)
			if c.rejected == "" {
				require.NoError(t, err)
			} else {
				require.Equal(t, errcodes.Configuration, errcodes.Of(err))
				require.EqualError(t, err, "configuration: data key "+c.rejected+" is not the key that this store knows as "+c.rejected+
					"; use the old key, or a new id for a new key")
				require.NoError(t, keyring.Check(t.Context(), secrets, c.before), "the old keys are still accepted")
			}
			var known []string
			for _, id := range c.known {
				known = append(known, "data key check "+id)
			}
			require.ElementsMatch(t, known, slices.Collect(maps.Keys(secrets.values)))
		})
	}
}

// The value is neither the secret nor a key that seals or digests, and does not show that
// two ids have the same secret.
func TestACheckValueRevealsNothing(t *testing.T) {
	secrets := newNoted(t)
	require.NoError(t, keyring.Check(t.Context(), secrets, []keyring.Key{keyOf(1)}))
	require.NoError(t, keyring.Check(t.Context(), secrets, []keyring.Key{as(2, 1)}))
	first, second := secrets.values["data key check key-1"], secrets.values["data key check key-2"]
	require.NotEqual(t, first, second)
	for _, label := range []string{"corridor keyring seal AES-256-GCM", "corridor keyring digest HMAC-SHA-256"} {
		derived, err := hkdf.Key(sha256.New, keyOf(1).Secret, nil, label, keyring.SecretSize)
		require.NoError(t, err)
		require.NotEqual(t, derived, first)
	}
	require.NotEqual(t, keyOf(1).Secret, first)
	// Stored values depend on the label: it never changes.
	want, err := hkdf.Key(sha256.New, keyOf(1).Secret, nil, "corridor keyring check key-1", 32)
	require.NoError(t, err)
	require.Equal(t, want, first)
}

// Of processes that start at once with different keys under one id, one is accepted.
func TestTheFirstOfTwoProcessesWins(t *testing.T) {
	secrets := newNoted(t)
	const processes = 8
	errs := make([]error, processes)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = keyring.Check(t.Context(), secrets, []keyring.Key{as(1, i+1)}) })
	}
	wg.Wait()
	accepted := 0
	for i, err := range errs {
		if err == nil {
			accepted++
			require.NoError(t, keyring.Check(t.Context(), secrets, []keyring.Key{as(1, i+1)}))
			continue
		}
		require.Equal(t, errcodes.Configuration, errcodes.Of(err))
	}
	require.Equal(t, 1, accepted)
}

func TestCheckReturnsTheStoresError(t *testing.T) {
	secrets := newNoted(t)
	secrets.err = errcodes.New(errcodes.StorageUnavailable, "")
	require.Equal(t, errcodes.StorageUnavailable, errcodes.Of(keyring.Check(t.Context(), secrets, []keyring.Key{keyOf(1)})))
	secrets.err = nil
	for _, keys := range [][]keyring.Key{nil, {{ID: "short", Secret: bytes.Repeat([]byte{1}, 31)}}} {
		require.Equal(t, errcodes.Configuration, errcodes.Of(keyring.Check(t.Context(), secrets, keys)))
	}
	require.Empty(t, secrets.values)
}
