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

// optionalMillis cuts a time to what the tables keep; the zero time is NULL.
func optionalMillis(t time.Time) pgtype.Timestamptz {
	if t.IsZero() {
		return pgtype.Timestamptz{}
	}
	return pgtype.Timestamptz{Time: time.UnixMilli(t.UnixMilli()).UTC(), Valid: true}
}

// millis is optionalMillis of a time that is never NULL, such as one that is
// compared with.
func millis(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

// optionalText is NULL for the empty text.
func optionalText(s string) pgtype.Text { return pgtype.Text{String: s, Valid: s != ""} }

// bytesOf is data, and never nil, which would be NULL.
func bytesOf(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// instant scans a time that may be NULL, which is the zero time.
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

// minusInfinity and plusInfinity are the times that stand for infinite ones in a
// listing, and which no sound record has.
var minusInfinity, plusInfinity = time.UnixMilli(math.MinInt64).UTC(), time.UnixMilli(math.MaxInt64).UTC()

// lenientInstant is instant for a listing, which a damaged row must not end: the caller
// is given an infinite time as one that is none, to judge the row by.
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

// pageStart is where a page of a listing starts: behind a time that the page before
// ended at, or at the beginning.
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

// text scans a text that may be NULL, which is the empty one.
type text struct{ s *string }

// ScanText implements pgtype.TextScanner.
func (t text) ScanText(v pgtype.Text) error {
	*t.s = v.String
	return nil
}

// known scans a text that must be one of values: an unknown status must not pass
// for an end.
type known[S ~string] struct {
	s      *S
	values []S
}

// ScanText implements pgtype.TextScanner.
func (k known[S]) ScanText(v pgtype.Text) error {
	*k.s = S(v.String)
	if !slices.Contains(k.values, *k.s) {
		return corrupt(fmt.Sprintf("an unknown %T", *k.s))
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

// byteSlice scans bytes; no bytes are nil.
type byteSlice struct{ data *[]byte }

// ScanBytes implements pgtype.BytesScanner.
func (s byteSlice) ScanBytes(v []byte) error {
	*s.data = append([]byte(nil), v...)
	return nil
}

// number scans a number that may be NULL, which is 0.
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

// jsonList scans a JSON list as read reads it; nil for an empty one.
type jsonList[V any] struct {
	list *[]V
	read func([]byte) ([]V, error)
}

// ScanBytes implements pgtype.BytesScanner.
func (l jsonList[V]) ScanBytes(v []byte) (err error) {
	*l.list, err = l.read(v)
	return err
}

// lenientList scans a list, or nothing of a damaged one.
type lenientList struct{ list pgtype.BytesScanner }

// ScanBytes implements pgtype.BytesScanner.
func (a lenientList) ScanBytes(v []byte) error {
	_ = a.list.ScanBytes(v) // it is empty then
	return nil
}

func corrupt(what string) error {
	return errcodes.Wrap(errcodes.CorruptRecord, "", fmt.Errorf("postgres: %s", what))
}
