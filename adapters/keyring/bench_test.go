package keyring_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

var plain = []byte(`{"identifier":"0123456789","name":"Ada Okafor","code":"00","message":"Approved"}`)

func BenchmarkSeal(b *testing.B) {
	ring, ctx, aad := newRing(b, 1), b.Context(), []byte("acme/validation-1")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ring.Seal(ctx, aad, plain); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSealParallel(b *testing.B) {
	ring, ctx, aad := newRing(b, 1), b.Context(), []byte("acme/validation-1")
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := ring.Seal(ctx, aad, plain); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	ring, ctx, aad := newRing(b, 1), b.Context(), []byte("acme/validation-1")
	sealed, err := ring.Seal(ctx, aad, plain)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ring.Open(ctx, aad, sealed); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDigest(b *testing.B) {
	ring := newRing(b, 1)
	b.ReportAllocs()
	for b.Loop() {
		ring.Digest(plain)
	}
}
