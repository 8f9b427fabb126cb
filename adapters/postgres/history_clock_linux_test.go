package postgres_test

import (
	"syscall"
	"unsafe"
)

// monotonic returns CLOCK_MONOTONIC in nanoseconds: the same for all processes of the
// machine, and never set.
func monotonic() int64 {
	const clockMonotonic = 1
	var at syscall.Timespec
	_, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&at)), 0)
	if errno != 0 {
		panic(errno)
	}
	return at.Nano()
}
