package ports

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// slotsFormat opens the packed form, so that a later one can be told apart.
const slotsFormat = 1

// zeroTime stands for the zero time.Time, which has no place on the millisecond line.
const zeroTime = math.MinInt64

// AppendSlots appends the packed form of the book's live locks to dst, for
// stores that keep them in the book's own row. Everything that the locks share
// with Key is left out; AsOf is not kept.
func (b *Book) AppendSlots(dst []byte) []byte {
	live := b.Live()
	dst = append(dst, slotsFormat, byte(len(live)))
	for i := range live {
		dst = appendLock(dst, &live[i])
	}
	return dst
}

// SetSlots fills the slots from data, as AppendSlots packed them for a book of
// the same Key. Data that is damaged is errcodes.CorruptRecord.
func (b *Book) SetSlots(data []byte) error {
	r := reader{data: data}
	if r.byte() != slotsFormat {
		return damaged()
	}
	n := int(r.byte())
	if n > len(b.Slots) {
		return damaged()
	}
	b.Slots = [MaxLiveLocks]RateLock{}
	for i := range n {
		r.lock(&b.Slots[i])
		b.Slots[i].Owner, b.Slots[i].Base, b.Slots[i].Quote = b.Key.Owner, b.Key.Pair.Base, b.Key.Pair.Quote
		if b.Slots[i].ID == "" {
			return damaged()
		}
	}
	if r.bad || len(r.data) != 0 {
		return damaged()
	}
	return nil
}

func damaged() error {
	return errcodes.New(errcodes.CorruptRecord, "the packed locks of a book are damaged")
}

func appendLock(dst []byte, l *RateLock) []byte {
	for _, s := range [...]string{
		l.ID, l.MidRate, l.AllInRate, l.MidSource, string(l.Status), string(l.CancellationReason), l.ObservedMid,
	} {
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		dst = append(dst, s...)
	}
	for _, t := range [...]time.Time{l.MidAt, l.CreatedAt, l.ExpiresAt, l.EndedAt} {
		dst = binary.AppendVarint(dst, timeToMillis(t))
	}
	for _, n := range [...]int64{int64(l.MarkupBps), int64(l.ToleranceBps), l.DeviationBps} {
		dst = binary.AppendVarint(dst, n)
	}
	return dst
}

func timeToMillis(t time.Time) int64 {
	if t.IsZero() {
		return zeroTime
	}
	return t.UnixMilli()
}

func timeFromMillis(ms int64) time.Time {
	if ms == zeroTime {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// reader takes values off data; bad sticks.
type reader struct {
	data []byte
	bad  bool
}

func (r *reader) byte() byte {
	if len(r.data) == 0 {
		r.bad = true
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

func (r *reader) string() string {
	n, size := binary.Uvarint(r.data)
	if size <= 0 || n > uint64(len(r.data)-size) {
		r.bad, r.data = true, nil
		return ""
	}
	end := size + int(n)
	s := string(r.data[size:end])
	r.data = r.data[end:]
	return s
}

func (r *reader) varint() int64 {
	n, size := binary.Varint(r.data)
	if size <= 0 {
		r.bad, r.data = true, nil
		return 0
	}
	r.data = r.data[size:]
	return n
}

func (r *reader) time() time.Time { return timeFromMillis(r.varint()) }

func (r *reader) lock(l *RateLock) {
	l.ID, l.MidRate, l.AllInRate, l.MidSource = r.string(), r.string(), r.string(), r.string()
	l.Status, l.CancellationReason = r.status(), CancellationReason(r.string())
	l.ObservedMid = r.string()
	l.MidAt, l.CreatedAt, l.ExpiresAt, l.EndedAt = r.time(), r.time(), r.time(), r.time()
	l.MarkupBps, l.ToleranceBps, l.DeviationBps = int(r.varint()), int(r.varint()), r.varint()
}

// status avoids an allocation for the one status that a live lock has.
func (r *reader) status() LockStatus {
	if s := r.string(); s != string(LockActive) {
		return LockStatus(s)
	}
	return LockActive
}
