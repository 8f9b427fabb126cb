package folder_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/files/folder"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const report = "rep_1/report.csv"

func open(tb testing.TB, dir string, cfg *folder.Config) *folder.Folder {
	tb.Helper()
	f, err := folder.New(dir, cfg)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, f.Close()) })
	return f
}

func openScratch(tb testing.TB, dir string, cfg *folder.Config) *folder.Scratch {
	tb.Helper()
	s, err := folder.NewScratch(dir, cfg)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, s.Close()) })
	return s
}

func start(tb testing.TB, files ports.ReportFiles, name, data string) ports.NewReportFile {
	tb.Helper()
	f, err := files.Create(tb.Context(), name)
	require.NoError(tb, err)
	_, err = io.WriteString(f, data)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, f.Abort()) })
	return f
}

func put(tb testing.TB, files ports.ReportFiles, name, data string) {
	tb.Helper()
	require.NoError(tb, start(tb, files, name, data).Commit(tb.Context()))
}

func requireHolds(tb testing.TB, files ports.ReportFiles, name, want string) {
	tb.Helper()
	f, err := files.Open(tb.Context(), name)
	require.NoError(tb, err)
	got, err := io.ReadAll(f)
	require.NoError(tb, err)
	require.NoError(tb, f.Close())
	require.Equal(tb, want, string(got))
}

func requireNone(tb testing.TB, files ports.ReportFiles, name string) {
	tb.Helper()
	_, err := files.Open(tb.Context(), name)
	requireCode(tb, errcodes.NotFound, err)
}

func requireCode(tb testing.TB, want errcodes.Code, err error) {
	tb.Helper()
	require.Equal(tb, want, errcodes.Of(err), "%v", err)
}

// tree lists everything below the directory, without the random part of hidden names.
func tree(tb testing.TB, dir string) []string {
	tb.Helper()
	var all []string
	require.NoError(tb, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if rel := strings.TrimPrefix(path, dir+"/"); rel != dir {
			if at := strings.IndexByte(rel, '~'); at >= 0 {
				rel = rel[:at+1]
			}
			all = append(all, rel)
		}
		return err
	}))
	return all
}

// hiddenIn returns the only hidden file below the directory.
func hiddenIn(tb testing.TB, dir string) string {
	tb.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", ".*~*"))
	require.NoError(tb, err)
	require.Len(tb, found, 1)
	return found[0]
}

func age(tb testing.TB, path string, to time.Time) {
	tb.Helper()
	require.NoError(tb, os.Chtimes(path, to, to))
}
