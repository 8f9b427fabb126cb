package wiring

import "reflect"

// Defaults returns a copy of config whose zero fields have the values of defaults;
// a field that is a struct, such as Hooks, is completed field by field. A nil
// config means defaults. C is a struct of exported fields.
func Defaults[C any](config *C, defaults C) C {
	if config == nil {
		return defaults
	}
	completed := *config
	complete(reflect.ValueOf(&completed).Elem(), reflect.ValueOf(defaults))
	return completed
}

func complete(v, defaults reflect.Value) {
	for i := range v.NumField() {
		switch field := v.Field(i); {
		case field.Kind() == reflect.Struct:
			complete(field, defaults.Field(i))
		case field.IsZero():
			field.Set(defaults.Field(i))
		}
	}
}
