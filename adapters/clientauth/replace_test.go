package clientauth

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The lock will be the file, so nobody else may read it while it is written.
func TestAFileThatCannotBeReplacedLeavesNoLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clients.json")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o644))
	err := replace(path, func(text []byte) ([]byte, error) {
		require.Equal(t, "old", string(text))
		lock, err := os.Stat(path + ".lock")
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), lock.Mode())
		require.NoError(t, os.Remove(path))
		return []byte("new"), os.Mkdir(path, 0o755)
	})
	require.ErrorContains(t, err, "corridor client hash")
	require.NoFileExists(t, path+".lock")
}
