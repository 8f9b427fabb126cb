package errcodes

import (
	"cmp"
	"fmt"
)

// Within returns nil if value is from low to high, and otherwise an error of
// [Configuration] that names the field, the value and the bounds.
func Within[T cmp.Ordered](field string, value, low, high T) error {
	if value >= low && value <= high { // which NaN is not
		return nil
	}
	return New(Configuration, fmt.Sprintf("%s is %v, want %v to %v", field, value, low, high))
}

// AtLeast is [Within] without an upper bound.
func AtLeast[T cmp.Ordered](field string, value, low T) error {
	if value >= low {
		return nil
	}
	return New(Configuration, fmt.Sprintf("%s is %v, want at least %v", field, value, low))
}
