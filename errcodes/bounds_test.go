package errcodes_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
)

func TestWithinAndAtLeastNameTheFieldTheValueAndTheBounds(t *testing.T) {
	require.NoError(t, errcodes.Within("Every", time.Second, time.Second, time.Minute))
	require.NoError(t, errcodes.Within("Every", time.Minute, time.Second, time.Minute))
	require.NoError(t, errcodes.AtLeast("Batch", 1, 1))
	require.NoError(t, errcodes.NotNil("Clock", time.UTC))
	require.NoError(t, errcodes.NotNil("Clock", struct{}{}))
	for want, err := range map[string]error{
		"Every is 5µs, want 1ms to 1h0m0s": errcodes.Within("Every", 5*time.Microsecond, time.Millisecond, time.Hour),
		"Batch is 11, want 1 to 10":        errcodes.Within("Batch", 11, 1, 10),
		"Rate is NaN, want 0 to 1":         errcodes.Within("Rate", math.NaN(), 0, 1),
		"Every is 5µs, want at least 1ms":  errcodes.AtLeast("Every", 5*time.Microsecond, time.Millisecond),
		"Rate is NaN, want at least 0":     errcodes.AtLeast("Rate", math.NaN(), 0),
		"Clock is required":                errcodes.NotNil("Clock", nil),
		"Zone is required":                 errcodes.NotNil("Zone", (*time.Location)(nil)),
		"Hook is required":                 errcodes.NotNil("Hook", (func())(nil)),
	} {
		require.ErrorIs(t, err, errcodes.Configuration, want)
		assert.Equal(t, want, errcodes.MessageOf(err))
	}
}
