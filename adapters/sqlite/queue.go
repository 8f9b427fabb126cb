package sqlite

import (
	"slices"
	"sync"
)

// queue holds the saves that wait, in the order in which they came.
type queue struct {
	mu      sync.Mutex
	waiting []*member
	came    int // how many, ever
}

func (q *queue) add(m *member) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.came++
	m.place = q.came
	q.waiting = append(q.waiting, m)
}

// newest gives the place of the save that came last.
func (q *queue) newest() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.came
}

// take gives the first to a transaction.
func (q *queue) take() []*member {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.cut(min(len(q.waiting), maxGroup))
}

// cut leaves nothing of the first n in the slice, which may be long idle.
func (q *queue) cut(n int) []*member {
	first := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	return first
}

// refuse ends the wait of all saves up to a place. They waited for the file as
// long as the one that led: none waits once more.
func (q *queue) refuse(last int, cause error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for n < len(q.waiting) && q.waiting[n].place <= last {
		q.waiting[n].result = cause
		n++
	}
	tell(q.cut(n))
}

// leave takes m back, and tells whether it was still waiting.
func (q *queue) leave(m *member) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, m)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return i >= 0
}
