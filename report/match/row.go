package match

import (
	"bytes"
	"encoding/binary"
)

// verdict is an unmatched row before it is one.
type verdict struct {
	reason              Reason
	line                *record
	payment             *record
	candidate           *record
	why                 CandidateWhy
	settled, difference int64
}

// A row as bytes begins with what orders it, as bytes that compare likewise:
// seconds, nanoseconds, line or payment, Line; then the ID with its length in
// front.
const rowHead = 8 + 4 + 1 + 8 + 4

// encode gives the row, valid until the next.
func (j *judge) encode(v verdict) []byte {
	b, about := j.row[:0], v.line
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
	b = appendText(b, about.raw)
	if v.candidate != nil {
		b = appendText(b, v.candidate.raw)
	}
	j.row = b
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

// checkRow reports whether bytes begin as a row does.
func checkRow(row []byte) error {
	if len(row) < rowHead || idLength(row) > len(row)-rowHead {
		return corrupt()
	}
	return nil
}

// give decodes a row and emits it.
func (j *judge) give(row []byte, emit func(Unmatched) error) error {
	u, err := j.decode(row)
	if err != nil {
		return err
	}
	return emit(u)
}

func (j *judge) decode(row []byte) (Unmatched, error) {
	if err := checkRow(row); err != nil {
		return Unmatched{}, err
	}
	c := cut{rest: row[rowHead+idLength(row):]}
	reason, why := int(c.one()), int(c.one())
	u := Unmatched{Settled: c.number(), Difference: c.number()}
	raw := c.text()
	if c.failed || reason >= len(reasons) || why >= len(candidates) {
		return Unmatched{}, corrupt()
	}
	u.Reason, u.CandidateWhy = reasons[reason].reason, candidates[why]
	if err := j.describe(&u, raw); err != nil || u.CandidateWhy == NoCandidate {
		return u, err
	}
	var candidate record
	if err := candidate.show(c.text()); err != nil {
		return Unmatched{}, err
	}
	u.Candidate = candidate.payment()
	return u, nil
}

// describe fills in what the row is about.
func (j *judge) describe(u *Unmatched, raw []byte) error {
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
		u.Age = max(0, j.asOf.Sub(at))
	}
	return nil
}
