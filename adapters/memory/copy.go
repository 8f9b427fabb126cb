package memory

import (
	"slices"
	"time"
)

// stamp brings a time to what every store keeps: UTC, to the millisecond.
func stamp(t time.Time) time.Time {
	return t.UTC().Truncate(time.Millisecond)
}

// cloned copies data; none is nil.
func cloned(data []byte) []byte { return append([]byte(nil), data...) }

// clone gives a copy; nil when there is nothing to copy.
func clone[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return slices.Clone(list)
}
