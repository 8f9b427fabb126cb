package ratelock

import (
	"encoding/base32"
	"encoding/binary"
	"io"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// IDPrefix opens the id of every lock.
const IDPrefix = "rl_"

var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// newID makes a lock's id: 48 bits of the time, so that ids sort roughly by
// age and stores append them, and 80 bits of chance, so that none comes twice
// (I13).
func newID(now time.Time, random io.Reader) (string, error) {
	raw := at(now)
	if _, err := io.ReadFull(random, raw[6:]); err != nil {
		return "", errcodes.Wrap(errcodes.Internal, "", err)
	}
	return encode(raw), nil
}

// FirstID gives the lowest id that a lock made at t or later has, by the clock of
// the process that made it: where a partition by ids begins. t is from 1970 on.
func FirstID(t time.Time) string { return encode(at(t)) }

func at(t time.Time) (raw [16]byte) {
	binary.BigEndian.PutUint64(raw[:8], uint64(t.UnixMilli())<<16)
	return raw
}

func encode(raw [16]byte) string {
	var buf [len(IDPrefix) + 26]byte
	copy(buf[:], IDPrefix)
	idEncoding.Encode(buf[len(IDPrefix):], raw[:])
	return string(buf[:])
}
