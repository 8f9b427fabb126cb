package memory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/ports"
)

func BenchmarkBook(b *testing.B) {
	store := newStore(b)
	require.NoError(b, store.RateLocks().Save(b.Context(), minted(key, "lock-1", start)))
	locks, ctx := store.RateLocks(), b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := locks.Book(ctx, key); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLive lists a pair of 100 locks while the number of other pairs' locks grows.
func BenchmarkLive(b *testing.B) {
	for _, others := range []int{0, 10_000, 100_000} {
		b.Run(fmt.Sprint("beside-", others), func(b *testing.B) {
			store := newStore(b)
			fill(b, store, usdZAR, 100)
			fill(b, store, usdZAR.Inverse(), others)
			locks, ctx := store.RateLocks(), b.Context()
			for b.Loop() {
				page, err := locks.List(ctx, ports.LockQuery{Pair: usdZAR, Limit: 1000})
				if err != nil || len(page) != 100 {
					b.Fatal(len(page), err)
				}
			}
		})
	}
}

func BenchmarkSave(b *testing.B) {
	store, ctx := newStore(b), b.Context()
	i := 0
	for b.Loop() {
		i++
		k := ports.BookKey{Owner: fmt.Sprint("owner-", i), Pair: usdZAR}
		if err := store.RateLocks().Save(ctx, minted(k, k.Owner, start.Add(time.Duration(i)))); err != nil {
			b.Fatal(err)
		}
	}
}

// fill mints n locks of the pair, each in a book of its own.
func fill(b *testing.B, store *memory.Store, pair ports.Pair, n int) {
	b.Helper()
	for i := range n {
		k := ports.BookKey{Owner: fmt.Sprint("owner-", i), Pair: pair}
		require.NoError(b, store.RateLocks().Save(b.Context(), minted(k, fmt.Sprint(pair, i), start.Add(time.Duration(i)*time.Millisecond))))
	}
}
