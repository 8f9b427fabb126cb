package match

import (
	"cmp"
	"encoding/binary"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/binrec"
	"github.com/corridor-go/corridor/ports"
)

// A record is the encoding of a line or a payment, in memory and in scratch files: the
// hash of its reference (8 bytes), its kind, and its fields.
const (
	lineRecord    = 'l'
	paymentRecord = 'p'
	recordHead    = 9
)

// moment is a time as two numbers with the full range of time.Time.
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

// record is a decoded record. Its slices point into the encoded bytes.
type record struct {
	raw       []byte
	kind      byte
	succeeded bool
	at        moment // At or CreatedAt
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
	to = binrec.AppendText(binrec.AppendText(to, l.Reference), l.Currency)
	to = binrec.AppendText(binary.AppendVarint(to, l.Line), l.Bad)
	switch {
	case l.Bad == "":
		return to
	case l.HasAmount:
		return append(to, 1)
	default:
		return append(to, 0)
	}
}

func appendPayment(to []byte, hash uint64, p Payment) []byte {
	to = appendHead(to, hash, paymentRecord, p.CreatedAt, p.Amount)
	to = binrec.AppendText(binrec.AppendText(to, p.Reference), p.Currency)
	return binrec.AppendText(binrec.AppendText(to, p.ID), p.Status)
}

func appendHead(to []byte, hash uint64, kind byte, at time.Time, amount int64) []byte {
	to = append(binary.BigEndian.AppendUint64(to, hash), kind)
	m := momentOf(at)
	return binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(to, m.sec), m.nsec), amount)
}

// show decodes a record, or returns [errcodes.CorruptRecord].
func (r *record) show(raw []byte) error {
	if len(raw) < recordHead {
		return corrupt()
	}
	b := binrec.Read(raw[recordHead:])
	r.raw, r.kind = raw, raw[recordHead-1]
	r.at.sec, r.at.nsec, r.amount = b.Int(), b.Int(), b.Int()
	r.reference, r.currency = b.Bytes(), b.Bytes()
	switch r.kind {
	case lineRecord:
		r.number, r.bad = b.Int(), b.Bytes()
		r.hasAmount = len(r.bad) > 0 && b.Bool()
	case paymentRecord:
		r.id, r.status = b.Bytes(), b.Bytes()
		r.succeeded = string(r.status) == string(ports.TransactionSucceeded)
	default:
		return corrupt()
	}
	if !b.Done() || r.at.nsec < 0 || r.at.nsec >= int64(time.Second) {
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
	return errcodes.New(errcodes.CorruptRecord, "the scratch space returned other bytes than were written")
}
