package postgres

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/corridor-go/corridor/adapters/bookcodec"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// optionalMillis truncates a time to milliseconds, and returns NULL for the zero time.
func optionalMillis(t time.Time) pgtype.Timestamptz {
	if t.IsZero() {
		return pgtype.Timestamptz{}
	}
	return pgtype.Timestamptz{Time: time.UnixMilli(t.UnixMilli()).UTC(), Valid: true}
}

// millis truncates a time that is never NULL to milliseconds.
func millis(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

// optionalText returns NULL for the empty text.
func optionalText(s string) pgtype.Text { return pgtype.Text{String: s, Valid: s != ""} }

// bytesOf returns data, or an empty slice for nil, which would be NULL.
func bytesOf(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// instant scans a nullable time; NULL becomes the zero time.
type instant struct{ t *time.Time }

// ScanTimestamptz implements pgtype.TimestamptzScanner.
func (i instant) ScanTimestamptz(v pgtype.Timestamptz) error {
	*i.t = time.Time{}
	if v.Valid {
		*i.t = v.Time.UTC()
	}
	if v.InfinityModifier != pgtype.Finite {
		return corrupt("a time is infinite")
	}
	return nil
}

// minusInfinity and plusInfinity represent infinite times in listings. No valid
// record has them.
var minusInfinity, plusInfinity = time.UnixMilli(math.MinInt64).UTC(), time.UnixMilli(math.MaxInt64).UTC()

// lenientInstant is instant for a listing, which a damaged row must not end: an
// infinite time becomes minusInfinity or plusInfinity, and the caller finds the row
// invalid.
type lenientInstant struct{ t *time.Time }

// ScanTimestamptz implements pgtype.TimestamptzScanner.
func (a lenientInstant) ScanTimestamptz(v pgtype.Timestamptz) error {
	switch v.InfinityModifier {
	case pgtype.Infinity:
		*a.t = plusInfinity
	case pgtype.NegativeInfinity:
		*a.t = minusInfinity
	case pgtype.Finite:
		return instant(a).ScanTimestamptz(v)
	}
	return nil
}

// pageStart returns the lower bound of a page: the time at which the previous page
// ended, or minus infinity for the first page.
func pageStart(t time.Time) pgtype.Timestamptz {
	p := pgtype.Timestamptz{Time: t, Valid: true}
	switch {
	case t.IsZero() || !t.After(minusInfinity):
		p.InfinityModifier = pgtype.NegativeInfinity
	case !t.Before(plusInfinity):
		p.InfinityModifier = pgtype.Infinity
	}
	return p
}

// text scans a nullable text; NULL becomes the empty text.
type text struct{ s *string }

// ScanText implements pgtype.TextScanner.
func (t text) ScanText(v pgtype.Text) error {
	*t.s = v.String
	return nil
}

// known scans a text that must be one of values, so that an unknown status is never
// taken for a terminal one.
type known[S ~string] struct {
	s      *S
	values []S
}

// ScanText implements pgtype.TextScanner.
func (k known[S]) ScanText(v pgtype.Text) error {
	*k.s = S(v.String)
	if !slices.Contains(k.values, *k.s) {
		return corrupt(fmt.Sprintf("unknown %T", *k.s)) // stored values stay out of errors
	}
	return nil
}

// byteString scans bytes into a string.
type byteString struct{ s *string }

// ScanBytes implements pgtype.BytesScanner.
func (r byteString) ScanBytes(v []byte) error {
	*r.s = string(v)
	return nil
}

// digest scans a SHA-256.
type digest struct{ sum *[32]byte }

// ScanBytes implements pgtype.BytesScanner.
func (d digest) ScanBytes(v []byte) error {
	if len(v) != len(d.sum) {
		return corrupt("a SHA-256 hash does not have 32 bytes")
	}
	copy(d.sum[:], v)
	return nil
}

// byteSlice scans bytes; an empty value becomes nil.
type byteSlice struct{ data *[]byte }

// ScanBytes implements pgtype.BytesScanner.
func (s byteSlice) ScanBytes(v []byte) error {
	*s.data = append([]byte(nil), v...)
	return nil
}

// number scans a nullable number; NULL becomes 0.
type number struct{ n *int64 }

// ScanInt64 implements pgtype.Int64Scanner.
func (n number) ScanInt64(v pgtype.Int8) error {
	*n.n = v.Int64
	return nil
}

// slots scans a book's packed locks. The book's Key must be set.
type slots struct{ book *ports.Book }

// ScanBytes implements pgtype.BytesScanner.
func (s slots) ScanBytes(v []byte) error { return bookcodec.Read(s.book, v) }

// jsonList scans a JSON list by read; an empty list becomes nil.
type jsonList[V any] struct {
	list *[]V
	read func([]byte) ([]V, error)
}

// ScanBytes implements pgtype.BytesScanner.
func (l jsonList[V]) ScanBytes(v []byte) (err error) {
	*l.list, err = l.read(v)
	return err
}

// lenientList scans a list; a damaged one becomes nil.
type lenientList struct{ list pgtype.BytesScanner }

// ScanBytes implements pgtype.BytesScanner.
func (a lenientList) ScanBytes(v []byte) error {
	_ = a.list.ScanBytes(v) // on an error the list is nil
	return nil
}

func corrupt(what string) error {
	return errcodes.Wrap(errcodes.CorruptRecord, "", fmt.Errorf("postgres: %s", what))
}
