package folder_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// disk mounts a small disk and returns a func that fills it. If mounting is not
// permitted, it returns a directory and nil.
func disk(tb testing.TB) (dir string, fill func() (empty func())) {
	tb.Helper()
	dir = tb.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=33554432"); err != nil {
		return dir, nil
	}
	tb.Cleanup(func() { require.NoError(tb, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir, func() func() { return fillUp(tb, dir) }
}

// fillUp writes until the disk is full.
func fillUp(tb testing.TB, dir string) (empty func()) {
	tb.Helper()
	ballast := filepath.Join(dir, "ballast")
	f, err := os.Create(ballast)
	require.NoError(tb, err)
	for size := 1 << 20; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
		require.ErrorIs(tb, err, syscall.ENOSPC)
	}
	require.NoError(tb, f.Close())
	return func() { require.NoError(tb, os.Remove(ballast)) }
}
