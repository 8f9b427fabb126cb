//go:build !race

package match

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestArenaReusesItsBlocks(t *testing.T) {
	a := newArena(1 << 20)
	fill := func() {
		for a.put(make([]byte, 1000), true, 0) != nil { //nolint:revive // until it is full
		}
		a.reset()
	}
	fill()
	require.LessOrEqual(t, testing.AllocsPerRun(10, fill), 2.0)
}
