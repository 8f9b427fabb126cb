package sqlite

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// blob gives a key's bytes; the driver takes nil for NULL, so never that.
func blob(s string) []byte { return append([]byte{}, s...) }

// bytesOf is data, and never nil.
func bytesOf(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// optionalMillis is NULL for the zero time.
func optionalMillis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// optionalText is NULL for the empty text.
func optionalText(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// instant scans milliseconds since 1970 into a UTC time, NULL into the zero
// time.
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

// text scans a text that may be NULL.
type text struct{ s *string }

func (t text) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*t.s = ""
	case string:
		*t.s = v
	default:
		return wrongType(v)
	}
	return nil
}

// number scans a number that may be NULL, which is 0.
type number struct{ n *int64 }

func (n number) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*n.n = 0
	case int64:
		*n.n = v
	default:
		return wrongType(v)
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
	return s.book.SetSlots(data)
}

func wrongType(v any) error {
	return errcodes.Wrap(errcodes.CorruptRecord, "", fmt.Errorf("a column holds a %T", v))
}

// inRange refuses a page size or batch outside 1 to limit.
func inRange(n, limit int) error {
	if n < 1 || n > limit {
		return errcodes.New(errcodes.InvalidRequest, fmt.Sprintf("The number asked for is 1 to %d", limit))
	}
	return nil
}

// checkClaim refuses a lease or a number that no claim has.
func checkClaim(lease time.Duration, n int) error {
	if lease <= 0 {
		return errcodes.New(errcodes.InvalidRequest, "A lease is above zero")
	}
	return inRange(n, maxClaim)
}

const (
	maxPage   = 10_000 // of a listing, as ports sets it
	maxClaim  = 1_000  // items of one claim
	maxReason = 1_024  // bytes of a reason to bury
)

func checkReason(reason string) error {
	if len(reason) > maxReason {
		return errcodes.New(errcodes.InvalidRequest, fmt.Sprintf("A reason has at most %d bytes", maxReason))
	}
	return nil
}

// sequenced is a claimed item with its rank: what is due earlier, then what was
// saved earlier. RETURNING gives rows in no order.
type sequenced[V any] struct {
	due, seq int64
	value    V
}

func inOrder[V any](claimed []sequenced[V]) []V {
	slices.SortFunc(claimed, func(a, b sequenced[V]) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.seq, b.seq))
	})
	values := make([]V, len(claimed))
	for i := range claimed {
		values[i] = claimed[i].value
	}
	return values
}
