package validation

import (
	"encoding/binary"
	"encoding/hex"
	"io"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// An id is a UUID of version 7 (RFC 9562 §5.7): 48 bits of the time, so that
// stores append, 42 bits of chance, then a serial number of 16 bits and a check
// sum of as many. Serial 0 is the stored record's own id; the others name the
// same record for callers that asked the same, so that each request has an id
// of its own and a repeated one costs no write. The check sum is no secret: an
// owner who makes a serial up reads a validation of its own.
const (
	serialAt   = 12
	checkAt    = 14
	lastSerial = 1<<16 - 1
)

type rawID [16]byte

// newID makes a record's id, with raw as room for its bytes.
func newID(now time.Time, random io.Reader, raw *rawID) (string, error) {
	binary.BigEndian.PutUint64(raw[:8], uint64(now.UnixMilli())<<16)
	if _, err := io.ReadFull(random, raw[6:serialAt]); err != nil {
		return "", errcodes.Wrap(errcodes.Internal, "", err)
	}
	raw[6] = raw[6]&0x0f | 0x70
	raw[8] = raw[8]&0x3f | 0x80
	return raw.numbered(0), nil
}

// numbered gives the id with another serial.
func (r *rawID) numbered(serial uint16) string {
	binary.BigEndian.PutUint16(r[serialAt:], serial)
	binary.BigEndian.PutUint16(r[checkAt:], r.sum())
	var text [36]byte
	hex.Encode(text[0:8], r[0:4])
	hex.Encode(text[9:13], r[4:6])
	hex.Encode(text[14:18], r[6:8])
	hex.Encode(text[19:23], r[8:10])
	hex.Encode(text[24:36], r[10:16])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}

// sum is Fletcher's checksum (RFC 1146), which tells each changed digit and each
// swap of bytes.
func (r *rawID) sum() uint16 {
	var a, b uint16 = 1, 0
	for _, c := range r[:checkAt] {
		a = (a + uint16(c)) % 255
		b = (b + a) % 255
	}
	return b<<8 | a
}

// recordID gives the id under which the record is stored that an id names. What
// is no id of ours comes back as it is, for the store not to find.
func recordID(id string) string {
	raw, ok := parseID(id)
	if !ok || binary.BigEndian.Uint16(raw[serialAt:]) == 0 {
		return id
	}
	return raw.numbered(0)
}

func parseID(id string) (raw rawID, ok bool) {
	if len(id) != 36 || id[8] != '-' || id[13] != '-' || id[18] != '-' || id[23] != '-' {
		return rawID{}, false
	}
	at := 0
	for i := range len(id) {
		if id[i] == '-' {
			continue
		}
		digit, hexadecimal := nibble(id[i])
		if !hexadecimal || at == 2*len(raw) {
			return rawID{}, false
		}
		raw[at/2] = raw[at/2]<<4 | digit
		at++
	}
	return raw, at == 2*len(raw) && binary.BigEndian.Uint16(raw[checkAt:]) == raw.sum()
}

// nibble reads a hexadecimal digit in lower case, as ids are written.
func nibble(c byte) (value byte, ok bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	default:
		return 0, false
	}
}
