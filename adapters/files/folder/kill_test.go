package folder_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/files/folder"
	"github.com/corridor-go/corridor/errcodes"
)

// childRole is the environment variable with the role of a child process, which works
// in the directory that is its argument.
const childRole = "CORRIDOR_FOLDER_CHILD"

var children = map[string]func(dir string){"writes": childWrites, "commits": childCommits}

// childWrites writes half a file and waits to be killed.
func childWrites(dir string) {
	files := must(folder.New(dir, nil))
	f := must(files.Create(context.Background(), report))
	must(f.Write(bytes.Repeat([]byte("half\n"), 100_000)))
	space := must(must(folder.NewScratch(dir, nil)).Open(context.Background()))
	w := must(space.Create("run1"))
	must(w.Write(bytes.Repeat([]byte("half\n"), 100_000)))
	fmt.Println("wrote")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// childCommits commits files, each filled with one letter.
func childCommits(dir string) {
	files := must(folder.New(dir, nil))
	for i := 0; ; i++ {
		f := must(files.Create(context.Background(), report))
		must(f.Write(bytes.Repeat([]byte{byte('a' + i%26)}, 300_000)))
		if err := f.Commit(context.Background()); err != nil {
			panic(err)
		}
		fmt.Println("committed")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// killAfter runs a child and kills it after it has printed the lines.
func killAfter(tb testing.TB, role, dir string, lines int) {
	tb.Helper()
	cmd := exec.Command(os.Args[0], dir)
	cmd.Env = append(os.Environ(), childRole+"="+role)
	stdin, err := cmd.StdinPipe() // keeps the child waiting
	require.NoError(tb, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(tb, err)
	require.NoError(tb, cmd.Start())
	said := bufio.NewScanner(stdout)
	for range lines {
		require.True(tb, said.Scan(), "the child ended early")
	}
	require.NoError(tb, cmd.Process.Kill())
	require.EqualError(tb, cmd.Wait(), "signal: killed")
	_ = stdin.Close()
}

func TestAKilledWriterDoesNotChangeTheFile(t *testing.T) {
	for name, old := range map[string]string{"no earlier file": "", "an earlier file": "old"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			files := open(t, dir, nil)
			if old != "" {
				put(t, files, report, old)
			}
			killAfter(t, "writes", dir, 1)
			require.FileExists(t, hiddenIn(t, dir))
			if old == "" {
				requireNone(t, files, report)
			} else {
				requireHolds(t, files, report, old)
			}
			put(t, files, report, "new")
			require.FileExists(t, hiddenIn(t, dir), "the hidden file is not stale yet")
			require.NoError(t, files.Remove(t.Context(), report))
			requireNone(t, files, report)
			require.Len(t, tree(t, dir), 2, "the scratch space is not stale yet")
		})
	}
}

func TestAWriterKilledAtAnyTimeLeavesAWholeFile(t *testing.T) {
	dir := t.TempDir()
	files := open(t, dir, nil)
	for round := range 8 {
		killAfter(t, "commits", dir, 1+round*3)
		f, err := files.Open(t.Context(), report)
		require.Empty(t, errcodes.Of(err), "%v", err)
		data, err := io.ReadAll(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		require.Len(t, data, 300_000)
		require.Equal(t, len(data), bytes.Count(data, data[:1]))
	}
	require.NoError(t, files.Remove(t.Context(), report))
	require.Empty(t, tree(t, dir))
}
