package ratelock_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ratelock"
)

func ExampleFirstID() {
	fmt.Println(ratelock.FirstID(time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC)))
	// Output: rl_06hcx2ym000000000000000000
}

// The ids of an instant lie between the first of it and the first of the next.
func TestFirstIDParts(t *testing.T) {
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
