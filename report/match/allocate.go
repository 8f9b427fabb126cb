package match

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// Values of paymentOf other than a payment's index.
const (
	unallocated = -1 // none yet
	reversed    = -2 // a later line reverses it, or it reverses an earlier one
)

// allocation is the state of allocate, reused for each reference.
type allocation struct {
	paymentOf  []int // payment index of each line
	order      []int // line indexes, grouped by payment
	counted    []int
	duplicates []int
	sums       []total
	open       map[int64][]int // lines that can be reversed, by amount
	exact      map[int64][]int // payments without a line of exactly their amount, by amount
	holder     map[int64]int   // a payment that has a line of the amount
	seen       map[int64]struct{}
}

// allocate allocates lines to the payments that can be settled, all of one reference and
// currency, and compares each payment with its lines.
func (m *matcher) allocate(ctx context.Context, lines, payments []record, hasLine []bool) error {
	if len(lines) == 1 && len(payments) == 1 && agrees(new(total).plus(lines[0].amount), &payments[0], m.tolerance) {
		hasLine[0] = true
		m.matched(&lines[0])
		return nil
	}
	s := &m.allocation
	s.paymentOf = s.paymentOf[:0]
	for range lines {
		s.paymentOf = append(s.paymentOf, unallocated)
	}
	s.pairReversals(lines)
	s.assign(lines, payments, m.tolerance)
	s.markAllocated(lines, payments, hasLine)
	s.order = s.order[:0]
	for i := range lines {
		s.order = append(s.order, i)
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(s.paymentOf[a], s.paymentOf[b]) })
	for from := 0; from < len(s.order); {
		to, payment := from, s.paymentOf[s.order[from]]
		for to < len(s.order) && s.paymentOf[s.order[to]] == payment {
			to++
		}
		if err := m.checkPayment(ctx, lines, s.order[from:to], payments, payment); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// pairReversals pairs each negative line with the latest earlier line of the opposite
// amount.
func (s *allocation) pairReversals(lines []record) {
	if !slices.ContainsFunc(lines, func(r record) bool { return r.amount < 0 }) {
		return
	}
	s.open = cleared(s.open)
	for i := range lines {
		amount := lines[i].amount
		if amount > 0 {
			s.open[amount] = append(s.open[amount], i)
			continue
		}
		// The lowest int64 is its own negative. No positive line has that amount.
		if earlier := s.open[-amount]; len(earlier) > 0 {
			last := len(earlier) - 1
			s.paymentOf[earlier[last]], s.paymentOf[i] = reversed, reversed
			s.open[-amount] = earlier[:last]
		}
	}
}

// assign allocates each line that is not reversed to a payment.
func (s *allocation) assign(lines, payments []record, tolerance int64) {
	if len(payments) == 1 {
		for i, payment := range s.paymentOf {
			if payment == unallocated {
				s.paymentOf[i] = 0
			}
		}
		return
	}
	s.sums = append(s.sums[:0], make([]total, len(payments))...)
	s.holder = cleared(s.holder)
	s.assignExact(lines, payments)
	cursor, before := 0, 0
	for i := range lines {
		if s.paymentOf[i] == reversed {
			continue
		}
		if s.paymentOf[i] == unallocated {
			for cursor < len(payments) && s.full(cursor, &payments[cursor], tolerance) {
				cursor++
			}
			s.set(i, &lines[i], s.choose(lines[i].amount, cursor, before, len(payments)))
		}
		before = s.paymentOf[i]
	}
}

// assignExact allocates lines to payments of exactly the same amount.
func (s *allocation) assignExact(lines, payments []record) {
	s.exact = cleared(s.exact)
	for i := range payments {
		s.exact[payments[i].amount] = append(s.exact[payments[i].amount], i)
	}
	for i := range lines {
		amount := lines[i].amount
		if fit := s.exact[amount]; s.paymentOf[i] == unallocated && amount >= 0 && len(fit) > 0 {
			s.set(i, &lines[i], fit[0])
			s.exact[amount] = fit[1:]
		}
	}
}

func (s *allocation) set(i int, line *record, payment int) {
	s.paymentOf[i] = payment
	s.sums[payment].plus(line.amount)
	s.holder[line.amount] = payment
}

func (s *allocation) full(i int, payment *record, tolerance int64) bool {
	return s.sums[i].beyond(payment.amount) >= -tolerance
}

// choose returns the payment for a line whose amount equals no payment's.
func (s *allocation) choose(amount int64, cursor, before, payments int) int {
	if amount < 0 {
		return before
	}
	if cursor < payments {
		return cursor
	}
	if holder, ok := s.holder[amount]; ok {
		return holder
	}
	return payments - 1
}

// markAllocated marks the payments that have a line. A reversed line counts for a payment
// of its amount without a line, or else for the first without one.
func (s *allocation) markAllocated(lines, payments []record, hasLine []bool) {
	for _, payment := range s.paymentOf {
		if payment >= 0 {
			hasLine[payment] = true
		}
	}
	if !slices.Contains(s.paymentOf, reversed) {
		return
	}
	s.exact = cleared(s.exact)
	for i := range payments {
		if !hasLine[i] {
			s.exact[payments[i].amount] = append(s.exact[payments[i].amount], i)
		}
	}
	next := 0
	for i := range lines {
		if s.paymentOf[i] != reversed || lines[i].amount < 0 {
			continue
		}
		for next < len(hasLine) && hasLine[next] {
			next++
		}
		if at := s.withoutLine(lines[i].amount, hasLine, next); at < len(hasLine) {
			hasLine[at] = true
		}
	}
}

// withoutLine returns a payment of the amount that has no line, or else otherwise.
func (s *allocation) withoutLine(amount int64, hasLine []bool, otherwise int) int {
	fit := s.exact[amount]
	for len(fit) > 0 && hasLine[fit[0]] {
		fit = fit[1:]
	}
	s.exact[amount] = fit
	if len(fit) > 0 {
		return fit[0]
	}
	return otherwise
}

// checkPayment compares a payment with its lines, or counts the reversed lines.
func (m *matcher) checkPayment(ctx context.Context, lines []record, of []int, payments []record, payment int) error {
	if payment == reversed {
		for _, i := range of {
			m.matched(&lines[i])
		}
		return nil
	}
	p := &payments[payment]
	sum := new(total)
	for _, i := range of {
		sum.plus(lines[i].amount)
	}
	if agrees(sum, p, m.tolerance) {
		for _, i := range of {
			m.matched(&lines[i])
		}
		return nil
	}
	return m.excess(ctx, lines, of, p)
}

// excess reports the duplicate lines of a payment and, if the sum of the others is wrong,
// the last of those.
func (m *matcher) excess(ctx context.Context, lines []record, of []int, p *record) error {
	s, sum := &m.allocation, new(total)
	s.counted, s.duplicates, s.seen = s.counted[:0], s.duplicates[:0], cleared(s.seen)
	for _, i := range of {
		amount := lines[i].amount
		if _, equal := s.seen[amount]; equal && amount > 0 && sum.with(amount).beyond(p.amount) > m.tolerance {
			s.duplicates = append(s.duplicates, i)
			continue
		}
		s.seen[amount] = struct{}{}
		sum.plus(amount)
		s.counted = append(s.counted, i)
	}
	v := finding{candidate: p, why: SameReference, settled: sum.held(), difference: sum.beyond(p.amount)}
	if !agrees(sum, p, m.tolerance) {
		last := len(s.counted) - 1
		v.reason, v.line = AmountMismatch, &lines[s.counted[last]]
		if err := m.unmatched(ctx, v); err != nil {
			return err
		}
		s.counted = s.counted[:last]
	}
	for _, i := range s.counted {
		m.matched(&lines[i])
	}
	v.reason = DuplicateSettlement
	for _, i := range s.duplicates {
		v.line = &lines[i]
		if err := m.unmatched(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

func cleared[M ~map[K]V, K comparable, V any](m M) M {
	if m == nil {
		return M{}
	}
	clear(m)
	return m
}

// total is a sum of int64 that cannot overflow.
type total struct {
	hi int64
	lo uint64
}

func (t *total) plus(n int64) *total {
	lo, carry := bits.Add64(t.lo, uint64(n), 0)
	t.lo, t.hi = lo, t.hi+n>>63+int64(carry)
	return t
}

func (t *total) with(n int64) *total {
	sum := *t
	return sum.plus(n)
}

// beyond returns the total minus the amount, clamped to int64.
func (t *total) beyond(amount int64) int64 {
	lo, borrow := bits.Sub64(t.lo, uint64(amount), 0)
	return (&total{hi: t.hi - amount>>63 - int64(borrow), lo: lo}).held()
}

// held returns the total, clamped to int64.
func (t *total) held() int64 {
	if t.hi == int64(t.lo)>>63 {
		return int64(t.lo)
	}
	return t.hi>>63 ^ (1<<63 - 1)
}

func agrees(sum *total, p *record, tolerance int64) bool {
	d := sum.beyond(p.amount)
	return d >= -tolerance && d <= tolerance
}
