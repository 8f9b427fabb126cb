package cmd

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/cmd/internal/normalise"
)

// The heap does not grow during a stream of different unknown codes.
func TestMemoryDoesNotGrowWithTheLines(t *testing.T) {
	onlyFull(t, "it measures memory")
	const lines = 100_000
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var early, late uint64
	in := &endless{line: func(i int) string {
		switch i {
		case lines / 10:
			early = live()
		case lines:
			late = live()
			return ""
		}
		return fmt.Sprintf(`{"scheme":"mpesa-daraja","direction":"payin","code":"c%d","message":"said %d"}`+"\n", i, i)
	}}
	var answered counter
	var errs screen
	require.Equal(t, exitOK, run(&surroundings{t.Context(), in, &answered, &errs, parts()}, []string{"normalise", "-", "--unmapped"}))
	require.Equal(t, counter(lines-1), answered)
	require.Less(t, late, early+1<<20)
	require.Less(t, late, uint64(32<<20))
	require.Contains(t, errs.String(), fmt.Sprintf("unmapped %8d  of further codes that are not listed", lines-1-normalise.MaxUnmapped))
}

// counter counts the lines written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(strings.Count(string(p), "\n"))
	return len(p), nil
}
