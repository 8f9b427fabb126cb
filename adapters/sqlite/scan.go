package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/corridor-go/corridor/adapters/bookcodec"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// blob returns a key's bytes, never nil, which the driver stores as NULL.
func blob(s string) []byte { return append([]byte{}, s...) }

// bytesOf returns data, or an empty slice for nil.
func bytesOf(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// optionalMillis returns NULL for the zero time.
func optionalMillis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// optionalText returns NULL for the empty text.
func optionalText(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// instant scans milliseconds since 1970 into a UTC time, and NULL into the zero time.
type instant struct{ t *time.Time }

func (i instant) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*i.t = time.Time{}
	case int64:
		*i.t = time.UnixMilli(v).UTC()
	default:
		return wrongType(v)
	}
	return nil
}

// digest scans a SHA-256; NULL becomes zeros.
type digest struct{ sum *[32]byte }

func (d digest) Scan(v any) error {
	sum, ok := v.([]byte)
	*d.sum = [32]byte{}
	if v != nil && (!ok || len(sum) != len(d.sum)) {
		return errcodes.Wrap(errcodes.CorruptRecord, "", errors.New("a SHA-256 hash does not have 32 bytes"))
	}
	copy(d.sum[:], sum)
	return nil
}

// text and number scan nullable columns; NULL becomes the zero value.
type (
	text   = optional[string]
	number = optional[int64]
)

type optional[V any] struct{ v *V }

func (o optional[V]) Scan(value any) error {
	var zero V
	switch value := value.(type) {
	case nil:
		*o.v = zero
	case V:
		*o.v = value
	default:
		return wrongType(value)
	}
	return nil
}

// known scans a text that must be one of values, so that an unknown status is never
// taken for a terminal one.
type known[S ~string] struct {
	s      *S
	values []S
}

func (k known[S]) Scan(value any) error {
	var s string
	if err := (text{&s}).Scan(value); err != nil {
		return err
	}
	*k.s = S(s)
	if !slices.Contains(k.values, *k.s) {
		return errcodes.Wrap(errcodes.CorruptRecord, "", fmt.Errorf("unknown %T %q", *k.s, s))
	}
	return nil
}

// slots scans a book's packed locks. The book's Key must be set.
type slots struct{ book *ports.Book }

func (s slots) Scan(v any) error {
	data, ok := v.([]byte)
	if !ok {
		return wrongType(v)
	}
	return bookcodec.Read(s.book, data)
}

// jsonList scans a JSON list by read; an empty list becomes nil.
type jsonList[V any] struct {
	list *[]V
	read func([]byte) ([]V, error)
}

func (l jsonList[V]) Scan(value any) error {
	var s string
	err := (text{&s}).Scan(value)
	if err == nil {
		*l.list, err = l.read([]byte(s))
	}
	return err
}

func wrongType(v any) error {
	return errcodes.Wrap(errcodes.CorruptRecord, "", fmt.Errorf("unexpected type %T in a column", v))
}

// scanListed scans a row of a listing, which a damaged row must not end: a cell
// that cannot be read leaves its field zero, and the caller finds the row invalid.
func scanListed(rows *sql.Rows, fields ...any) error {
	if rows.Scan(fields...) == nil {
		return nil
	}
	for i := range fields {
		fields[i] = lenientCell{fields[i]}
	}
	return rows.Scan(fields...)
}

// lenientCell scans into field, and leaves it unchanged if the value does not fit.
type lenientCell struct{ field any }

func (a lenientCell) Scan(value any) error {
	switch f := a.field.(type) {
	case sql.Scanner:
		_ = f.Scan(value)
	case *string:
		assignIfReadable(f, value)
	case *[]byte:
		assignIfReadable(f, value)
	case *int:
		assignIfReadable(f, value)
	case *int64:
		assignIfReadable(f, value)
	case *bool:
		assignIfReadable(f, value)
	}
	return nil
}

func assignIfReadable[V any](field *V, value any) {
	var v sql.Null[V]
	if v.Scan(value) == nil {
		*field = v.V
	}
}
