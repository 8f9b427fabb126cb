// Package wiring checks what a constructor is given.
package wiring

import (
	"reflect"
	"slices"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
)

// Check returns [errcodes.Configuration] that names the first field of the struct
// given that is missing: a nil interface, pointer, func or map, or an interface that
// holds a nil pointer, which would pass a comparison with nil and panic at its first
// call. Of a slice each element is checked; the slice itself may be empty.
func Check(given any) error {
	v := reflect.ValueOf(given)
	for i := range v.NumField() {
		name := strings.TrimPrefix(v.Type().Name()+"."+v.Type().Field(i).Name, ".") // an anonymous struct has no name
		field := v.Field(i)
		if field.Kind() == reflect.Slice {
			for j := range field.Len() {
				if missing(field.Index(j)) {
					return errcodes.New(errcodes.Configuration, name+" must not contain nil")
				}
			}
			continue
		}
		if missing(field) {
			return errcodes.New(errcodes.Configuration, name+" is required")
		}
	}
	return nil
}

func missing(v reflect.Value) bool {
	if v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
	}
	return slices.Contains(nilable, v.Kind()) && v.IsNil()
}

var nilable = []reflect.Kind{reflect.Interface, reflect.Pointer, reflect.Func, reflect.Map, reflect.Chan}
