package postgres

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/corridor-go/corridor/ports"
)

// anyText is a text in a list of JSON. jsonb has no place for NUL, nor for bytes
// that are no UTF-8: a text with such is the object {"base64": …}.
type anyText string

type coded64 struct {
	Base64 *[]byte `json:"base64"`
}

// MarshalJSON implements json.Marshaler.
func (a anyText) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(a)) && !strings.Contains(string(a), "\x00") {
		return json.Marshal(string(a))
	}
	return json.Marshal(coded64{new([]byte(a))})
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *anyText) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, (*string)(a))
	}
	var c coded64
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	if c.Base64 == nil {
		return errors.New("a text is neither a string nor base64")
	}
	*a = anyText(*c.Base64)
	return nil
}

// anyFilter is a filter whose texts are of any bytes.
type anyFilter struct {
	Column anyText   `json:"column"`
	OneOf  []anyText `json:"oneOf,omitempty"`
	From   anyText   `json:"from,omitempty"`
	To     anyText   `json:"to,omitempty"`
}

// convert gives a list in another type of text; nil for none.
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

// listed is the JSON list of what f makes of each; never null. A string is what
// pgx hands on as it is.
func listed[From, To any](list []From, f func(From) To) (string, error) {
	out := make([]To, len(list))
	for i := range list {
		out[i] = f(list[i])
	}
	data, err := json.Marshal(out)
	return string(data), err
}

func textList(list []string) (string, error) {
	return listed(list, func(s string) anyText { return anyText(s) })
}

func filterList(list []ports.Filter) (string, error) {
	return listed(list, func(f ports.Filter) anyFilter {
		return anyFilter{anyText(f.Column), convert[anyText](f.OneOf), anyText(f.From), anyText(f.To)}
	})
}

// texts scans a JSON list of texts; nil for an empty one.
type texts struct{ list *[]string }

// ScanBytes implements pgtype.BytesScanner.
func (t texts) ScanBytes(v []byte) error {
	var list []anyText
	if err := unlist(v, &list); err != nil {
		return err
	}
	*t.list = convert[string](list)
	return nil
}

// filters scans a JSON list of filters; nil for an empty one.
type filters struct{ list *[]ports.Filter }

// ScanBytes implements pgtype.BytesScanner.
func (f filters) ScanBytes(v []byte) error {
	var list []anyFilter
	if err := unlist(v, &list); err != nil {
		return err
	}
	*f.list = nil
	for _, a := range list {
		*f.list = append(*f.list, ports.Filter{
			Column: string(a.Column), OneOf: convert[string](a.OneOf), From: string(a.From), To: string(a.To),
		})
	}
	return nil
}

// anyList scans a list, or nothing of a damaged one.
type anyList struct{ list pgtype.BytesScanner }

// ScanBytes implements pgtype.BytesScanner.
func (a anyList) ScanBytes(v []byte) error {
	_ = a.list.ScanBytes(v) // it is empty then
	return nil
}

// unlist decodes a column of JSON.
func unlist(v []byte, list any) error {
	if err := json.Unmarshal(v, list); err != nil {
		return corrupt("a list is not the JSON that it should be")
	}
	return nil
}
