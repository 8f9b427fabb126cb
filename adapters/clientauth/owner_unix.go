//go:build unix

package clientauth

import (
	"io/fs"
	"os"
	"syscall"
)

// own makes a file belong to the owner and the group of another, so that the service can
// still read a file that root has replaced.
func own(file *os.File, like fs.FileInfo) error {
	stat, ok := like.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return file.Chown(int(stat.Uid), int(stat.Gid))
}
