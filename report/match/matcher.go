package match

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"
)

// matcher finds differences, one plain reference at a time.
type matcher struct {
	rows      *sorter
	tally     Tally
	tolerance int64

	from, until, due moment
	asOf             time.Time

	lines, payments []record // of the group
	foreign         []record // lines in a currency that no payment has
	hasLine         []bool   // payments that have a line
	allocation      allocation
	plain, other    []byte
	row             []byte
}

func newMatcher(in Input, rows *sorter) *matcher {
	m := &matcher{
		rows: rows, tolerance: in.Policy.Tolerance, asOf: in.Range.AsOf,
		from: momentOf(in.Range.From), until: momentOf(in.Range.Until), due: momentOf(in.Range.Due),
	}
	if m.asOf.IsZero() {
		m.asOf = in.Range.Until
	}
	return m
}

func (m *matcher) within(at moment) bool { return !at.before(m.from) && at.before(m.until) }

func (m *matcher) count(p Payment) {
	if m.within(momentOf(p.CreatedAt)) {
		m.tally.Payments++
	}
}

// alone handles a record that cannot match any other: a bad line, or a record without a
// reference.
func (m *matcher) alone(ctx context.Context, raw []byte) error {
	var r record
	if err := r.show(raw); err != nil {
		return err
	}
	switch {
	case r.kind == paymentRecord:
		return m.missing(ctx, &r)
	case len(r.bad) > 0:
		m.tally.Lines++
		m.tally.UnmatchedLines++
		return m.rows.add(ctx, m.encode(finding{reason: UnreadableLine, line: &r}))
	default:
		return m.unmatched(ctx, finding{reason: MissingTransaction, line: &r})
	}
}

// begin starts a new group.
func (m *matcher) begin() { m.lines, m.payments = m.lines[:0], m.payments[:0] }

// add adds a record to the group.
func (m *matcher) add(raw []byte) error {
	var r record
	if err := r.show(raw); err != nil {
		return err
	}
	if r.kind == lineRecord {
		m.lines = append(m.lines, r)
	} else {
		m.payments = append(m.payments, r)
	}
	return nil
}

// group matches the records of the group by reference. Most groups have only one
// reference.
func (m *matcher) group(ctx context.Context) error {
	slices.SortFunc(m.lines, compareRecords)
	slices.SortFunc(m.payments, compareRecords)
	lines, payments := m.lines, m.payments
	for len(lines) > 0 || len(payments) > 0 {
		reference := first(lines, payments)
		var l, p []record
		l, lines = cutWhile(lines, func(r *record) bool { return bytes.Equal(r.reference, reference) })
		p, payments = cutWhile(payments, func(r *record) bool { return bytes.Equal(r.reference, reference) })
		if err := m.reference(ctx, l, p); err != nil {
			return err
		}
	}
	return nil
}

func first(lines, payments []record) []byte {
	switch {
	case len(lines) == 0:
		return payments[0].reference
	case len(payments) == 0 || bytes.Compare(lines[0].reference, payments[0].reference) < 0:
		return lines[0].reference
	default:
		return payments[0].reference
	}
}

// cutWhile splits records before the first one for which meant is false.
func cutWhile(records []record, meant func(*record) bool) (yes, rest []record) {
	n := 0
	for n < len(records) && meant(&records[n]) {
		n++
	}
	return records[:n], records[n:]
}

// compareRecords orders lines or payments by reference, currency, SUCCEEDED first, time,
// and Line or ID, then by all other fields, so that the order of the input does not
// matter.
func compareRecords(a, b record) int {
	return cmp.Or(
		bytes.Compare(a.reference, b.reference), bytes.Compare(a.currency, b.currency),
		-compareBools(a.succeeded, b.succeeded), a.at.compare(b.at),
		cmp.Compare(a.number, b.number), bytes.Compare(a.id, b.id), bytes.Compare(a.raw, b.raw),
	)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// reference matches the sorted lines and payments of one reference.
func (m *matcher) reference(ctx context.Context, lines, payments []record) error {
	if len(payments) == 0 {
		return m.unknown(ctx, lines)
	}
	m.hasLine = append(m.hasLine[:0], make([]bool, len(payments))...)
	m.foreign = m.foreign[:0]
	for own := 0; len(lines) > 0; {
		currency := lines[0].currency
		var run []record
		run, lines = cutWhile(lines, func(r *record) bool { return bytes.Equal(r.currency, currency) })
		for own < len(payments) && bytes.Compare(payments[own].currency, currency) < 0 {
			own++
		}
		if err := m.currency(ctx, run, payments, own); err != nil {
			return err
		}
	}
	if err := m.foreignLines(ctx, payments); err != nil {
		return err
	}
	for i := range payments {
		if !m.hasLine[i] {
			if err := m.missing(ctx, &payments[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// currency matches the lines of one currency with its payments, which begin at index
// from.
func (m *matcher) currency(ctx context.Context, lines, payments []record, from int) error {
	to := from
	for to < len(payments) && payments[to].succeeded && bytes.Equal(payments[to].currency, lines[0].currency) {
		to++
	}
	switch {
	case to > from:
		return m.allocate(ctx, lines, payments[from:to], m.hasLine[from:to])
	case from < len(payments) && bytes.Equal(payments[from].currency, lines[0].currency):
		return m.all(ctx, lines, finding{reason: StatusMismatch, candidate: &payments[from], why: SameReference})
	default:
		m.foreign = append(m.foreign, lines...)
		return nil
	}
}

// foreignLines reports the lines in a currency that no payment has. The candidate of each
// is the first payment that can be settled and has no line, or else the first payment.
func (m *matcher) foreignLines(ctx context.Context, payments []record) error {
	if len(m.foreign) == 0 {
		return nil
	}
	settled := slices.IndexFunc(payments, func(r record) bool { return r.succeeded })
	if settled < 0 {
		earliest := slices.MinFunc(payments, func(a, b record) int {
			return cmp.Or(a.at.compare(b.at), bytes.Compare(a.id, b.id), bytes.Compare(a.raw, b.raw))
		})
		return m.all(ctx, m.foreign, finding{reason: StatusMismatch, candidate: &earliest, why: SameReference})
	}
	next := settled
	for i := range m.foreign {
		for next < len(payments) && (m.hasLine[next] || !payments[next].succeeded) {
			next++
		}
		at := settled
		if next < len(payments) {
			at = next
		}
		m.hasLine[at] = true
		if err := m.unmatched(ctx, finding{reason: CurrencyMismatch, line: &m.foreign[i], candidate: &payments[at], why: SameReference}); err != nil {
			return err
		}
	}
	return nil
}

// all reports each line with the finding.
func (m *matcher) all(ctx context.Context, lines []record, v finding) error {
	for i := range lines {
		v.line = &lines[i]
		if err := m.unmatched(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

func (m *matcher) matched(line *record) {
	if m.within(line.at) {
		m.tally.Lines++
		m.tally.Matched++
	}
}

func (m *matcher) unmatched(ctx context.Context, v finding) error {
	if !m.within(v.line.at) {
		return nil
	}
	m.tally.Lines++
	m.tally.UnmatchedLines++
	return m.rows.add(ctx, m.encode(v))
}

// missing reports a payment without a line if it should have one.
func (m *matcher) missing(ctx context.Context, p *record) error {
	if !p.succeeded || !m.within(p.at) || !p.at.before(m.due) {
		return nil
	}
	m.tally.Missing++
	return m.rows.add(ctx, m.encode(finding{reason: MissingSettlement, payment: p}))
}
