package postgres_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// TestANumberThatNoColumnHoldsIsRefused: cut to what fits, it would be another
// price. A change of one lock and one of many go different ways.
func TestANumberThatNoColumnHoldsIsRefused(t *testing.T) {
	t.Parallel()
	store := open(t, migrated(t), nil)
	for name, spoil := range map[string]func(l *ports.RateLock, n int){
		"markup":    func(l *ports.RateLock, n int) { l.MarkupBps = n },
		"tolerance": func(l *ports.RateLock, n int) { l.ToleranceBps = n },
	} {
		for _, locks := range []int{1, 3} {
			for _, n := range []int{1 << 40, 1<<32 + 150, math.MaxInt32 + 1, math.MinInt32 - 1, math.MinInt} {
				change := ports.RateLockChange{Book: bookOf(t, store, "acme")}
				for i := range locks {
					change.Locks = append(change.Locks, activeLock("acme", name+string(rune('a'+i)), epoch))
				}
				spoil(&change.Locks[locks-1], n)
				want := errcodes.InvalidRequest
				if change.Locks[locks-1].MarkupBps < 0 {
					want = errcodes.CorruptRecord // no lock has that, whatever the columns hold
				}
				requireCode(t, want, store.RateLocks().Save(t.Context(), change))
			}
		}
	}
	require.Zero(t, bookOf(t, store, "acme").Version)
	l := activeLock("acme", "most", epoch)
	l.MarkupBps, l.ToleranceBps = math.MaxInt32, math.MaxInt32
	require.NoError(t, store.RateLocks().Save(t.Context(), mint(bookOf(t, store, "acme"), l)))
	got, _, err := store.RateLocks().Lock(t.Context(), "acme", "most")
	require.NoError(t, err)
	require.Equal(t, l, got)
}
