package validation

import (
	"encoding/binary"
	"encoding/hex"
	"io"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// newID makes a UUID of version 7 (RFC 9562 §5.7): 48 bits of the time, so that
// stores append, and 74 bits of chance.
func newID(now time.Time, random io.Reader) (string, error) {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], uint64(now.UnixMilli())<<16)
	if _, err := io.ReadFull(random, raw[6:]); err != nil {
		return "", errcodes.Wrap(errcodes.Internal, "", err)
	}
	raw[6] = raw[6]&0x0f | 0x70
	raw[8] = raw[8]&0x3f | 0x80
	var text [36]byte
	hex.Encode(text[0:8], raw[0:4])
	hex.Encode(text[9:13], raw[4:6])
	hex.Encode(text[14:18], raw[6:8])
	hex.Encode(text[19:23], raw[8:10])
	hex.Encode(text[24:36], raw[10:16])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:]), nil
}
