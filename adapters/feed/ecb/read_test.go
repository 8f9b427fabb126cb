package ecb

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports/portstest"
)

// A caller that found a read due just before another read ended does not read again.
func TestALateCallerDoesNotReadAgain(t *testing.T) {
	f, err := New("testdata/eurofxref-daily.xml", &Config{Clock: portstest.NewClock(time.Unix(0, 0))})
	require.NoError(t, err)
	asked := 0
	f.fetch = func(context.Context) ([]byte, error) { asked++; return nil, errors.New("503") }
	first := f.look(t.Context())
	require.Same(t, first, f.look(t.Context()))
	require.Equal(t, 1, asked)
}
