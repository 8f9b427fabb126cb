package wiring

import (
	"cmp"
	"reflect"

	"github.com/corridor-go/corridor/errcodes"
)

// Defaults returns a copy of config whose zero fields have the values of defaults. Fields
// that are structs, such as Hooks, are completed field by field. A nil config means
// defaults. C must be a struct of exported fields. Defaults returns
// [errcodes.Configuration] if a field is an interface that holds a nil pointer.
func Defaults[C any](config *C, defaults C) (C, error) {
	if config == nil {
		return defaults, nil
	}
	completed := *config
	err := complete(reflect.ValueOf(&completed).Elem(), reflect.ValueOf(defaults))
	return completed, err
}

func complete(v, defaults reflect.Value) (err error) {
	for i := range v.NumField() {
		switch field := v.Field(i); {
		case field.Kind() == reflect.Struct:
			err = cmp.Or(err, complete(field, defaults.Field(i)))
		case field.IsZero():
			field.Set(defaults.Field(i))
		case field.Kind() == reflect.Interface && errcodes.NotNil("", field.Interface()) != nil:
			err = errcodes.New(errcodes.Configuration, v.Type().Field(i).Name+" holds a nil pointer")
		}
	}
	return err
}
