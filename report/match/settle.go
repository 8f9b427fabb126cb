package match

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// none stands for no payment, and taken for a line that was taken back, or that
// takes one back.
const (
	none  = -1
	taken = -2
)

// settling is the room that settle works in.
type settling struct {
	owner   []int // of each line: its payment
	order   []int // the lines, payment by payment
	counted []int
	twice   []int
	sums    []total
	open    map[int64][]int // lines that can be taken back, by amount
	exact   map[int64][]int // payments that have no line of exactly their amount yet, by amount
	holder  map[int64]int   // a payment that has a line of the amount
	seen    map[int64]struct{}
}

// settle assigns lines to payments that can be settled, all of one reference and
// one currency, and judges each payment.
func (j *judge) settle(ctx context.Context, lines, payments []record, met []bool) error {
	if len(lines) == 1 && len(payments) == 1 && agrees(new(total).plus(lines[0].amount), &payments[0], j.tolerance) {
		met[0] = true
		j.matched(&lines[0])
		return nil
	}
	s := &j.settling
	s.owner = s.owner[:0]
	for range lines {
		s.owner = append(s.owner, none)
	}
	s.takeBack(lines)
	s.assign(lines, payments, j.tolerance)
	s.meet(lines, payments, met)
	s.order = s.order[:0]
	for i := range lines {
		s.order = append(s.order, i)
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(s.owner[a], s.owner[b]) })
	for from := 0; from < len(s.order); {
		to, owner := from, s.owner[s.order[from]]
		for to < len(s.order) && s.owner[s.order[to]] == owner {
			to++
		}
		if err := j.pay(ctx, lines, s.order[from:to], payments, owner); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// takeBack pairs each line below zero with the latest earlier line of the same
// amount.
func (s *settling) takeBack(lines []record) {
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
		// The lowest int64 is its own negative, and no line above zero has it.
		if earlier := s.open[-amount]; len(earlier) > 0 {
			last := len(earlier) - 1
			s.owner[earlier[last]], s.owner[i] = taken, taken
			s.open[-amount] = earlier[:last]
		}
	}
}

// assign gives each line that is left a payment.
func (s *settling) assign(lines, payments []record, tolerance int64) {
	if len(payments) == 1 {
		for i, owner := range s.owner {
			if owner == none {
				s.owner[i] = 0
			}
		}
		return
	}
	s.sums = append(s.sums[:0], make([]total, len(payments))...)
	s.holder = cleared(s.holder)
	s.assignExact(lines, payments)
	cursor, before := 0, 0
	for i := range lines {
		if s.owner[i] == taken {
			continue
		}
		if s.owner[i] == none {
			for cursor < len(payments) && s.full(cursor, &payments[cursor], tolerance) {
				cursor++
			}
			s.give(i, &lines[i], s.choose(lines[i].amount, cursor, before, len(payments)))
		}
		before = s.owner[i]
	}
}

// assignExact gives lines to payments of exactly their amount.
func (s *settling) assignExact(lines, payments []record) {
	s.exact = cleared(s.exact)
	for i := range payments {
		s.exact[payments[i].amount] = append(s.exact[payments[i].amount], i)
	}
	for i := range lines {
		amount := lines[i].amount
		if fit := s.exact[amount]; s.owner[i] == none && amount >= 0 && len(fit) > 0 {
			s.give(i, &lines[i], fit[0])
			s.exact[amount] = fit[1:]
		}
	}
}

func (s *settling) give(i int, line *record, payment int) {
	s.owner[i] = payment
	s.sums[payment].plus(line.amount)
	s.holder[line.amount] = payment
}

func (s *settling) full(i int, payment *record, tolerance int64) bool {
	return s.sums[i].beyond(payment.amount) >= -tolerance
}

// choose gives the payment of a line that is exactly no payment's amount.
func (s *settling) choose(amount int64, cursor, before, payments int) int {
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

// meet marks the payments that have a line. Lines that were taken back are the
// line of a payment of their amount that has no other, or else of the first that
// has none.
func (s *settling) meet(lines, payments []record, met []bool) {
	for _, owner := range s.owner {
		if owner >= 0 {
			met[owner] = true
		}
	}
	if !slices.Contains(s.owner, taken) {
		return
	}
	s.exact = cleared(s.exact)
	for i := range payments {
		if !met[i] {
			s.exact[payments[i].amount] = append(s.exact[payments[i].amount], i)
		}
	}
	unmet := 0
	for i := range lines {
		if s.owner[i] != taken || lines[i].amount < 0 {
			continue
		}
		for unmet < len(met) && met[unmet] {
			unmet++
		}
		if at := s.unmet(lines[i].amount, met, unmet); at < len(met) {
			met[at] = true
		}
	}
}

func (s *settling) unmet(amount int64, met []bool, otherwise int) int {
	fit := s.exact[amount]
	for len(fit) > 0 && met[fit[0]] {
		fit = fit[1:]
	}
	s.exact[amount] = fit
	if len(fit) > 0 {
		return fit[0]
	}
	return otherwise
}

// pay judges the lines of one payment, or those that were taken back.
func (j *judge) pay(ctx context.Context, lines []record, of []int, payments []record, owner int) error {
	if owner == taken {
		for _, i := range of {
			j.matched(&lines[i])
		}
		return nil
	}
	p := &payments[owner]
	sum := new(total)
	for _, i := range of {
		sum.plus(lines[i].amount)
	}
	if agrees(sum, p, j.tolerance) {
		for _, i := range of {
			j.matched(&lines[i])
		}
		return nil
	}
	return j.excess(ctx, lines, of, p)
}

// excess finds the lines of a payment that were settled twice, and then the one
// that leaves the sum wrong.
func (j *judge) excess(ctx context.Context, lines []record, of []int, p *record) error {
	s, sum := &j.settling, new(total)
	s.counted, s.twice, s.seen = s.counted[:0], s.twice[:0], cleared(s.seen)
	for _, i := range of {
		amount := lines[i].amount
		if _, equal := s.seen[amount]; equal && amount > 0 && sum.with(amount).beyond(p.amount) > j.tolerance {
			s.twice = append(s.twice, i)
			continue
		}
		s.seen[amount] = struct{}{}
		sum.plus(amount)
		s.counted = append(s.counted, i)
	}
	v := verdict{candidate: p, why: SameReference, settled: sum.held(), difference: sum.beyond(p.amount)}
	if !agrees(sum, p, j.tolerance) {
		last := len(s.counted) - 1
		v.reason, v.line = AmountMismatch, &lines[s.counted[last]]
		if err := j.unmatched(ctx, v); err != nil {
			return err
		}
		s.counted = s.counted[:last]
	}
	for _, i := range s.counted {
		j.matched(&lines[i])
	}
	v.reason = DuplicateSettlement
	for _, i := range s.twice {
		v.line = &lines[i]
		if err := j.unmatched(ctx, v); err != nil {
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

// total is a sum that no number of int64 overflows.
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

// beyond gives what the total is more than the amount, held to int64.
func (t *total) beyond(amount int64) int64 {
	lo, borrow := bits.Sub64(t.lo, uint64(amount), 0)
	return (&total{hi: t.hi - amount>>63 - int64(borrow), lo: lo}).held()
}

// held gives the total, or the nearest int64.
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
