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
