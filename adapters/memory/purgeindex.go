package memory

import (
	"cmp"
	"time"
)

// agenda files things by the minute of an instant. Filing is an append, which a
// save can afford; what it saves on order, the sweep of a minute pays.
type agenda[T any] struct {
	minutes map[int64]*[]T
	order   *sorted[int64] // of the minutes that hold something
}

func newAgenda[T any]() agenda[T] {
	return agenda[T]{minutes: map[int64]*[]T{}, order: newSorted(cmp.Compare[int64])}
}

// minute numbers minutes in their order.
func minute(t time.Time) int64 { return t.Unix() / 60 }

func (a *agenda[T]) add(at time.Time, v T) {
	m := minute(at)
	list := a.minutes[m]
	if list == nil {
		list = new([]T)
		a.minutes[m] = list
		a.order.insert(m)
	}
	*list = append(*list, v)
}

// fate is what a sweep does with a thing.
type fate int

const (
	kept    fate = iota // its time has not come
	dropped             // it left by another way, or is filed under a later minute
	removed             // its time had come
)

// sweep judges what is filed up to the minute of the instant, until n are
// removed, and tells how many were.
func (a *agenda[T]) sweep(before time.Time, n int, judge func(v T) fate) int {
	var empty []int64
	left := n
	for m := range a.order.all() {
		if m > minute(before) || left == 0 {
			break
		}
		list := a.minutes[m]
		left -= sweepList(list, left, judge)
		if len(*list) == 0 {
			empty = append(empty, m)
		}
	}
	for _, m := range empty {
		delete(a.minutes, m)
		a.order.remove(m)
	}
	return n - left
}

func sweepList[T any](list *[]T, most int, judge func(v T) fate) int {
	all, n := *list, 0
	for i := len(all) - 1; i >= 0 && n < most; i-- {
		f := judge(all[i])
		if f == kept {
			continue
		}
		if f == removed {
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
