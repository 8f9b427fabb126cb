package demo

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ratelock"
)

func TestDemoFailsOnUnexpectedLocks(t *testing.T) {
	s, err := newStory(context.Background(), io.Discard)
	require.NoError(t, err)
	s.locks, err = ratelock.New(ratelock.Ports{Locks: s.store.RateLocks(), Feed: s.feed}, ratelock.Terms{Validity: 48 * time.Hour}, &ratelock.Config{Clock: s.clock})
	require.NoError(t, err)
	s.twoLocks()
	require.NoError(t, s.err)
	s.expiry()
	require.ErrorContains(t, s.err, "the demo failed")
}
