package service

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Temporary folders may be shared, and another user may have created anything under our
// name. Settlements must not be written to another user's folder or to one that other
// users can write to.
func TestTheScratchFolderBelongsToThisUser(t *testing.T) {
	for name, plant := range map[string]func(t *testing.T, path string){
		"a folder that everyone can write to": func(t *testing.T, path string) {
			require.NoError(t, os.Mkdir(path, 0o700))
			require.NoError(t, os.Chmod(path, 0o777))
		},
		"a link": func(t *testing.T, path string) { require.NoError(t, os.Symlink(t.TempDir(), path)) },
		"a file": func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, nil, 0o600)) },
		"another user's folder": func(t *testing.T, path string) {
			if os.Getuid() != 0 {
				t.Skip("only root gives folders away")
			}
			require.NoError(t, os.Mkdir(path, 0o700))
			require.NoError(t, os.Chown(path, 65534, 65534))
		},
	} {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			planted := filepath.Join(temp, "corridor-scratch-"+strconv.Itoa(os.Getuid()))
			plant(t, planted)
			dir, err := scratchDir()
			require.NoError(t, err, "nor does that keep the service from starting")
			require.NotEqual(t, planted, dir)
			requirePrivate(t, dir)
		})
	}
}

func TestTheScratchFolderStaysTheSame(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	first, err := scratchDir()
	require.NoError(t, err)
	requirePrivate(t, first)
	second, err := scratchDir()
	require.NoError(t, err)
	require.Equal(t, first, second, "what a dead process left is found again")
}

func requirePrivate(t *testing.T, dir string) {
	t.Helper()
	info, err := os.Lstat(dir)
	require.NoError(t, err)
	require.Equal(t, os.ModeDir|0o700, info.Mode())
	require.True(t, ours(info))
}
