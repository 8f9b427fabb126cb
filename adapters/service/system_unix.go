//go:build unix

package service

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether this user owns a file.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(stat.Uid) == int64(os.Getuid())
}

// otherFiles is the number of files that a process has open besides connections of clients:
// the store's, those of webhooks and providers, reports.
const otherFiles = 300

// fits reports whether the process may open that many connections besides other files.
func fits(connections int) bool {
	var most syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &most)
	return err != nil || uint64(most.Cur) >= uint64(connections)+otherFiles //nolint:unconvert // it is signed on some systems
}
