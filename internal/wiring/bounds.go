package wiring

import (
	"cmp"
	"fmt"

	"github.com/corridor-go/corridor/errcodes"
)

// Within returns nil if value is from low to high, and otherwise an error of
// [errcodes.Configuration] that names the field, the value and the bounds.
func Within[T cmp.Ordered](field string, value, low, high T) error {
	if value >= low && value <= high {
		return nil
	}
	return errcodes.New(errcodes.Configuration, fmt.Sprintf("%s is %v, want %v to %v", field, value, low, high))
}

// AtLeast is [Within] without an upper bound.
func AtLeast[T cmp.Ordered](field string, value, low T) error {
	if value >= low {
		return nil
	}
	return errcodes.New(errcodes.Configuration, fmt.Sprintf("%s is %v, want at least %v", field, value, low))
}
