//go:build !linux

package postgres_test

import "time"

// monotonic is the wall clock's nanoseconds: one for all processes, and as good
// as monotonic while nobody sets it.
func monotonic() int64 { return time.Now().UnixNano() }
