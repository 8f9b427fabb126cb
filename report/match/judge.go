package match

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"
)

// judge decides what is unmatched, one plain reference at a time.
type judge struct {
	rows      *sorter
	tally     Tally
	tolerance int64

	from, until, due moment
	asOf             time.Time

	lines, payments []record // of the group
	stray           []record // lines of a currency that no payment has
	met             []bool   // payments that have a line
	settling        settling
	plain, other    []byte
	row             []byte
}

func newJudge(in Input, rows *sorter) *judge {
	j := &judge{
		rows: rows, tolerance: in.Policy.Tolerance, asOf: in.Range.AsOf,
		from: momentOf(in.Range.From), until: momentOf(in.Range.Until), due: momentOf(in.Range.Due),
	}
	if j.asOf.IsZero() {
		j.asOf = in.Range.Until
	}
	return j
}

func (j *judge) within(at moment) bool { return !at.before(j.from) && at.before(j.until) }

func (j *judge) count(p Payment) {
	if j.within(momentOf(p.CreatedAt)) {
		j.tally.Payments++
	}
}

// alone judges a record that can meet no other: a bad line, or one without a
// reference.
func (j *judge) alone(ctx context.Context, raw []byte) error {
	var r record
	if err := r.show(raw); err != nil {
		return err
	}
	switch {
	case r.kind == paymentRecord:
		return j.missing(ctx, &r)
	case len(r.bad) > 0:
		j.tally.Lines++
		j.tally.UnmatchedLines++
		return j.rows.add(ctx, j.encode(verdict{reason: UnreadableLine, line: &r}))
	default:
		return j.unmatched(ctx, verdict{reason: MissingTransaction, line: &r})
	}
}

// begin starts a group.
func (j *judge) begin() { j.lines, j.payments = j.lines[:0], j.payments[:0] }

// add adds a record to the group.
func (j *judge) add(raw []byte) error {
	var r record
	if err := r.show(raw); err != nil {
		return err
	}
	if r.kind == lineRecord {
		j.lines = append(j.lines, r)
	} else {
		j.payments = append(j.payments, r)
	}
	return nil
}

// group judges the group. References with one hash are most often one.
func (j *judge) group(ctx context.Context) error {
	slices.SortFunc(j.lines, compareRecords)
	slices.SortFunc(j.payments, compareRecords)
	lines, payments := j.lines, j.payments
	for len(lines) > 0 || len(payments) > 0 {
		reference := first(lines, payments)
		var l, p []record
		l, lines = cutWhile(lines, func(r *record) bool { return bytes.Equal(r.reference, reference) })
		p, payments = cutWhile(payments, func(r *record) bool { return bytes.Equal(r.reference, reference) })
		if err := j.reference(ctx, l, p); err != nil {
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

// cutWhile divides the records before the first that is not meant.
func cutWhile(records []record, meant func(*record) bool) (yes, rest []record) {
	n := 0
	for n < len(records) && meant(&records[n]) {
		n++
	}
	return records[:n], records[n:]
}

// compareRecords orders lines, or payments, by reference, then currency, then
// SUCCEEDED ones first, then time, then Line or ID, then all else, so that no
// input order is seen.
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

// reference judges the lines and payments of one reference, in their order.
func (j *judge) reference(ctx context.Context, lines, payments []record) error {
	if len(payments) == 0 {
		return j.unknown(ctx, lines)
	}
	j.met = append(j.met[:0], make([]bool, len(payments))...)
	j.stray = j.stray[:0]
	for own := 0; len(lines) > 0; {
		currency := lines[0].currency
		var run []record
		run, lines = cutWhile(lines, func(r *record) bool { return bytes.Equal(r.currency, currency) })
		for own < len(payments) && bytes.Compare(payments[own].currency, currency) < 0 {
			own++
		}
		if err := j.currency(ctx, run, payments, own); err != nil {
			return err
		}
	}
	if err := j.strays(ctx, payments); err != nil {
		return err
	}
	for i := range payments {
		if !j.met[i] {
			if err := j.missing(ctx, &payments[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// currency judges the lines of one currency. The payments of it, if there are
// any, begin at from.
func (j *judge) currency(ctx context.Context, lines, payments []record, from int) error {
	to := from
	for to < len(payments) && payments[to].succeeded && bytes.Equal(payments[to].currency, lines[0].currency) {
		to++
	}
	switch {
	case to > from:
		return j.settle(ctx, lines, payments[from:to], j.met[from:to])
	case from < len(payments) && bytes.Equal(payments[from].currency, lines[0].currency):
		return j.all(ctx, lines, verdict{reason: StatusMismatch, candidate: &payments[from], why: SameReference})
	default:
		j.stray = append(j.stray, lines...)
		return nil
	}
}

// strays judges the lines of a currency that no payment has. Each names the
// first payment that could be settled and that no line has met, or else the
// first.
func (j *judge) strays(ctx context.Context, payments []record) error {
	if len(j.stray) == 0 {
		return nil
	}
	settled := slices.IndexFunc(payments, func(r record) bool { return r.succeeded })
	if settled < 0 {
		earliest := slices.MinFunc(payments, func(a, b record) int {
			return cmp.Or(a.at.compare(b.at), bytes.Compare(a.id, b.id), bytes.Compare(a.raw, b.raw))
		})
		return j.all(ctx, j.stray, verdict{reason: StatusMismatch, candidate: &earliest, why: SameReference})
	}
	next := settled
	for i := range j.stray {
		for next < len(payments) && (j.met[next] || !payments[next].succeeded) {
			next++
		}
		at := settled
		if next < len(payments) {
			at = next
		}
		j.met[at] = true
		if err := j.unmatched(ctx, verdict{reason: CurrencyMismatch, line: &j.stray[i], candidate: &payments[at], why: SameReference}); err != nil {
			return err
		}
	}
	return nil
}

// all gives each line the verdict.
func (j *judge) all(ctx context.Context, lines []record, v verdict) error {
	for i := range lines {
		v.line = &lines[i]
		if err := j.unmatched(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

func (j *judge) matched(line *record) {
	if j.within(line.at) {
		j.tally.Lines++
		j.tally.Matched++
	}
}

func (j *judge) unmatched(ctx context.Context, v verdict) error {
	if !j.within(v.line.at) {
		return nil
	}
	j.tally.Lines++
	j.tally.UnmatchedLines++
	return j.rows.add(ctx, j.encode(v))
}

// missing judges a payment that has no line.
func (j *judge) missing(ctx context.Context, p *record) error {
	if !p.succeeded || !j.within(p.at) || !p.at.before(j.due) {
		return nil
	}
	j.tally.Missing++
	return j.rows.add(ctx, j.encode(verdict{reason: MissingSettlement, payment: p}))
}
