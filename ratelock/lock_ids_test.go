package ratelock_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ratelock"
)

func ExampleFirstID() {
	fmt.Println(ratelock.FirstID(time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC)))
	// Output: rl_06hcx2ym000000000000000000
}

func TestAnIDIsBetweenTheFirstIDsOfItsMillisecondAndTheNext(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clock := portstest.NewClock(noon.Add(time.Duration(rapid.Int64Range(0, int64(1000*time.Hour/time.Millisecond)).Draw(t, "ms")) * time.Millisecond))
		feed := fake.NewFeed(clock.Now)
		feed.Offer(usdzar, "18.2500")
		store, err := memory.New(nil)
		require.NoError(t, err)
		random := rapid.SliceOfN(rapid.Byte(), 10, 10).Draw(t, "random")
		locks, err := ratelock.New(ratelock.Ports{Locks: store.RateLocks(), Feed: feed}, plain, &ratelock.Config{Clock: clock, Random: bytes.NewReader(random)})
		require.NoError(t, err)
		l, minted, err := locks.Create(context.Background(), "shop", usdzar)
		require.NoError(t, err)
		require.True(t, minted)
		require.GreaterOrEqual(t, l.ID, ratelock.FirstID(clock.Now()))
		require.Less(t, l.ID, ratelock.FirstID(clock.Now().Add(time.Millisecond)))
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
