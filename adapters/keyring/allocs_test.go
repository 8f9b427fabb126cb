//go:build !race

package keyring_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The race detector makes sync.Pool drop items at random.
func TestSealOpenAndDigestAllocateLittle(t *testing.T) {
	ring, ctx, aad := newRing(t, 1, 2), t.Context(), []byte("acme/validation-1")
	sealed, err := ring.Seal(ctx, aad, plain)
	require.NoError(t, err)
	require.LessOrEqual(t, testing.AllocsPerRun(1000, func() { _, _ = ring.Seal(ctx, aad, plain) }), 2.0, "Seal")
	require.LessOrEqual(t, testing.AllocsPerRun(1000, func() { _, _ = ring.Open(ctx, aad, sealed) }), 2.0, "Open")
	require.LessOrEqual(t, testing.AllocsPerRun(1000, func() { ring.Digest(plain) }), 1.0, "Digest")
}
