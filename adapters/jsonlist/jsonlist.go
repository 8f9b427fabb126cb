// Package jsonlist converts lists of texts and of report filters to and from the JSON
// that stores keep in a column. A text is a JSON string:
//
//	jsonlist.Texts([]string{"amount", "a\xff"}) // ["amount",{"base64":"Yf8="}]
//
// JSON cannot contain bytes that are not UTF-8, and PostgreSQL's jsonb cannot contain
// NUL: a text with either is written as the object {"base64": …}. A NUL written as
// "\u0000" is read as well.
package jsonlist

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Texts returns the JSON array of texts of any bytes; [] for an empty list.
func Texts(list []string) string {
	return write(convert[text](list))
}

// Filters returns the JSON array of filters; [] for an empty list. Texts may have any
// bytes. Empty fields other than the column are left out.
func Filters(list []ports.Filter) string {
	out := make([]filter, len(list))
	for i := range list {
		f := &list[i]
		out[i] = filter{new(text(f.Column)), convert[text](f.OneOf), text(f.From), text(f.To)}
	}
	return write(out)
}

// ReadTexts parses what [Texts] returned; nil for an empty list. Other data is
// [errcodes.CorruptRecord], and the error does not quote it.
func ReadTexts(data []byte) ([]string, error) {
	list, err := read[text](data)
	return convert[string](list), err
}

// ReadFilters parses what [Filters] returned; nil for an empty list. Other data is
// [errcodes.CorruptRecord], and the error does not quote it.
func ReadFilters(data []byte) ([]ports.Filter, error) {
	list, err := read[filter](data)
	var out []ports.Filter
	for _, f := range list {
		if f.Column == nil {
			return nil, damaged()
		}
		out = append(out, ports.Filter{
			Column: string(*f.Column), OneOf: convert[string](f.OneOf), From: string(f.From), To: string(f.To),
		})
	}
	return out, err
}

// text may have any bytes.
type text string

type coded struct {
	Base64 *[]byte `json:"base64"`
}

// MarshalJSON implements json.Marshaler.
func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) && !strings.Contains(string(t), "\x00") {
		return json.Marshal(string(t))
	}
	return json.Marshal(coded{new([]byte(t))})
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, (*string)(t))
	}
	var c coded
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	if c.Base64 == nil {
		return errors.New("a text is neither a string nor base64")
	}
	*t = text(*c.Base64)
	return nil
}

type filter struct {
	Column *text  `json:"column"`
	OneOf  []text `json:"oneOf,omitempty"`
	From   text   `json:"from,omitempty"`
	To     text   `json:"to,omitempty"`
}

// convert returns list as another string type; nil if it is empty.
func convert[To, From ~string](list []From) []To {
	if len(list) == 0 {
		return nil
	}
	out := make([]To, len(list))
	for i, s := range list {
		out[i] = To(s)
	}
	return out
}

// write returns the JSON array of list; never null.
func write[V text | filter](list []V) string {
	if len(list) == 0 {
		return "[]"
	}
	data, _ := json.Marshal(list) //nolint:errchkjson // texts never fail
	return string(data)
}

func read[V any](data []byte) ([]V, error) {
	var list []V
	if err := json.Unmarshal(data, &list); err != nil || list == nil {
		return nil, damaged()
	}
	return list, nil
}

func damaged() error {
	return errcodes.Wrap(errcodes.CorruptRecord, "", errors.New("a stored list is not valid JSON of its type"))
}
