// Package ids creates ids of records.
package ids

import (
	"encoding/base32"
	"encoding/binary"
	"io"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

var encoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// New returns prefix and 26 characters of 0-9 and a-z: 48 bits of time in milliseconds,
// so that ids sort roughly by age and stores append them, and 80 bits from random, so
// that ids are unique (I13). It returns [errcodes.Internal] if random fails.
func New(prefix string, now time.Time, random io.Reader) (string, error) {
	raw := at(now)
	if _, err := io.ReadFull(random, raw[6:]); err != nil {
		return "", errcodes.Wrap(errcodes.Internal, "", err)
	}
	return encode(prefix, raw), nil
}

// First returns the lowest id that New can return at t, which must not be before 1970.
func First(prefix string, t time.Time) string { return encode(prefix, at(t)) }

func at(t time.Time) (raw [16]byte) {
	binary.BigEndian.PutUint64(raw[:8], uint64(t.UnixMilli())<<16)
	return raw
}

func encode(prefix string, raw [16]byte) string {
	var buf [40]byte
	return string(encoding.AppendEncode(append(buf[:0], prefix...), raw[:]))
}
