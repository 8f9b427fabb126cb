package localfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// KeyError is the error of [Decode] for a key. Its text contains nothing from the file.
type KeyError struct {
	Key  string
	Item int // in the innermost list around the key, from 1
}

func (*KeyError) Error() string { return "a key is unknown or repeated" }

// Decode decodes a JSON value into into, whose structs have the given keys. Unlike
// encoding/json it rejects keys that are unknown, in another case or repeated, with a
// [KeyError], and text after the value. Its errors contain nothing from the file, because
// it may contain secrets.
func Decode(body []byte, into any, keys ...string) error {
	if err := Check(body); err != nil {
		return err
	}
	if err := checkKeys(json.NewDecoder(bytes.NewReader(body)), keys); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if d.Decode(into) != nil {
		return errors.New("a value has the wrong type")
	}
	return nil
}

// Check returns an error unless the body is one JSON value. Its errors contain the line,
// and nothing from the file.
func Check(body []byte) error {
	d := json.NewDecoder(bytes.NewReader(body))
	err := d.Decode(new(json.RawMessage))
	if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("line %d is not valid JSON", line(body[:max(wrong.Offset-1, 0)]))
	}
	if err != nil {
		return fmt.Errorf("the JSON value ends in line %d before it is complete", line(body))
	}
	end := d.InputOffset()
	if _, err := d.Token(); err != io.EOF {
		rest := bytes.TrimLeft(body[end:], " \t\r\n")
		return fmt.Errorf("there is text after the JSON value, in line %d", line(body[:len(body)-len(rest)]))
	}
	return nil
}

// line returns the number of the line that follows before, from 1.
func line(before []byte) int { return 1 + bytes.Count(before, []byte("\n")) }

// Member is a key of a JSON object and its value.
type Member struct {
	Key   string
	Value json.RawMessage
}

// Members returns the members of a JSON object in order, also those whose key is repeated.
// It returns an error if the value is not an object. The value must be valid JSON.
func Members(value []byte) (all []Member, err error) {
	d := json.NewDecoder(bytes.NewReader(value))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		all = append(all, Member{Key: key})
		if err := d.Decode(&all[len(all)-1].Value); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// checkKeys reads the next value of valid JSON.
func checkKeys(d *json.Decoder, keys []string) error {
	token, err := d.Token()
	open, nested := token.(json.Delim)
	if err != nil || !nested {
		return err
	}
	seen := map[string]bool{}
	for item := 1; d.More(); item++ {
		if open == '{' {
			token, err := d.Token()
			if err != nil {
				return err
			}
			key, _ := token.(string)
			if seen[key] || !slices.Contains(keys, key) {
				return &KeyError{Key: key}
			}
			seen[key] = true
		}
		if err := checkKeys(d, keys); err != nil {
			if wrong, ok := errors.AsType[*KeyError](err); ok && open == '[' && wrong.Item == 0 {
				wrong.Item = item
			}
			return err
		}
	}
	_, err = d.Token()
	return err
}
