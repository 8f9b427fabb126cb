package memory

import (
	"cmp"

	"github.com/corridor-go/corridor/ports"
)

// admitsWork reports whether the ids of work are new.
func (s *Store) admitsWork(work []ports.WorkItem) bool {
	for i := range work {
		if s.work.has(work[i].ID) {
			return false
		}
	}
	return true
}

// enqueue makes admitted events and work claimable, and stores the audit rows.
func (s *Store) enqueue(events []ports.Event, work []ports.WorkItem, audit []ports.AuditRow) {
	for i := range events {
		s.seq++
		s.outbox.add(events[i], s.seq)
	}
	for i := range work {
		s.seq++
		s.work.add(work[i], s.seq)
	}
	s.record(audit...)
}

// queueEntry is an event or a work item in a claimQueue.
type queueEntry[V any] struct {
	value   V
	due     int64 // ms; entries due earlier are claimed first; 0 in the outbox
	seq     int64 // the order of the saves
	from    int64 // ms; not claimable earlier, because of a lease or a delay
	attempt int
	claim   int64          // the number of claims so far, which identifies the latest one
	held    bool           // claimed, and neither settled nor released
	sameID  *queueEntry[V] // the previous event with the same id, see outboxState
}

// owns reports whether the claim is the latest and not settled.
func (e *queueEntry[V]) owns(claim int64) bool {
	return e != nil && e.held && e.claim == claim
}

// claimQueue contains claimable entries: ready are due at the latest claim, waiting are
// leased or delayed.
type claimQueue[V any] struct {
	ready   *sorted[*queueEntry[V]]
	waiting *sorted[*queueEntry[V]]
}

func newClaimQueue[V any]() *claimQueue[V] {
	return &claimQueue[V]{ready: newSorted(byDue[V]), waiting: newSorted(byFrom[V])}
}

func byDue[V any](a, b *queueEntry[V]) int {
	return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.seq, b.seq))
}

func byFrom[V any](a, b *queueEntry[V]) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.seq, b.seq))
}

func (q *claimQueue[V]) add(e *queueEntry[V]) { q.waiting.insert(e) }

// remove removes e. It must be called before e.from or e.due changes.
func (q *claimQueue[V]) remove(e *queueEntry[V]) {
	if !q.waiting.remove(e) {
		q.ready.remove(e)
	}
}

// release makes e claimable again at from.
func (q *claimQueue[V]) release(e *queueEntry[V], from int64) {
	q.remove(e)
	e.from, e.held = from, false
	q.add(e)
}

// claim leases up to n entries that are claimable at now.
func (q *claimQueue[V]) claim(now, until int64, n int) []*queueEntry[V] {
	q.wake(now)
	var got, early []*queueEntry[V]
	for e := range q.ready.all() {
		if len(got) == n {
			break
		}
		if e.from > now { // e became ready before the caller's clock was set back
			early = append(early, e)
			continue
		}
		got = append(got, e)
	}
	for _, e := range early {
		q.ready.remove(e)
		q.waiting.insert(e)
	}
	for _, e := range got {
		q.ready.remove(e)
		e.from, e.held = until, true
		e.attempt++
		e.claim++
		q.waiting.insert(e)
	}
	return got
}

// claimable returns how many entries could be claimed at now, at most n.
func (q *claimQueue[V]) claimable(now int64, n int) int {
	q.wake(now)
	count := 0
	for e := range q.ready.all() {
		if count == n {
			break
		}
		if e.from <= now {
			count++
		}
	}
	return count
}

// wake moves the entries that are due at now from waiting to ready.
func (q *claimQueue[V]) wake(now int64) {
	var come []*queueEntry[V]
	for e := range q.waiting.all() {
		if e.from > now {
			break
		}
		come = append(come, e)
	}
	for _, e := range come {
		q.waiting.remove(e)
		q.ready.insert(e)
	}
}
