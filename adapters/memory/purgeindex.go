package memory

import (
	"cmp"
	"time"
)

// purgeIndex groups values by the minute in which they are due to be purged. Adding a
// value is an append, so saves stay cheap; the sweep sorts the values of a minute.
type purgeIndex[T any] struct {
	minutes map[int64]*[]T
	order   *sorted[int64] // the minutes that have values
}

func newPurgeIndex[T any]() purgeIndex[T] {
	return purgeIndex[T]{minutes: map[int64]*[]T{}, order: newSorted(cmp.Compare[int64])}
}

// minute returns the number of minutes since 1970.
func minute(t time.Time) int64 { return t.Unix() / 60 }

func (p *purgeIndex[T]) add(at time.Time, v T) {
	m := minute(at)
	list := p.minutes[m]
	if list == nil {
		list = new([]T)
		p.minutes[m] = list
		p.order.insert(m)
	}
	*list = append(*list, v)
}

// sweepResult is what a sweep does with a value.
type sweepResult int

const (
	notDue     sweepResult = iota // stays: it is not due yet
	staleEntry                    // dropped: it was removed otherwise, or is indexed under a later minute
	purged                        // dropped: it was purged
)

// sweep calls judge for the values that are due up to the minute of before, until n of them
// are purged. It returns how many were purged.
func (p *purgeIndex[T]) sweep(before time.Time, n int, judge func(v T) sweepResult) int {
	var empty []int64
	left := n
	for m := range p.order.all() {
		if m > minute(before) || left == 0 {
			break
		}
		list := p.minutes[m]
		left -= sweepList(list, left, judge)
		if len(*list) == 0 {
			empty = append(empty, m)
		}
	}
	for _, m := range empty {
		delete(p.minutes, m)
		p.order.remove(m)
	}
	return n - left
}

func sweepList[T any](list *[]T, most int, judge func(v T) sweepResult) int {
	all, n := *list, 0
	for i := len(all) - 1; i >= 0 && n < most; i-- {
		result := judge(all[i])
		if result == notDue {
			continue
		}
		if result == purged {
			n++
		}
		last := len(all) - 1
		all[i] = all[last]
		clear(all[last:])
		all = all[:last]
	}
	*list = all
	return n
}
