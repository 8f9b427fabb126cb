package memory

import (
	"slices"
)

// copyBytes returns a copy; nil if data is empty.
func copyBytes(data []byte) []byte { return append([]byte(nil), data...) }

// copyList returns a copy; nil if list is empty.
func copyList[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return slices.Clone(list)
}
