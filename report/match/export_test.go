package match

import (
	"context"
	"testing"

	"github.com/corridor-go/corridor/ports"
)

// RunWithin is Run with less memory than MinMemory: bytes for records and for rows, file
// buffers of 16 bytes, 1<<bits files at once.
func RunWithin(ctx context.Context, in Input, records, rows int64, bits uint, emit func(Unmatched) error) (Tally, error) {
	return run(ctx, in, bounds{records: records, rows: rows, group: 1 << 30, buffer: 16, bits: bits}, emit)
}

// Plain returns a reference's plain form.
func Plain(reference string) string { return string(appendPlain(nil, reference)) }

// PlainHash returns the hash of a reference's plain form.
func PlainHash(reference string) uint64 { return hashPlain(reference) }

// EncodeLine returns the record of a line, as in a scratch file.
func EncodeLine(l ports.SettlementLine) []byte { return appendLine(nil, hashPlain(l.Reference), l) }

// EncodePayment is EncodeLine for a payment.
func EncodePayment(p Payment) []byte { return appendPayment(nil, hashPlain(p.Reference), p) }

// DecodeRecord decodes the result of EncodeLine or EncodePayment.
func DecodeRecord(raw []byte) (line ports.SettlementLine, p Payment, isLine bool, err error) {
	var r record
	if err = r.show(raw); err != nil {
		return line, p, false, err
	}
	if r.kind == lineRecord {
		return r.line(), p, true, nil
	}
	return line, r.payment(), false, nil
}

// DecodeRow decodes a row of a scratch file.
func DecodeRow(raw []byte) (Unmatched, error) { return new(matcher).decode(raw) }

// EncodedRows returns the rows of a run in order, encoded as in scratch files.
func EncodedRows(t testing.TB, in Input) (rows [][]byte) {
	t.Helper()
	sorter := &sorter{arena: newArena(1 << 30)}
	j := newMatcher(in, sorter)
	err := newJoin(&space{}, in.Limits.split(), j).run(t.Context(), in)
	if err == nil {
		err = sorter.each(t.Context(), func(row []byte) error { rows = append(rows, row); return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Reasons lists the reasons with the subject and the meaning of their rows.
func Reasons() (list [][3]string) {
	for _, r := range reasons {
		list = append(list, [3]string{string(r.reason), r.about, r.means})
	}
	return list
}

// Similar returns the payment that is nearest to a line with another reference.
func Similar(l ports.SettlementLine, payments ...Payment) (nearest Payment, found bool) {
	j, line := new(matcher), record{}
	j.begin()
	for _, p := range payments {
		if j.add(EncodePayment(p)) != nil {
			return nearest, false
		}
	}
	if line.show(EncodeLine(l)) != nil {
		return nearest, false
	}
	if best := j.similar(&line); best != nil {
		return best.payment(), true
	}
	return nearest, false
}
