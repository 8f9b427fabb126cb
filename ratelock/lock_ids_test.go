package ratelock_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ratelock"
)

func ExampleFirstID() {
	fmt.Println(ratelock.FirstID(time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC)))
	// Output: rl_06hcx2ym000000000000000000
}

func TestAnIDIsBetweenTheFirstIDsOfItsMillisecondAndTheNext(t *testing.T) {
	r := newRig(t)
	rapid.Check(t, func(t *rapid.T) {
		r.clock.Advance(time.Duration(rapid.Int64Range(1, int64(1000*time.Hour/time.Millisecond)).Draw(t, "ms")) * time.Millisecond)
		l, minted, err := r.locks.Create(t.Context(), rapid.StringN(1, 5, -1).Draw(t, "owner"), usdzar)
		if err != nil || !minted {
			return
		}
		require.GreaterOrEqual(t, l.ID, ratelock.FirstID(r.clock.Now()))
		require.Less(t, l.ID, ratelock.FirstID(r.clock.Now().Add(time.Millisecond)))
	})
}

// repeated is an endless source of one byte.
type repeated byte

func (r repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r)
	}
	return len(p), nil
}

// I13: 48 bits of time, then random bits.
func TestAnIDConsistsOfTimeAndRandomBits(t *testing.T) {
	r := newRig(t)
	locks, err := ratelock.New(ratelock.Ports{Locks: r.store.RateLocks(), Feed: r.feed}, plain, &ratelock.Config{Clock: r.clock, Random: repeated(0xff)})
	require.NoError(t, err)
	first, _, err := locks.Create(t.Context(), "shop", usdzar)
	require.NoError(t, err)
	shared := len(ratelock.IDPrefix) + 48/5 // what the time alone decides, in five bits a letter
	require.Equal(t, ratelock.FirstID(noon)[:shared], first.ID[:shared])
	require.Equal(t, strings.Repeat("z", 15), first.ID[shared+1:len(first.ID)-1])
	require.Greater(t, first.ID, ratelock.FirstID(noon))
	require.Less(t, first.ID, ratelock.FirstID(noon.Add(time.Millisecond)))
	_, _, err = locks.Create(t.Context(), "other", usdzar)
	require.ErrorIs(t, err, errcodes.StorageUnavailable, "an id in use is not used again")
}
