package memory

import (
	"cmp"
	"time"
)

// purgeIndex files values by the minute in which they are due to be purged. Filing
// is an append, which a save can afford; the sweep of a minute pays for the order
// that it lacks.
type purgeIndex[T any] struct {
	minutes map[int64]*[]T
	order   *sorted[int64] // of the minutes that hold something
}

func newPurgeIndex[T any]() purgeIndex[T] {
	return purgeIndex[T]{minutes: map[int64]*[]T{}, order: newSorted(cmp.Compare[int64])}
}

// minute numbers minutes in their order.
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

// sweepResult is what a sweep found of a value. Only what is not due stays filed.
type sweepResult int

const (
	notDue     sweepResult = iota // its time has not come
	staleEntry                    // it left by another way, or is filed under a later minute
	purged                        // its time had come
)

// sweep judges what is filed up to the minute of the instant, until n are
// purged, and returns how many were.
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
