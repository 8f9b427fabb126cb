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

// enqueue makes admitted events and work claimable.
func (s *Store) enqueue(events []ports.Event, work []ports.WorkItem) {
	for i := range events {
		s.seq++
		s.outbox.add(events[i], s.seq)
	}
	for i := range work {
		s.seq++
		s.work.add(work[i], s.seq)
	}
}

// entry is an event or a work item that waits to be claimed.
type entry[V any] struct {
	value   V
	due     int64 // ms; what is due earlier is handed out earlier; 0 in the outbox
	seq     int64 // the order of the saves
	from    int64 // ms; not claimable before: a lease or a delay
	attempt int
	claim   int64     // the number of claims there ever were, which names the latest
	held    bool      // claimed, and neither finished nor given back
	twin    *entry[V] // the event of the same id that came before, see outboxState
}

// owns reports whether the claim of that name is the latest, and unused.
func (e *entry[V]) owns(claim int64) bool {
	return e != nil && e.held && e.claim == claim
}

// leases hands entries out: ready holds those whose time has come, waiting
// those that are leased or delayed.
type leases[V any] struct {
	ready   *sorted[*entry[V]]
	waiting *sorted[*entry[V]]
}

func newLeases[V any]() *leases[V] {
	return &leases[V]{ready: newSorted(byDue[V]), waiting: newSorted(byFrom[V])}
}

func byDue[V any](a, b *entry[V]) int {
	return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.seq, b.seq))
}

func byFrom[V any](a, b *entry[V]) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.seq, b.seq))
}

func (l *leases[V]) add(e *entry[V]) { l.waiting.insert(e) }

// remove takes e out. It must be called before e.from or e.due changes.
func (l *leases[V]) remove(e *entry[V]) {
	if !l.waiting.remove(e) {
		l.ready.remove(e)
	}
}

// giveBack lets e be claimed from then on.
func (l *leases[V]) giveBack(e *entry[V], from int64) {
	l.remove(e)
	e.from, e.held = from, false
	l.add(e)
}

// claim leases up to n entries that are claimable at now.
func (l *leases[V]) claim(now, until int64, n int) []*entry[V] {
	l.mature(now)
	var got, early []*entry[V]
	for e := range l.ready.all() {
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
		l.ready.remove(e)
		l.waiting.insert(e)
	}
	for _, e := range got {
		l.ready.remove(e)
		e.from, e.held = until, true
		e.attempt++
		e.claim++
		l.waiting.insert(e)
	}
	return got
}

// claimable counts what could be claimed at now, up to n.
func (l *leases[V]) claimable(now int64, n int) int {
	l.mature(now)
	count := 0
	for e := range l.ready.all() {
		if count == n {
			break
		}
		if e.from <= now {
			count++
		}
	}
	return count
}

// mature makes ready what waited until now.
func (l *leases[V]) mature(now int64) {
	var come []*entry[V]
	for e := range l.waiting.all() {
		if e.from > now {
			break
		}
		come = append(come, e)
	}
	for _, e := range come {
		l.waiting.remove(e)
		l.ready.insert(e)
	}
}
