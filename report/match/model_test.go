package match_test

import (
	"cmp"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report/match"
)

// matchModel is a simple version of Run: everything is in memory, and every step searches
// all lines and payments.
type matchModel struct {
	lines     []ports.SettlementLine
	payments  []match.Payment
	rng       match.Range
	tolerance int64

	touched map[string]bool // payments that have a line, by ID
	rows    []match.Unmatched
	tally   match.Tally
}

func (m *matchModel) run() {
	slices.SortFunc(m.lines, func(a, b ports.SettlementLine) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Line, b.Line)) })
	slices.SortFunc(m.payments, func(a, b match.Payment) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	m.touched = map[string]bool{}
	for _, l := range m.lines {
		if l.Bad != "" {
			m.tally.Lines++
			m.tally.UnmatchedLines++
			m.rows = append(m.rows, match.Unmatched{Reason: match.UnreadableLine, Line: l, Detail: l.Bad})
		}
	}
	for _, reference := range m.references() {
		m.reference(reference)
	}
	for _, p := range m.payments {
		if !m.within(p.CreatedAt) {
			continue
		}
		m.tally.Payments++
		if p.Status == ports.TransactionSucceeded && p.CreatedAt.Before(m.rng.Due) && !m.touched[p.ID] {
			m.tally.Missing++
			m.rows = append(m.rows, match.Unmatched{Reason: match.MissingSettlement, Payment: p})
		}
	}
	for i := range m.rows {
		if at := m.rows[i].Line.At; m.rows[i].Line.Line != 0 && !at.IsZero() {
			m.rows[i].Age = max(0, m.rng.AsOf.Sub(at))
		} else if m.rows[i].Line.Line == 0 {
			m.rows[i].Age = max(0, m.rng.AsOf.Sub(m.rows[i].Payment.CreatedAt))
		}
	}
	slices.SortFunc(m.rows, func(a, b match.Unmatched) int {
		return cmp.Or(rowTime(a).Compare(rowTime(b)), cmp.Compare(a.Payment.ID, "")*boolInt(b.Payment.ID == "")-cmp.Compare(b.Payment.ID, "")*boolInt(a.Payment.ID == ""),
			cmp.Compare(a.Line.Line, b.Line.Line), strings.Compare(a.Payment.ID, b.Payment.ID))
	})
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func rowTime(u match.Unmatched) time.Time {
	if u.Payment.ID != "" {
		return u.Payment.CreatedAt
	}
	return u.Line.At
}

func (m *matchModel) within(at time.Time) bool {
	return !at.Before(m.rng.From) && at.Before(m.rng.Until)
}

func (m *matchModel) references() []string {
	var all []string
	for _, l := range m.lines {
		if !slices.Contains(all, l.Reference) && l.Bad == "" {
			all = append(all, l.Reference)
		}
	}
	return all
}

func (m *matchModel) line(l ports.SettlementLine, u *match.Unmatched) {
	if !m.within(l.At) {
		return
	}
	m.tally.Lines++
	if u == nil {
		m.tally.Matched++
		return
	}
	m.tally.UnmatchedLines++
	u.Line = l
	m.rows = append(m.rows, *u)
}

func (m *matchModel) paymentsOf(keep func(match.Payment) bool) (list []match.Payment) {
	for _, p := range m.payments {
		if keep(p) {
			list = append(list, p)
		}
	}
	return list
}

func (m *matchModel) reference(reference string) {
	all := m.paymentsOf(func(p match.Payment) bool { return reference != "" && p.Reference == reference })
	var stray []ports.SettlementLine
	for _, currency := range []string{"", "EUR", "USD", "ZAR"} {
		var lines []ports.SettlementLine
		for _, l := range m.lines {
			if l.Reference == reference && l.Currency == currency && l.Bad == "" {
				lines = append(lines, l)
			}
		}
		own := m.paymentsOf(func(p match.Payment) bool { return slices.Contains(all, p) && p.Currency == currency })
		good := m.paymentsOf(func(p match.Payment) bool { return slices.Contains(own, p) && p.Status == ports.TransactionSucceeded })
		switch {
		case len(lines) == 0:
		case len(good) > 0:
			m.settle(lines, good)
		case len(own) > 0:
			m.status(lines, own[0])
		case len(all) == 0:
			m.unknown(lines)
		default:
			stray = append(stray, lines...)
		}
	}
	m.strays(stray, all)
}

func (m *matchModel) status(lines []ports.SettlementLine, p match.Payment) {
	for _, l := range lines {
		m.line(l, &match.Unmatched{Reason: match.StatusMismatch, Candidate: p, CandidateWhy: match.SameReference})
	}
}

func (m *matchModel) strays(lines []ports.SettlementLine, all []match.Payment) {
	good := m.paymentsOf(func(p match.Payment) bool { return slices.Contains(all, p) && p.Status == ports.TransactionSucceeded })
	if len(good) == 0 {
		if len(all) > 0 {
			m.status(lines, all[0])
		}
		return
	}
	slices.SortStableFunc(good, func(a, b match.Payment) int { return strings.Compare(a.Currency, b.Currency) })
	for _, l := range lines {
		u := match.Unmatched{Reason: match.CurrencyMismatch, Candidate: good[0], CandidateWhy: match.SameReference}
		for _, p := range slices.Backward(good) {
			if !m.touched[p.ID] {
				u.Candidate = p
			}
		}
		m.touched[u.Candidate.ID] = true
		m.line(l, &u)
	}
}

var (
	modelNumber      = regexp.MustCompile(`[0-9]+`)
	modelPunctuation = regexp.MustCompile("[\x00-/:-@\\[-`{-\x7f]")
)

func modelPlain(s string) string {
	s = modelNumber.ReplaceAllStringFunc(s, func(n string) string { return strings.TrimLeft(n, "0") })
	s = modelPunctuation.ReplaceAllString(s, "")
	lower := []byte(s)
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c + 32
		}
	}
	return string(lower)
}

func (m *matchModel) unknown(lines []ports.SettlementLine) {
	for _, l := range lines {
		m.unknownOne(l)
	}
}

func (m *matchModel) unknownOne(l ports.SettlementLine) {
	u := match.Unmatched{Reason: match.MissingTransaction}
	plain := modelPlain(l.Reference)
	near := m.paymentsOf(func(p match.Payment) bool { return plain != "" && modelPlain(p.Reference) == plain })
	score := func(p match.Payment) *big.Int {
		s := new(big.Int).Abs(big.NewInt(int64(p.CreatedAt.Sub(l.At))))
		if p.Status != ports.TransactionSucceeded {
			s.Add(s, new(big.Int).Lsh(big.NewInt(1), 80))
		}
		if p.Amount != l.Amount || p.Currency != l.Currency {
			s.Add(s, new(big.Int).Lsh(big.NewInt(1), 81))
		}
		return s
	}
	slices.SortStableFunc(near, func(a, b match.Payment) int {
		return cmp.Or(score(a).Cmp(score(b)), strings.Compare(a.Reference, b.Reference), strings.Compare(a.Currency, b.Currency),
			a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	if len(near) > 0 {
		u.Candidate, u.CandidateWhy = near[0], match.SimilarReference
	}
	m.line(l, &u)
}

// modelOwners returns the payment of each Line.
type modelOwners struct {
	lines    []ports.SettlementLine
	payments []match.Payment
	back     map[int64]bool // Lines that reverse or are reversed
	owner    map[int64]int
	holder   map[int64]int // by amount: the last payment that got such a line
}

func (o *modelOwners) of(payment int) (some []ports.SettlementLine) {
	for _, l := range o.lines {
		if at, ok := o.owner[l.Line]; ok && at == payment {
			some = append(some, l)
		}
	}
	return some
}

func (o *modelOwners) takeBack() {
	for i, l := range o.lines {
		for j := i - 1; j >= 0 && l.Amount < 0; j-- {
			earlier := o.lines[j]
			if earlier.Amount > 0 && !o.back[earlier.Line] && sumOf(l.Amount, earlier.Amount).Sign() == 0 {
				o.back[earlier.Line], o.back[l.Line] = true, true
				break
			}
		}
	}
}

func (o *modelOwners) exact() {
	for _, l := range o.lines {
		for i, p := range o.payments {
			if len(o.of(i)) == 0 && p.Amount == l.Amount && l.Amount >= 0 && !o.back[l.Line] {
				o.owner[l.Line], o.holder[l.Amount] = i, i
				break
			}
		}
	}
}

func (o *modelOwners) rest(tolerance int64) {
	before, cursor := 0, 0
	for _, l := range o.lines {
		if o.back[l.Line] {
			continue
		}
		if _, ok := o.owner[l.Line]; !ok {
			for cursor < len(o.payments) && short(o.of(cursor), o.payments[cursor]).Cmp(big.NewInt(tolerance)) <= 0 {
				cursor++
			}
			at := min(cursor, len(o.payments)-1)
			if holder, ok := o.holder[l.Amount]; cursor == len(o.payments) && ok {
				at = holder
			}
			if l.Amount < 0 {
				at = before
			}
			o.owner[l.Line], o.holder[l.Amount] = at, at
		}
		before = o.owner[l.Line]
	}
}

func (m *matchModel) settle(lines []ports.SettlementLine, payments []match.Payment) {
	o := modelOwners{lines, payments, map[int64]bool{}, map[int64]int{}, map[int64]int{}}
	o.takeBack()
	o.exact()
	o.rest(m.tolerance)
	for i, p := range payments {
		if some := o.of(i); len(some) > 0 {
			m.touched[p.ID] = true
			m.pay(some, p)
		}
	}
	for _, l := range lines {
		if !o.back[l.Line] {
			continue
		}
		m.line(l, nil)
		if l.Amount > 0 {
			m.touchFor(l, payments)
		}
	}
}

func (m *matchModel) touchFor(l ports.SettlementLine, payments []match.Payment) {
	for _, exactly := range []bool{true, false} {
		for _, p := range payments {
			if !m.touched[p.ID] && (!exactly || p.Amount == l.Amount) {
				m.touched[p.ID] = true
				return
			}
		}
	}
}

func sumOf(numbers ...int64) *big.Int {
	sum := new(big.Int)
	for _, n := range numbers {
		sum.Add(sum, big.NewInt(n))
	}
	return sum
}

func amounts(lines []ports.SettlementLine) (list []int64) {
	for _, l := range lines {
		list = append(list, l.Amount)
	}
	return list
}

// short returns the amount that a payment lacks.
func short(lines []ports.SettlementLine, p match.Payment) *big.Int {
	return new(big.Int).Sub(big.NewInt(p.Amount), sumOf(amounts(lines)...))
}

func (m *matchModel) pay(lines []ports.SettlementLine, p match.Payment) {
	agree := func(some []ports.SettlementLine) bool {
		return new(big.Int).Abs(short(some, p)).Cmp(big.NewInt(m.tolerance)) <= 0
	}
	var counted, twice []ports.SettlementLine
	for _, l := range lines {
		over := new(big.Int).Neg(short(append(slices.Clone(counted), l), p)).Cmp(big.NewInt(m.tolerance)) > 0
		if !agree(lines) && l.Amount > 0 && slices.Contains(amounts(counted), l.Amount) && over {
			twice = append(twice, l)
			continue
		}
		counted = append(counted, l)
	}
	u := match.Unmatched{
		Candidate: p, CandidateWhy: match.SameReference,
		Settled: held(sumOf(amounts(counted)...)), Difference: held(new(big.Int).Neg(short(counted, p))),
	}
	for i, l := range counted {
		if i == len(counted)-1 && !agree(counted) {
			u.Reason = match.AmountMismatch
			m.line(l, &u)
			continue
		}
		m.line(l, nil)
	}
	for _, l := range twice {
		u.Reason = match.DuplicateSettlement
		m.line(l, &u)
	}
}

func held(n *big.Int) int64 {
	if n.IsInt64() {
		return n.Int64()
	}
	if n.Sign() < 0 {
		return -1 << 63
	}
	return 1<<63 - 1
}
