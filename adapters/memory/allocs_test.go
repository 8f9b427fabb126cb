//go:build !race

package memory_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadingABookAllocatesNothing(t *testing.T) {
	store := newStore(t)
	require.NoError(t, store.RateLocks().Save(t.Context(), minted(key, "lock-1", start)))
	locks, ctx := store.RateLocks(), t.Context()
	allocs := testing.AllocsPerRun(100, func() {
		if b, err := locks.Book(ctx, key); err != nil || b.Version != 1 {
			t.Error("the book is missing")
		}
	})
	require.Zero(t, allocs)
}
