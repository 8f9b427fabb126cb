package match

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The memory, including the owner's part, never exceeds the limit, and what fits is
// accepted.
func TestArenaStaysWithinItsLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(0, 20_000).Draw(t, "limit")
		beside := rapid.Int64Range(0, 64).Draw(t, "beside")
		framed := rapid.Bool().Draw(t, "framed")
		a := newArena(limit)
		for range 2 {
			held := int64(0)
			kept := map[place][]byte{}
			for n := byte(0); ; n++ {
				b := bytes.Repeat([]byte{n}, rapid.IntRange(0, rapid.SampledFrom([]int{5, 600}).Draw(t, "most")).Draw(t, "bytes"))
				before, blocks := a.used, len(a.blocks)
				got := a.put(b, framed, beside)
				if got == nil {
					require.Equal(t, before, a.used)
					require.Greater(t, before+beside+int64(max(a.block, len(b)+10)), limit, "it would have fit")
					break
				}
				require.Equal(t, b, got)
				require.Equal(t, len(got), cap(got), "the next one is not overwritten")
				held += int64(len(b)) + beside
				require.LessOrEqual(t, a.used, limit)
				require.LessOrEqual(t, held, a.used)
				if len(a.blocks) == blocks {
					require.Equal(t, before+beside, a.used)
				}
				kept[place{uint32(len(a.blocks) - 1), uint32(n)}] = b
				if n == 255 {
					break
				}
			}
			if framed {
				found := 0
				for at, b := range a.each {
					require.Equal(t, b, a.at(at))
					found++
				}
				require.Len(t, kept, found)
			}
			a.reset()
			require.Zero(t, a.used)
		}
	})
}

func TestTheOwnersMemoryCountsTowardsTheLimit(t *testing.T) {
	a := newArena(1000)
	require.NotNil(t, a.put([]byte("a"), false, 300), "with its block it is 556 bytes")
	require.NotNil(t, a.put([]byte("b"), false, 300), "which has room")
	require.Nil(t, a.put([]byte("c"), false, 300), "but the owner has not")
	require.NotNil(t, a.put([]byte("d"), false, 144), "1,000 bytes")
	require.Nil(t, a.put([]byte("e"), false, 1))
}

func TestArenaGrowsByBlocks(t *testing.T) {
	for limit, want := range map[int64]int{0: 256, 256 * 32: 256, 257 * 32: 257, 32 << 20: 1 << 20, 1 << 40: 1 << 20} {
		a := newArena(limit)
		require.Equal(t, want, a.block, limit)
	}
}

// The parts of a run's memory add up to the whole: records, rows, and the buffers of the
// files that are open at once.
func TestTheMemoryIsDivided(t *testing.T) {
	for _, memory := range []int64{MinMemory, 8 << 20, 32 << 20} {
		b := Limits{MemoryBytes: memory}.split()
		require.Equal(t, memory, b.records+b.rows+int64(b.buffer)<<b.bits)
		require.Equal(t, b.records, b.rows/2*5)
	}
	require.Equal(t, Limits{MemoryBytes: DefaultMemory}.split(), Limits{}.split())
	require.Equal(t, 64<<10, Limits{MemoryBytes: 1 << 40}.split().buffer)
}
