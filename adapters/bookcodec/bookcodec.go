// Package bookcodec packs the live locks of a [ports.Book] into bytes. Stores keep them
// in the book's row, so that a book is one read.
//
//	row.live = bookcodec.Append(nil, &book)
//	...
//	book := ports.Book{Key: key, Version: row.version, HighWater: row.highWater}
//	err := bookcodec.Read(&book, row.live)
package bookcodec

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/binrec"
	"github.com/corridor-go/corridor/ports"
)

// format is the first byte of the packed form.
const format = 1

// zeroTime stands for the zero time.Time, which has no value in milliseconds.
const zeroTime = math.MinInt64

// Append appends the packed live locks of the book to dst. It leaves out AsOf, and the
// owner and the pair, which are in the book's Key.
func Append(dst []byte, b *ports.Book) []byte {
	live := b.Live()
	dst = append(dst, format, byte(len(live)))
	for i := range live {
		dst = appendLock(dst, &live[i])
	}
	return dst
}

// Read sets the book's slots from data that [Append] packed for a book with the same
// Key. It returns [errcodes.CorruptRecord] if data is damaged.
func Read(b *ports.Book, data []byte) error {
	r := binrec.Read(data)
	if r.Byte() != format {
		return damaged()
	}
	n := int(r.Byte())
	if n > len(b.Slots) {
		return damaged()
	}
	b.Slots = [ports.MaxLiveLocks]ports.RateLock{}
	for i := range n {
		l := &b.Slots[i]
		readLock(&r, l)
		l.Owner, l.Base, l.Quote = b.Key.Owner, b.Key.Pair.Base, b.Key.Pair.Quote
		if l.ID == "" {
			return damaged()
		}
	}
	if !r.Done() {
		return damaged()
	}
	return nil
}

func damaged() error {
	return errcodes.New(errcodes.CorruptRecord, "the packed locks of a book are damaged")
}

func appendLock(dst []byte, l *ports.RateLock) []byte {
	for _, s := range [...]string{
		l.ID, l.MidRate, l.AllInRate, l.MidSource, string(l.Status), string(l.CancellationReason), l.ObservedMid,
	} {
		dst = binrec.AppendText(dst, s)
	}
	for _, t := range [...]time.Time{l.MidAt, l.CreatedAt, l.ExpiresAt, l.EndedAt} {
		ms := int64(zeroTime)
		if !t.IsZero() {
			ms = t.UnixMilli()
		}
		dst = binary.AppendVarint(dst, ms)
	}
	for _, n := range [...]int64{int64(l.MarkupBps), int64(l.ToleranceBps), l.DeviationBps} {
		dst = binary.AppendVarint(dst, n)
	}
	return dst
}

func readLock(r *binrec.Reader, l *ports.RateLock) {
	l.ID, l.MidRate, l.AllInRate, l.MidSource = r.Text(), r.Text(), r.Text(), r.Text()
	l.Status = ports.LockActive
	if s := r.Bytes(); string(s) != string(ports.LockActive) { // no allocation for a live lock's status
		l.Status = ports.LockStatus(s)
	}
	l.CancellationReason, l.ObservedMid = ports.CancellationReason(r.Text()), r.Text()
	for _, t := range [...]*time.Time{&l.MidAt, &l.CreatedAt, &l.ExpiresAt, &l.EndedAt} {
		if ms := r.Int(); ms != zeroTime {
			*t = time.UnixMilli(ms).UTC()
		}
	}
	l.MarkupBps, l.ToleranceBps, l.DeviationBps = int(r.Int()), int(r.Int()), r.Int()
}
