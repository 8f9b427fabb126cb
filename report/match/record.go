package match

import (
	"cmp"
	"encoding/binary"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// A record is a line or a payment as bytes, in memory as in scratch files: the
// hash of its reference (8 bytes), its kind, and its fields.
const (
	lineRecord    = 'l'
	paymentRecord = 'p'
	recordHead    = 9
)

// moment is a time as two numbers, which reach all that time.Time does.
type moment struct {
	sec  int64
	nsec int64
}

func momentOf(t time.Time) moment { return moment{t.Unix(), int64(t.Nanosecond())} }

func (m moment) time() time.Time { return time.Unix(m.sec, m.nsec).UTC() }

func (m moment) compare(o moment) int {
	return cmp.Or(cmp.Compare(m.sec, o.sec), cmp.Compare(m.nsec, o.nsec))
}

func (m moment) before(o moment) bool {
	return m.sec < o.sec || m.sec == o.sec && m.nsec < o.nsec
}

// record shows a record's fields. Its slices lie in the record's own bytes.
type record struct {
	raw       []byte
	kind      byte
	succeeded bool
	at        moment // At, CreatedAt
	amount    int64
	number    int64 // of a line
	reference []byte
	currency  []byte
	bad       []byte // of a line
	hasAmount bool   // of a bad line
	id        []byte // of a payment
	status    []byte // of a payment
}

func hashOf(raw []byte) uint64 { return binary.BigEndian.Uint64(raw) }

func appendLine(to []byte, hash uint64, l ports.SettlementLine) []byte {
	to = appendHead(to, hash, lineRecord, l.At, l.Amount)
	to = appendText(appendText(to, l.Reference), l.Currency)
	to = appendText(binary.AppendVarint(to, l.Line), l.Bad)
	if l.Bad == "" {
		return to
	}
	return appendFlag(to, l.HasAmount)
}

func appendFlag(to []byte, set bool) []byte {
	if set {
		return append(to, 1)
	}
	return append(to, 0)
}

func appendPayment(to []byte, hash uint64, p Payment) []byte {
	to = appendHead(to, hash, paymentRecord, p.CreatedAt, p.Amount)
	to = appendText(appendText(to, p.Reference), p.Currency)
	return appendText(appendText(to, p.ID), string(p.Status))
}

func appendHead(to []byte, hash uint64, kind byte, at time.Time, amount int64) []byte {
	to = append(binary.BigEndian.AppendUint64(to, hash), kind)
	m := momentOf(at)
	return binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(to, m.sec), m.nsec), amount)
}

func appendText[T string | []byte](to []byte, text T) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

// show reads a record. One that is none is errcodes.CorruptRecord.
func (r *record) show(raw []byte) error {
	if len(raw) < recordHead {
		return corrupt()
	}
	c := cut{rest: raw[recordHead:]}
	r.raw, r.kind = raw, raw[recordHead-1]
	r.at.sec, r.at.nsec, r.amount = c.number(), c.number(), c.number()
	r.reference, r.currency = c.text(), c.text()
	switch r.kind {
	case lineRecord:
		r.number, r.bad = c.number(), c.text()
		r.hasAmount = len(r.bad) > 0 && c.flag()
	case paymentRecord:
		r.id, r.status = c.text(), c.text()
		r.succeeded = string(r.status) == string(ports.TransactionSucceeded)
	default:
		return corrupt()
	}
	if c.failed || len(c.rest) > 0 || r.at.nsec < 0 || r.at.nsec >= int64(time.Second) {
		return corrupt()
	}
	return nil
}

func (r *record) line() ports.SettlementLine {
	return ports.SettlementLine{
		Line: r.number, Reference: string(r.reference), Amount: r.amount, Currency: string(r.currency),
		At: r.at.time(), Bad: string(r.bad), HasAmount: r.hasAmount,
	}
}

func (r *record) payment() Payment {
	return Payment{
		ID: string(r.id), Reference: string(r.reference), Currency: string(r.currency), Amount: r.amount,
		Status: ports.TransactionStatus(r.status), CreatedAt: r.at.time(),
	}
}

func corrupt() error {
	return errcodes.New(errcodes.CorruptRecord, "the scratch space gave back other bytes than were written")
}

// cut takes fields off the front of bytes. Once it has failed, it gives zeros.
type cut struct {
	rest   []byte
	failed bool
}

func (c *cut) number() int64 {
	n, size := binary.Varint(c.rest)
	c.take(size)
	return n
}

func (c *cut) length() uint64 {
	n, size := binary.Uvarint(c.rest)
	c.take(size)
	return n
}

// take drops a number's bytes, of which there are none when it could not be read.
func (c *cut) take(size int) {
	if size <= 0 {
		c.failed, c.rest = true, nil
		return
	}
	c.rest = c.rest[size:]
}

func (c *cut) text() []byte {
	n := c.length()
	if n > uint64(len(c.rest)) {
		c.failed, c.rest = true, nil
		return nil
	}
	text := c.rest[:n:n]
	c.rest = c.rest[n:]
	return text
}

func (c *cut) one() byte {
	if len(c.rest) == 0 {
		c.failed = true
		return 0
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return b
}

func (c *cut) flag() bool {
	b := c.one()
	c.failed = c.failed || b > 1
	return b == 1
}
