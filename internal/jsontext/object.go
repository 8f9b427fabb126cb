// Package jsontext encodes JSON with the same bytes as encoding/json where reflection
// would be too slow, decodes strings that encoding/json would change, and quotes clients'
// texts for errors.
package jsontext

import (
	"encoding/json"
	"strconv"
	"time"
)

// Object is a JSON object under construction. Its zero value is an empty object. Buf may
// be set to a buffer to reuse.
type Object struct {
	Buf []byte
	err error
}

// Done returns the object's text.
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

// Number adds a member with an integer value.
func (o *Object) Number(name string, n int64) {
	o.name(name)
	o.Buf = strconv.AppendInt(o.Buf, n, 10)
}

// Raw adds a member whose value is already JSON.
func (o *Object) Raw(name, value string) {
	o.name(name)
	o.Buf = append(o.Buf, value...)
}

// Bool adds a member with a boolean value.
func (o *Object) Bool(name string, b bool) {
	o.name(name)
	o.Buf = strconv.AppendBool(o.Buf, b)
}

// Time adds a member with a time as RFC 3339 text.
func (o *Object) Time(name string, t time.Time) {
	o.name(name)
	o.Buf = append(o.Buf, '"')
	o.Buf = t.AppendFormat(o.Buf, time.RFC3339Nano)
	o.Buf = append(o.Buf, '"')
}

// Text adds a member with a string value. The name is not escaped.
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

// plainASCII reports whether s needs no escapes in JSON.
func plainASCII(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}
