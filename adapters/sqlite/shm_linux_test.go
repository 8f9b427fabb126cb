package sqlite_test

import (
	"os"
	"syscall"
)

// The tests' files are in memory if there is room: no test cuts the power, and waiting
// for a busy disk would be most of the tests' time. TMPDIR overrides this.
var _ = inMemory()

func inMemory() error {
	const folder, room = "/dev/shm", 1 << 30
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil || os.Getenv("TMPDIR") != "" || disk.Bavail*uint64(disk.Bsize) < room {
		return err
	}
	return os.Setenv("TMPDIR", folder)
}
