package errcodes

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
)

// Within returns nil if value is from low to high. Otherwise it returns
// [Configuration] with a message that names the field, the value and the bounds.
func Within[T cmp.Ordered](field string, value, low, high T) error {
	if value >= low && value <= high { // false for NaN
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

// NotNil returns [Configuration] with a message that names the field if value is nil, or
// holds a nil pointer, func, map or channel, which a comparison with nil does not find.
// Otherwise it returns nil.
func NotNil(field string, value any) error {
	v := reflect.ValueOf(value)
	if !v.IsValid() || slices.Contains(nilable, v.Kind()) && v.IsNil() {
		return New(Configuration, field+" is required")
	}
	return nil
}

var nilable = []reflect.Kind{reflect.Pointer, reflect.Func, reflect.Map, reflect.Chan}
