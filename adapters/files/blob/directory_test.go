package blob_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
)

func TestNoFileStaysOpen(t *testing.T) {
	files := openDir(t, t.TempDir())
	put(t, files, "0123456789")
	before := descriptors(t)
	f, err := files.Create(t.Context(), report)
	require.NoError(t, err)
	require.NoError(t, f.Abort())
	r, err := files.Open(t.Context(), report)
	require.NoError(t, err)
	for _, at := range []int64{5, 2} {
		_, err = r.Seek(at, io.SeekStart)
		require.NoError(t, err)
		_, err = r.Read(make([]byte, 1))
		require.NoError(t, err)
	}
	require.NoError(t, r.Close())
	require.Equal(t, before, descriptors(t))
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

func TestAReplacementWithTheSameTimeIsRecognizedByItsSize(t *testing.T) {
	dir := t.TempDir()
	files := openDir(t, dir)
	put(t, files, "0123456789")
	r, err := files.Open(t.Context(), report)
	require.NoError(t, err)
	put(t, files, "another")
	require.NoError(t, os.Chtimes(filepath.Join(dir, report), r.ModTime(), r.ModTime()))
	_, err = r.Seek(1, io.SeekStart)
	require.NoError(t, err)
	_, err = r.Read(make([]byte, 1))
	requireCode(t, errcodes.Conflict, err)
	require.NoError(t, r.Close())
}

func TestACommitThatFailsForAnUnknownReasonIsOutcomeUnknown(t *testing.T) {
	dir := t.TempDir()
	files := openDir(t, dir)
	f, err := files.Create(t.Context(), report)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, report), 0o700)) // where the file should be
	requireCode(t, errcodes.OutcomeUnknown, f.Commit(t.Context()))
	require.NoError(t, f.Abort())
}
