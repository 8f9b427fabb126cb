package river_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/river"
)

// Failures that Stop causes are warnings, not errors.
func TestFailuresDuringStopAreWarnings(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	text := slog.NewTextHandler(&out, nil)
	slog.New(river.Guard(text)).Error("producer: Error fetching jobs")
	require.Contains(t, out.String(), "level=ERROR")
	out.Reset()
	slog.New(river.GuardStopping(text)).Error("producer: Error fetching jobs")
	require.Contains(t, out.String(), "level=WARN")
}
