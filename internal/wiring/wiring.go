// Package wiring checks the arguments of constructors.
package wiring

import (
	"reflect"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
)

// Check returns [errcodes.Configuration] with the name of the first missing field of the
// struct: a nil interface, pointer, func or map, or an interface that contains a nil
// pointer, which does not equal nil but panics when used. In a slice each element is
// checked; the slice may be empty.
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
