// Package wiring checks what a constructor is given.
package wiring

import (
	"reflect"
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
				if errcodes.NotNil(name, field.Index(j).Interface()) != nil {
					return errcodes.New(errcodes.Configuration, name+" must not contain nil")
				}
			}
			continue
		}
		if err := errcodes.NotNil(name, field.Interface()); err != nil {
			return err
		}
	}
	return nil
}
