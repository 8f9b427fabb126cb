package report

import (
	"encoding/base32"
	"encoding/binary"
	"io"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// IDPrefix opens the id of every report.
const IDPrefix = "rep_"

var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// newID makes a report's id: 48 bits of the time, so that ids sort roughly by
// age, and 80 bits of chance.
func newID(now time.Time, random io.Reader) (string, error) {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], uint64(now.UnixMilli())<<16)
	if _, err := io.ReadFull(random, raw[6:]); err != nil {
		return "", errcodes.Wrap(errcodes.Internal, "", err)
	}
	return IDPrefix + idEncoding.EncodeToString(raw[:]), nil
}
