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
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(new(json.RawMessage)); err != nil {
		return fmt.Errorf("invalid JSON at or before byte %d", d.InputOffset())
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is text after the JSON value")
	}
	if err := checkKeys(json.NewDecoder(bytes.NewReader(body)), keys); err != nil {
		return err
	}
	d = json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if d.Decode(into) != nil {
		return errors.New("a value has the wrong type")
	}
	return nil
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
