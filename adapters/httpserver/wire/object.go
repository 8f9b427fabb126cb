package wire

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"unicode/utf8"

	"github.com/corridor-go/corridor/adapters/httpserver/internal/jsontext"
	"github.com/corridor-go/corridor/errcodes"
)

// field is a string member of an object and the destination of its value. An optional
// one may be missing or null; if number is set, the text of a number is accepted too.
type field struct {
	name     string
	into     *string
	optional bool
	number   bool
	raw      *[]byte // if not nil, stores the value of any type unchanged, instead of into
}

// decodeStrings decodes the fields from the JSON object in data, which must be UTF-8,
// and ignores all other members.
func decodeStrings(data []byte, fields []field) error {
	if !utf8.Valid(data) {
		return notAnObject("body")
	}
	return decodeFields("body", data, fields)
}

// decodeFields is decodeStrings without the check; errors call data by the name called.
func decodeFields(called string, data []byte, fields []field) error {
	if !json.Valid(data) {
		return notAnObject(called)
	}
	if data = trimSpace(data); data[0] != '{' {
		return notAnObject(called)
	}
	seen := make([]bool, len(fields))
	for name, value := range members(data) {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == string(name) })
		if i < 0 {
			continue
		}
		if seen[i] {
			return badField(fields[i].name, "must not be repeated")
		}
		seen[i] = true
		if err := fields[i].take(value); err != nil {
			return err
		}
	}
	return nil
}

func (f *field) take(value []byte) error {
	switch c := value[0]; {
	case f.raw != nil:
		*f.raw = value
	case f.optional && c == 'n':
	case c == '"':
		*f.into = string(jsontext.Unquote(value))
	case f.number && (c == '-' || c >= '0' && c <= '9'):
		*f.into = string(value)
	case f.number:
		return badField(f.name, "must be a string or a number")
	default:
		return badField(f.name, "must be a string")
	}
	return nil
}

func notAnObject(called string) error {
	return errcodes.New(errcodes.InvalidRequest, "The "+called+" must be a JSON object")
}

func badField(name, reason string) error {
	return errcodes.New(errcodes.InvalidRequest, name+" "+reason).
		WithDetails(errcodes.FieldDetails{Fields: []errcodes.Field{{Name: name, Reason: reason}}})
}

const space = " \t\r\n"

// trimSpace returns data without leading JSON white space.
func trimSpace(data []byte) []byte {
	for len(data) > 0 && (data[0] == ' ' || data[0] == '\t' || data[0] == '\r' || data[0] == '\n') {
		data = data[1:]
	}
	return data
}

// walker reads tokens of an object or a list that is known to be valid, so it never
// fails. It starts before the first bracket.
type walker struct{ rest []byte }

// members returns the unquoted names and the values of the object.
func members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for w := (walker{object}); w.next(); {
			name := jsontext.Unquote(w.value())
			w.rest = trimSpace(w.rest[1:]) // the colon
			if !yield(name, w.value()) {
				return
			}
		}
	}
}

// elements returns the elements of the list.
func elements(list []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for w := (walker{list}); w.next(); {
			if !yield(w.value()) {
				return
			}
		}
	}
}

// next moves to the next member or element, and reports whether there is one.
func (w *walker) next() bool {
	if w.rest[0] == '}' || w.rest[0] == ']' {
		return false
	}
	w.rest = trimSpace(w.rest[1:])
	return w.rest[0] != '}' && w.rest[0] != ']'
}

// value returns a value, and skips it and the space after it.
func (w *walker) value() []byte {
	n := valueLen(w.rest)
	taken := w.rest[:n]
	w.rest = trimSpace(w.rest[n:])
	return taken
}

// stringLen returns the length of the quoted string at the start of data.
func stringLen(data []byte) int {
	n := 1
	for data[n] != '"' {
		if data[n] == '\\' {
			n++
		}
		n++
	}
	return n + 1
}

func valueLen(data []byte) int {
	switch data[0] {
	case '"':
		return stringLen(data)
	case '{', '[':
		return nestedLen(data)
	default:
		return bytes.IndexAny(data, ",}]"+space)
	}
}

func nestedLen(data []byte) int {
	depth, n := 0, 0
	for {
		switch data[n] {
		case '"':
			n += stringLen(data[n:])
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		n++
		if depth == 0 {
			return n
		}
	}
}
