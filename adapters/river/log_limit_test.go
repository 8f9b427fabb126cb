package river_test

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/river"
)

// Each message is limited separately, and logged with the number of those left out.
func TestAMessageIsLoggedOnceAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := river.Limited(slog.New(slog.NewTextHandler(&out, nil)))
		lines := func() (n int) { n = strings.Count(out.String(), "\n"); out.Reset(); return n }
		fail := func(n int) {
			for i := range n {
				log.With("i", i).WithGroup("g").Error("producer: Error fetching jobs")
				<-time.After(100 * time.Millisecond)
			}
		}
		fail(1)
		log.Error("elector: Error attempting reelection")
		require.Equal(t, 2, lines(), "both at once")
		fail(599)
		require.Zero(t, lines())
		fail(1)
		require.Contains(t, out.String(), "left_out=599")
		require.Equal(t, 1, lines())
		fail(1)
		<-time.After(time.Hour)
		fail(1)
		require.Contains(t, out.String(), "left_out=1\n")
		require.Equal(t, 1, lines())
		<-time.After(time.Hour)
		fail(1)
		require.NotContains(t, out.String(), "left_out")
	})
}

// The number of messages in memory is bounded, too.
func TestAMessageIsLoggedAfterTheClockWentBack(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	handler := river.Limited(slog.New(slog.NewTextHandler(&out, nil))).Handler()
	for i, after := range []time.Duration{0, -time.Hour} {
		require.NoError(t, handler.Handle(t.Context(), slog.NewRecord(time.Now().Add(after), slog.LevelError, "failed", 0)))
		require.Equal(t, i+1, strings.Count(out.String(), "\n"))
	}
	now := time.Now()
	for i := range 5_000 {
		require.NoError(t, handler.Handle(t.Context(), slog.NewRecord(now, slog.LevelError, strconv.Itoa(i), 0)))
	}
	require.LessOrEqual(t, river.Remembered(handler), 1_000)
}

// messages counts the messages of the queue's maintenance and of River.
type messages struct {
	records

	of map[string]int
}

func (m *messages) WithAttrs([]slog.Attr) slog.Handler { return m }
func (m *messages) WithGroup(string) slog.Handler      { return m }

func (m *messages) Handle(_ context.Context, rec slog.Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil {
		m.of = map[string]int{}
	}
	if rec.Message != "rescued jobs of dead processes" {
		m.of[rec.Message]++
	}
	return nil
}

func (m *messages) count() map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.of)
}
