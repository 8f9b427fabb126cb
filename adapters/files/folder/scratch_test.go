package folder_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/files/folder"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

func openSpace(tb testing.TB, s ports.Scratch) ports.ScratchSpace {
	tb.Helper()
	space, err := s.Open(tb.Context())
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, space.Close()) })
	return space
}

func putRun(tb testing.TB, space ports.ScratchSpace, name, data string) {
	tb.Helper()
	w, err := space.Create(name)
	require.NoError(tb, err)
	_, err = io.WriteString(w, data)
	require.NoError(tb, err)
	require.NoError(tb, w.Close())
}

func TestSpacesOfDeadProcessesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	clock := portstest.NewClock(time.Now())
	cfg := &folder.Config{Clock: clock}
	scratch := openScratch(t, dir, cfg)
	busy, dead := openSpace(t, scratch), openSpace(t, scratch)
	putRun(t, busy, "run1", "busy")
	putRun(t, dead, "run1", "dead")
	files := open(t, dir, nil)
	put(t, files, report, "kept")

	runs, err := filepath.Glob(filepath.Join(dir, ".scratch-*", "run1"))
	require.NoError(t, err)
	require.Len(t, runs, 2)
	long := clock.Now().Add(-folder.DefaultScratchStaleAfter)
	for _, run := range runs {
		data, err := os.ReadFile(run)
		require.NoError(t, err)
		if string(data) == "dead" {
			age(t, run, long)
		}
		age(t, filepath.Dir(run), long) // both spaces are old, but a file in one is new
	}
	age(t, filepath.Join(dir, report), long)
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".other"), 0o700))
	age(t, filepath.Join(dir, ".other"), long.Add(-time.Hour))

	openScratch(t, dir, cfg)
	require.Len(t, tree(t, dir), 7, "at the bound")
	clock.Advance(time.Second)
	openScratch(t, dir, cfg)
	require.Len(t, tree(t, dir), 5)
	r, err := busy.Open("run1")
	require.NoError(t, err)
	require.NoError(t, r.Close())
	_, err = dead.Open("run1")
	requireCode(t, errcodes.NotFound, err)
	requireHolds(t, files, report, "kept")
}

func TestClosingASpaceClosesItsFiles(t *testing.T) {
	dir := t.TempDir()
	space := openSpace(t, openScratch(t, dir, nil))
	putRun(t, space, "run1", "data")
	before := descriptors(t)
	r, err := space.Open("run1")
	require.NoError(t, err)
	w, err := space.Create("run2")
	require.NoError(t, err)
	require.Equal(t, before+2, descriptors(t))
	require.NoError(t, space.Close())
	require.Equal(t, before-1, descriptors(t), "the files and the directory are closed")
	require.Empty(t, tree(t, dir))
	_, err = io.ReadAll(r)
	require.Error(t, err)
	_, err = w.Write(make([]byte, 1<<20))
	require.Error(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, r.Close())
	require.Empty(t, tree(t, dir))
}

// descriptors returns the number of open files of this process.
func descriptors(tb testing.TB) int {
	tb.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		tb.Skip("there is no /proc")
	}
	return len(all)
}

func TestCreateTruncatesAScratchFile(t *testing.T) {
	space := openSpace(t, openScratch(t, t.TempDir(), nil))
	putRun(t, space, "run1", "the first, which is longer")
	putRun(t, space, "run1", "second")
	r, err := space.Open("run1")
	require.NoError(t, err)
	data, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "second", string(data))
	require.NoError(t, space.Close())
	_, err = space.Create("run1")
	requireCode(t, errcodes.Conflict, err)
}
