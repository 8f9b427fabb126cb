package pgtest

import "syscall"

const (
	memory       = "/dev/shm"
	memoryNeeded = 2 << 30 // bytes; a test process takes a few hundred million at the most
)

// memoryFolder is a folder in memory, where databases are copied and dropped four
// times as quickly as on a disk; "" where there is none, or it is short of room.
func memoryFolder() string {
	var fs syscall.Statfs_t
	if syscall.Statfs(memory, &fs) != nil || uint64(fs.Bsize)*fs.Bavail < memoryNeeded {
		return ""
	}
	return memory
}
