package keyring_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/keyring"
)

// keyOf returns the key with the number.
func keyOf(n int) keyring.Key {
	return keyring.Key{ID: fmt.Sprint("key-", n), Secret: bytes.Repeat([]byte{byte(n)}, keyring.SecretSize)}
}

// newRing returns a keyring of the keys with the numbers.
func newRing(tb testing.TB, numbers ...int) *keyring.Keyring {
	tb.Helper()
	var keys []keyring.Key
	for _, n := range numbers {
		keys = append(keys, keyOf(n))
	}
	ring, err := keyring.New(keys, nil)
	require.NoError(tb, err)
	return ring
}
