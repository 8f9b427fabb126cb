package match

import (
	"bytes"
	"cmp"
	"context"
	"time"
)

// unknown reports the lines whose reference no payment has.
func (m *matcher) unknown(ctx context.Context, lines []record) error {
	for i := range lines {
		v := finding{reason: MissingTransaction, line: &lines[i]}
		if v.candidate = m.similar(&lines[i]); v.candidate != nil {
			v.why = SimilarReference
		}
		if err := m.unmatched(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

// maxSimilar bounds how many payments are considered as candidates, in their order.
const maxSimilar = 256

// similar returns the payment with a similar reference that is nearest to the line, or
// nil.
func (m *matcher) similar(line *record) *record {
	var best *record
	m.plain = appendPlain(m.plain[:0], line.reference)
	for i := range min(len(m.payments), maxSimilar) {
		p := &m.payments[i]
		m.other = appendPlain(m.other[:0], p.reference)
		// References with an empty plain form are not similar.
		if len(m.plain) == 0 || !bytes.Equal(m.plain, m.other) {
			continue
		}
		if best == nil || nearer(line, p, best) {
			best = p
		}
	}
	return best
}

// nearer reports whether a is nearer to the line than b.
func nearer(line, a, b *record) bool {
	same := func(r *record) bool { return r.amount == line.amount && bytes.Equal(r.currency, line.currency) }
	return cmp.Or(
		compareBools(same(b), same(a)), compareBools(b.succeeded, a.succeeded), distance(line, a).compare(distance(line, b)),
	) < 0
}

// distance returns the time between two records.
func distance(a, b *record) moment {
	from, to := a.at, b.at
	if to.before(from) {
		from, to = to, from
	}
	d := moment{to.sec - from.sec, to.nsec - from.nsec}
	if d.nsec < 0 {
		d.sec, d.nsec = d.sec-1, d.nsec+int64(time.Second)
	}
	return d
}
