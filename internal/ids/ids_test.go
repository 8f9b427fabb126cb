package ids_test

import (
	"bytes"
	"errors"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/ids"
)

func TestIDsSortByTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(0, 1<<48-2).Draw(t, "ms")
		at := time.UnixMilli(ms)
		random := rapid.SliceOfN(rapid.Byte(), 10, 10).Draw(t, "random")
		id, err := ids.New("rl_", at, bytes.NewReader(random))
		require.NoError(t, err)
		require.Regexp(t, `^rl_[0-9a-hjkmnp-tv-z]{26}$`, id)
		require.LessOrEqual(t, ids.First("rl_", at), id)
		require.Less(t, id, ids.First("rl_", at.Add(time.Millisecond)))
	})
}

func TestEachRandomBitChangesTheID(t *testing.T) {
	seen := map[string]bool{}
	for bit := range 80 {
		random := make([]byte, 10)
		random[bit/8] = 1 << (bit % 8)
		id, err := ids.New("", time.UnixMilli(0), bytes.NewReader(random))
		require.NoError(t, err)
		assert.False(t, seen[id])
		seen[id] = true
	}
}

func TestNewFailsWithoutRandomness(t *testing.T) {
	for _, random := range []*bytes.Reader{bytes.NewReader(nil), bytes.NewReader(make([]byte, 9))} {
		_, err := ids.New("", time.Now(), random)
		require.ErrorIs(t, err, errcodes.Internal)
	}
	broken := errors.New("no entropy")
	_, err := ids.New("", time.Now(), iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
}
