//go:build unix

package clientauth_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/clientauth"
)

func TestARotationKeepsTheOwner(t *testing.T) {
	path := clientsOf(t, `[{"id":"acme"}]`)
	if err := os.Chown(path, 1234, 1235); err != nil {
		t.Skip("only root may change a file's owner:", err)
	}
	_, err := clientauth.RotateFile(path, "acme", &clientauth.Rotation{New: added, Now: rotatedAt})
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	stat, ok := info.Sys().(*syscall.Stat_t)
	require.True(t, ok)
	require.Equal(t, [2]uint32{1234, 1235}, [2]uint32{stat.Uid, stat.Gid})
}
