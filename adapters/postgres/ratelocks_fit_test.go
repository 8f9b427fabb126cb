package postgres_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
)

// Truncated to what fits, it would be another tolerance.
func TestANumberThatDoesNotFitItsColumnIsRejected(t *testing.T) {
	t.Parallel()
	store := open(t, emptied(t), nil)
	l := activeLock("acme", "a", epoch)
	for _, l.ToleranceBps = range []int{1 << 40, 1<<32 + 150, math.MaxInt32 + 1, math.MinInt32 - 1, math.MinInt} {
		requireCode(t, errcodes.InvalidRequest, store.RateLocks().Save(t.Context(), mint(bookOf(t, store, "acme"), l)))
	}
	require.Zero(t, bookOf(t, store, "acme").Version)
	l.ToleranceBps = math.MaxInt32
	require.NoError(t, store.RateLocks().Save(t.Context(), mint(bookOf(t, store, "acme"), l)))
	got, _, err := store.RateLocks().Lock(t.Context(), "acme", "a")
	require.NoError(t, err)
	require.Equal(t, l, got)
}
