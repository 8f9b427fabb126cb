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

// queueEntry is an event or a work item that waits to be claimed.
type queueEntry[V any] struct {
	value   V
	due     int64 // ms; what is due earlier is handed out earlier; 0 in the outbox
	seq     int64 // the order of the saves
	from    int64 // ms; not claimable before: a lease or a delay
	attempt int
	claim   int64          // the number of claims there ever were, which names the latest
	held    bool           // claimed, and neither finished nor released
	sameID  *queueEntry[V] // the event of the same id that came before, see outboxState
}

// owns reports whether the claim of that name is the latest, and unused.
func (e *queueEntry[V]) owns(claim int64) bool {
	return e != nil && e.held && e.claim == claim
}

// claimQueue holds the entries that can be claimed: ready those whose time has
// come, waiting those that are leased or delayed.
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

// remove takes e out. It must be called before e.from or e.due changes.
func (q *claimQueue[V]) remove(e *queueEntry[V]) {
	if !q.waiting.remove(e) {
		q.ready.remove(e)
	}
}

// release lets e be claimed from then on.
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
		if e.from > now { // its time had come before the caller's clock jumped back
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

// claimable counts what could be claimed at now, up to n.
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

// wake makes ready what waited until now.
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
