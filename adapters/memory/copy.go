package memory

import (
	"slices"
)

// copyBytes copies data; no bytes are nil.
func copyBytes(data []byte) []byte { return append([]byte(nil), data...) }

// copyList returns a copy; nil when there is nothing to copy.
func copyList[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return slices.Clone(list)
}
