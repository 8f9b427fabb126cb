package match

import (
	"bytes"
	"encoding/binary"

	"github.com/corridor-go/corridor/internal/binrec"
)

// finding is the data of an unmatched row.
type finding struct {
	reason              Reason
	line                *record
	payment             *record
	candidate           *record
	why                 CandidateWhy
	settled, difference int64
}

// An encoded row begins with its sort key, as bytes in the same order: seconds,
// nanoseconds, line or payment, Line; then the length of the ID and the ID.
const rowHead = 8 + 4 + 1 + 8 + 4

// encode returns the encoded row, which is valid until the next call.
func (m *matcher) encode(v finding) []byte {
	b, about := m.row[:0], v.line
	var kind byte
	if about == nil {
		about, kind = v.payment, 1
	}
	b = binary.BigEndian.AppendUint64(b, uint64(about.at.sec)^1<<63)
	b = append(binary.BigEndian.AppendUint32(b, uint32(about.at.nsec)), kind)
	b = binary.BigEndian.AppendUint64(b, uint64(about.number)^1<<63)
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(about.id))), about.id...)
	b = append(b, placeOf(v.reason), whyOf(v.why))
	b = binary.AppendVarint(binary.AppendVarint(b, v.settled), v.difference)
	b = binrec.AppendText(b, about.raw)
	if v.candidate != nil {
		b = binrec.AppendText(b, v.candidate.raw)
	}
	m.row = b
	return b
}

func placeOf(r Reason) byte {
	for i := range reasons {
		if reasons[i].reason == r {
			return byte(i)
		}
	}
	return byte(len(reasons))
}

func whyOf(w CandidateWhy) byte {
	for i := range candidates {
		if candidates[i] == w {
			return byte(i)
		}
	}
	return byte(len(candidates))
}

// compareRows orders rows.
func compareRows(a, b []byte) int {
	if c := bytes.Compare(a[:rowHead-4], b[:rowHead-4]); c != 0 {
		return c
	}
	if c := bytes.Compare(rowID(a), rowID(b)); c != 0 {
		return c
	}
	return bytes.Compare(a, b)
}

func rowID(row []byte) []byte { return row[rowHead : rowHead+idLength(row)] }

func idLength(row []byte) int { return int(binary.BigEndian.Uint32(row[rowHead-4:])) }

// checkRow returns [errcodes.CorruptRecord] if the bytes do not begin like a row.
func checkRow(row []byte) error {
	if len(row) < rowHead || idLength(row) > len(row)-rowHead {
		return corrupt()
	}
	return nil
}

// emit decodes a row and calls emit with it.
func (m *matcher) emit(row []byte, emit func(Unmatched) error) error {
	u, err := m.decode(row)
	if err != nil {
		return err
	}
	return emit(u)
}

func (m *matcher) decode(row []byte) (Unmatched, error) {
	if err := checkRow(row); err != nil {
		return Unmatched{}, err
	}
	b := binrec.Read(row[rowHead+idLength(row):])
	reason, why := int(b.Byte()), int(b.Byte())
	u := Unmatched{Settled: b.Int(), Difference: b.Int()}
	about := b.Bytes()
	if reason >= len(reasons) || why >= len(candidates) {
		return Unmatched{}, corrupt()
	}
	u.Reason, u.CandidateWhy = reasons[reason].reason, candidates[why]
	if u.CandidateWhy != NoCandidate {
		var candidate record
		if err := candidate.show(b.Bytes()); err != nil {
			return Unmatched{}, err
		}
		u.Candidate = candidate.payment()
	}
	if !b.Done() {
		return Unmatched{}, corrupt()
	}
	err := m.describe(&u, about)
	return u, err
}

// describe sets the line or payment that the row is about.
func (m *matcher) describe(u *Unmatched, raw []byte) error {
	var about record
	if err := about.show(raw); err != nil {
		return err
	}
	if about.kind == paymentRecord {
		u.Payment = about.payment()
	} else {
		u.Line, u.Detail = about.line(), string(about.bad)
	}
	if at := about.at.time(); !at.IsZero() {
		u.Age = max(0, m.asOf.Sub(at))
	}
	return nil
}
