// Package jsontext writes JSON by hand where reflection would cost as much as
// the work around it, with the bytes of encoding/json; reads strings whose
// bytes encoding/json would change; and shows texts of clients in errors.
package jsontext

import (
	"encoding/json"
	"strconv"
	"time"
)

// Object is a JSON object in the making. Start with a buffer in Buf, or none;
// its zero value is an empty object.
type Object struct {
	Buf []byte
	err error
}

// Done gives the object's text.
func (o *Object) Done() ([]byte, error) {
	if len(o.Buf) == 0 {
		o.Buf = append(o.Buf, '{')
	}
	return append(o.Buf, '}'), o.err
}

func (o *Object) name(name string) {
	open := byte(',')
	if len(o.Buf) == 0 {
		open = '{'
	}
	o.Buf = append(o.Buf, open, '"')
	o.Buf = append(o.Buf, name...)
	o.Buf = append(o.Buf, '"', ':')
}

// Number adds a member with an integer.
func (o *Object) Number(name string, n int64) {
	o.name(name)
	o.Buf = strconv.AppendInt(o.Buf, n, 10)
}

// Raw adds a member whose value is JSON as it stands.
func (o *Object) Raw(name, value string) {
	o.name(name)
	o.Buf = append(o.Buf, value...)
}

// Bool adds a member with a truth value.
func (o *Object) Bool(name string, b bool) {
	o.name(name)
	o.Buf = strconv.AppendBool(o.Buf, b)
}

// Time adds a member with a time in RFC 3339.
func (o *Object) Time(name string, t time.Time) {
	o.name(name)
	o.Buf = append(o.Buf, '"')
	o.Buf = t.AppendFormat(o.Buf, time.RFC3339Nano)
	o.Buf = append(o.Buf, '"')
}

// Text adds a member with a string. The name is written as it is.
func (o *Object) Text(name, s string) {
	o.name(name)
	if plainASCII(s) {
		o.Buf = append(o.Buf, '"')
		o.Buf = append(o.Buf, s...)
		o.Buf = append(o.Buf, '"')
		return
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		o.err = err
	}
	o.Buf = append(o.Buf, quoted...)
}

// plainASCII reports whether JSON quotes s as it is.
func plainASCII(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}
