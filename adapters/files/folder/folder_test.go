package folder_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/files/folder"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

func TestNewRejectsBadConfigurations(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, c := range map[string]struct {
		dir string
		cfg *folder.Config
	}{
		"no directory":                       {"", nil},
		"a file instead of a directory":      {file, nil},
		"a directory below a file":           {filepath.Join(file, "dir"), nil},
		"a negative StaleAfter":              {t.TempDir(), &folder.Config{StaleAfter: -time.Hour}},
		"a StaleAfter that is too short":     {t.TempDir(), &folder.Config{StaleAfter: folder.MinStaleAfter - 1}},
		"a NUL in the directory":             {"a\x00b", nil},
		"a directory that cannot be created": {"/proc/none", nil},
	} {
		_, err := folder.New(c.dir, c.cfg)
		requireCode(t, errcodes.Configuration, err)
		_, err = folder.NewScratch(c.dir, c.cfg)
		require.Equal(t, errcodes.Configuration, errcodes.Of(err), name)
	}
}

func TestOnlyTheOwnerCanReadFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "reports")
	files := open(t, dir, nil)
	put(t, files, report, "a")
	space, err := openScratch(t, dir, nil).Open(t.Context())
	require.NoError(t, err)
	w, err := space.Create("run1")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	seen := 0
	require.NoError(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		seen++
		want := os.FileMode(0o600)
		if info.IsDir() {
			want = 0o700
		}
		require.Equal(t, want, info.Mode().Perm(), path)
		return err
	}))
	require.Equal(t, 5, seen)
	require.NoError(t, space.Close())
	require.Equal(t, []string{"rep_1", report}, tree(t, dir))
}

func TestANewFileIsHiddenNextToItsName(t *testing.T) {
	dir := t.TempDir()
	files := open(t, dir, nil)
	f := start(t, files, report, "new")
	require.Equal(t, []string{"rep_1", "rep_1/.report.csv~"}, tree(t, dir))
	require.NoError(t, f.Commit(t.Context()))
	require.Equal(t, []string{"rep_1", report}, tree(t, dir))
}

func TestAbortedAndRemovedFilesLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	files := open(t, dir, nil)
	require.NoError(t, start(t, files, "a/b/c/d", "new").Abort())
	require.Empty(t, tree(t, dir))
	put(t, files, "a/b/c/d", "1")
	put(t, files, "a/e", "2")
	require.NoError(t, files.Remove(t.Context(), "a/b/c/d"))
	require.Equal(t, []string{"a", "a/e"}, tree(t, dir))
	require.NoError(t, files.Remove(t.Context(), "a/e"))
	require.Empty(t, tree(t, dir))
	require.DirExists(t, dir)
}

func TestCreateRemovesStaleFiles(t *testing.T) {
	dir := t.TempDir()
	clock := portstest.NewClock(time.Now())
	files := open(t, dir, &folder.Config{Clock: clock, StaleAfter: 2 * time.Hour})
	put(t, files, report, "old")
	dead := start(t, files, report, "dead")
	other := start(t, files, "rep_1/report.csv.gz", "another's")
	age(t, hiddenOf(t, dir, "report.csv"), clock.Now().Add(-2*time.Hour))
	age(t, hiddenOf(t, dir, "report.csv.gz"), clock.Now().Add(-24*time.Hour))

	require.NoError(t, start(t, files, report, "at the bound").Abort())
	require.FileExists(t, hiddenOf(t, dir, "report.csv"))
	clock.Advance(time.Second)
	put(t, files, report, "new")
	require.Equal(t, []string{"rep_1", "rep_1/.report.csv.gz~", report}, tree(t, dir))
	requireCode(t, errcodes.Conflict, dead.Commit(t.Context()))
	requireHolds(t, files, report, "new")
	require.NoError(t, other.Commit(t.Context()))
}

// hiddenOf returns the hidden file of a name.
func hiddenOf(tb testing.TB, dir, base string) string {
	tb.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "rep_1", "."+base+"~*"))
	require.NoError(tb, err)
	require.Len(tb, found, 1)
	return found[0]
}

func TestRemoveAlsoRemovesAFileBeingWritten(t *testing.T) {
	dir := t.TempDir()
	files := open(t, dir, nil)
	f := start(t, files, report, "new")
	require.NoError(t, files.Remove(t.Context(), report))
	require.Empty(t, tree(t, dir))
	requireCode(t, errcodes.Conflict, f.Commit(t.Context()))
	require.NoError(t, f.Abort())
	requireNone(t, files, report)
}

func TestAFileAndADirectoryWithTheSameNameConflict(t *testing.T) {
	files := open(t, t.TempDir(), nil)
	put(t, files, "a", "file")
	_, err := files.Create(t.Context(), "a/b")
	requireCode(t, errcodes.Conflict, err)
	requireNone(t, files, "a/b")
	require.NoError(t, files.Remove(t.Context(), "a/b"))
	requireHolds(t, files, "a", "file")
	put(t, files, "d/e", "file")
	requireCode(t, errcodes.Conflict, start(t, files, "d", "new").Commit(t.Context()))
	require.NoError(t, files.Remove(t.Context(), "d"))
	requireHolds(t, files, "d/e", "file")
}

func TestLinksAreNotFollowed(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	require.NoError(t, os.Symlink(secret, filepath.Join(dir, "file")))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "dir")))
	require.NoError(t, os.Symlink("inside", filepath.Join(dir, "link")))
	files := open(t, dir, nil)
	put(t, files, "inside", "inside")

	requireNone(t, files, "link")
	requireNone(t, files, "file")
	_, err := files.Open(t.Context(), "dir/secret")
	requireCode(t, errcodes.StorageUnavailable, err)
	_, err = files.Create(t.Context(), "dir/new")
	requireCode(t, errcodes.StorageUnavailable, err)
	requireCode(t, errcodes.StorageUnavailable, files.Remove(t.Context(), "dir/secret"))

	put(t, files, "file", "new") // replaces the link
	requireHolds(t, files, "file", "new")
	require.NoError(t, files.Remove(t.Context(), "link"))
	requireHolds(t, files, "inside", "inside")
	require.Equal(t, []string{"secret"}, tree(t, outside))
	got, err := os.ReadFile(secret)
	require.NoError(t, err)
	require.Equal(t, "secret", string(got))
}

func TestAPipeIsNotAFile(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Skip("there are no pipes")
	}
	requireNone(t, open(t, dir, nil), "pipe") // must not wait for a writer
}

func TestAClosedFolderAndScratchAreUnavailable(t *testing.T) {
	files, err := folder.New(t.TempDir(), nil)
	require.NoError(t, err)
	put(t, files, report, "a")
	r, err := files.Open(t.Context(), report)
	require.NoError(t, err)
	w := start(t, files, report, "b")
	require.NoError(t, files.Close())
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "a", string(got))
	require.NoError(t, r.Close())
	requireCode(t, errcodes.StorageUnavailable, w.Commit(t.Context()))
	require.Error(t, w.Abort())
	_, err = files.Open(t.Context(), report)
	requireCode(t, errcodes.StorageUnavailable, err)
	_, err = files.Create(t.Context(), report)
	requireCode(t, errcodes.StorageUnavailable, err)
	requireCode(t, errcodes.StorageUnavailable, files.Remove(t.Context(), report))

	scratch, err := folder.NewScratch(t.TempDir(), nil)
	require.NoError(t, err)
	require.NoError(t, scratch.Close())
	_, err = scratch.Open(t.Context())
	requireCode(t, errcodes.StorageUnavailable, err)
}

func TestReadersSeeWholeFilesWhileWritersReplaceAndRemove(t *testing.T) {
	files := open(t, t.TempDir(), nil)
	errs := make(chan error, 8)
	for i := range 4 {
		go func() { errs <- churn(t, files, byte('a'+i)) }()
		go func() { errs <- readWhole(t, files) }()
	}
	for range 8 {
		require.NoError(t, <-errs)
	}
}

// churn replaces the file, or removes it.
func churn(tb testing.TB, files ports.ReportFiles, c byte) error {
	data := make([]byte, 9000)
	for i := range data {
		data[i] = c
	}
	for round := range 120 {
		if round%4 == 3 {
			if err := files.Remove(tb.Context(), report); err != nil {
				return err
			}
			continue
		}
		f, err := files.Create(tb.Context(), report)
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		if err == nil {
			err = f.Commit(tb.Context())
		}
		if code := errcodes.Of(err); code != "" && code != errcodes.Conflict { // another goroutine has removed it
			return err
		}
		if err := f.Abort(); err != nil {
			return err
		}
	}
	return nil
}

func readWhole(tb testing.TB, files ports.ReportFiles) error {
	for range 200 {
		f, err := files.Open(tb.Context(), report)
		if errcodes.Of(err) == errcodes.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		data, err := io.ReadAll(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		for _, c := range data {
			if len(data) != 9000 || c != data[0] {
				return errors.New("a reader saw a part of a file")
			}
		}
	}
	return nil
}
