package cmd

import (
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// smallDisk returns the path of a file system of 4 MiB.
func smallDisk(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skip("mounting a disk needs privileges: ", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// fill uses up all space on the disk, and returns a function that frees it.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "ballast")
	file, err := os.Create(path)
	require.NoError(t, err)
	page := make([]byte, os.Getpagesize())
	for err == nil {
		_, err = file.Write(page)
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoError(t, file.Close())
	return func() { require.NoError(t, os.Remove(path)) }
}

func TestAFullDiskLosesNothingAcknowledged(t *testing.T) {
	dir := smallDisk(t)
	path := filepath.Join(dir, "corridor.db")
	s := serveAcme(t, "--sandbox", "--store", "sqlite:"+path)
	_, first := s.lock("USD", "ZAR")
	id := first["rateLockId"].(string)
	minted, at := 1, "ZAR"
	create := func() (int, string) {
		return s.send(http.MethodPost, "/v1/rate-locks", "application/json", `{"base":"USD","quote":"`+at+`"}`)
	}

	free := fill(t, dir)
	var status int
	var refusal string
	for _, at = range []string{"NGN", "KES", "GHS", "EGP", "XOF"} { // there may be room for one or two more
		if status, refusal = create(); status != http.StatusCreated {
			break
		}
		minted++
	}
	const full = `{"message":"The change could not be stored; retry later","error":"Service Unavailable","statusCode":503}`
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.JSONEq(t, full, refusal)
	status, again := create()
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, refusal, again)
	status, stored := s.do(http.MethodGet, "/v1/rate-locks/"+id, "")
	require.Equal(t, http.StatusOK, status, "what is stored can be read")
	require.Equal(t, first, stored)
	require.Equal(t, minted, storedLocks(t, path))

	free()
	status, _ = create()
	require.Equal(t, http.StatusCreated, status, "without a restart")
	require.Zero(t, s.stop())
	require.Equal(t, minted+1, storedLocks(t, path))
}
