//go:build !linux

package postgres_test

import "time"

// monotonic returns the wall clock in nanoseconds: the same for all processes, and
// monotonic while nobody sets it.
func monotonic() int64 { return time.Now().UnixNano() }
