package clientauth_test

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/ports/portstest"
)

// watched is a clients file that Run checks.
type watched struct {
	*clientauth.File

	path  string
	clock *portstest.Clock
	log   *bytes.Buffer
}

// watch runs the checks of a file with the client one.
func watch(t *testing.T) *watched {
	t.Helper()
	w := &watched{path: filepath.Join(t.TempDir(), "clients.json"), clock: portstest.NewClock(start), log: &bytes.Buffer{}}
	write(t, w.path, `[{"id":"one"}]`)
	file, err := clientauth.OpenFile(w.path, &clientauth.FileConfig{Clock: w.clock, Logger: slog.New(slog.NewTextHandler(w.log, nil))})
	require.NoError(t, err)
	w.File = file
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- file.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
	w.clock.BlockUntil(1)
	return w
}

// tick returns after one more check.
func (w *watched) tick() {
	w.clock.Advance(time.Second)
	w.clock.BlockUntil(1)
}

func TestRunLogsABrokenVersionOnceWithoutALookUp(t *testing.T) {
	broken := maps.Clone(brokenFiles)
	broken["half written"] = `[{"id":"one"},{"id":"two","secr`
	broken["an unknown field, whose name may be a secret"] = `[{"id":"one","hunter2-canary":true}]`
	for name, text := range broken {
		t.Run(name, func(t *testing.T) {
			w := watch(t)
			write(t, w.path, text)
			for range 3 {
				w.tick()
			}
			require.Equal(t, 1, strings.Count(w.log.String(), "level=ERROR"), w.log)
			require.NotContains(t, w.log.String(), "hunter2")
			require.NotContains(t, w.log.String(), hexOf("s"))
			_, err := w.Client(t.Context(), "one")
			require.NoError(t, err, "the last valid version stays in force")

			write(t, w.path, `[{"id":"one"},{"id":"two"}]`)
			for range 3 {
				w.tick()
			}
			require.Equal(t, 1, strings.Count(w.log.String(), "level=INFO"), w.log)
			require.Contains(t, w.log.String(), "clients=2")
			_, err = w.Client(t.Context(), "two")
			require.NoError(t, err)
		})
	}
}

func TestRunLogsTheIDOfAClientThatIsWrong(t *testing.T) {
	w := watch(t)
	write(t, w.path, `[{"id":"one"},{"id":"acme"},{"id":"acme"}]`)
	w.tick()
	require.Contains(t, w.log.String(), `client 3 (id \"acme\"): its id is repeated, client 2 has it too`)

	write(t, w.path, `[{"id":"beta","secrets":[{"sha256":"abcd"}]}]`)
	w.tick()
	require.Contains(t, w.log.String(), `client 1 (id \"beta\"): secret 1: sha256 must be 64 hex digits`, "another mistake is logged, too")
	require.Equal(t, 2, strings.Count(w.log.String(), "level=ERROR"), w.log)

	write(t, w.path, "["+strings.Repeat(`{"id":"acme"},`, 1000)+`{"id":"acme"}]`)
	w.tick()
	require.Contains(t, w.log.String(), "; and 995 more")
}

func TestRunLogsAFileThatIsGoneOnce(t *testing.T) {
	w := watch(t)
	require.NoError(t, os.Remove(w.path))
	for range 3 {
		w.tick()
	}
	require.Equal(t, 1, strings.Count(w.log.String(), "level=ERROR"), w.log)
	write(t, w.path, `[{"id":"one"}]`)
	w.tick()
	require.Contains(t, w.log.String(), "can be used again")
	require.Contains(t, w.log.String(), "clients=1")
}

func TestRunLogsANewVersionOnce(t *testing.T) {
	w := watch(t)
	w.tick()
	require.Empty(t, w.log.String(), "nothing has changed")
	write(t, w.path, `[{"id":"one"},{"id":"two"},{"id":"three"}]`)
	for range 3 {
		w.tick()
	}
	require.Equal(t, 1, strings.Count(w.log.String(), "\n"), w.log)
	require.Contains(t, w.log.String(), "clients=3")
}
