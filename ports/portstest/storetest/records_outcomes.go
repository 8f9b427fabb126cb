package storetest

import (
	"context"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// queueChecks: what a change asks for comes with it (I32).
func (m *records[R]) queueChecks() []storeCheck {
	return []storeCheck{
		{"events become claimable with their change, in its order", m.events},
		{"work becomes claimable with its change", m.work},
		{"of many racers only the winner's events and work are stored", m.racersQueue},
		{queuedTwice, m.queuedTwice},
	}
}

// outcomeChecks: how it ends when it does not go well.
func (m *records[R]) outcomeChecks(reopened func(k *storeKit)) []storeCheck {
	return []storeCheck{
		{"a context that is done gives its own code and changes nothing", m.cancelled},
		{"a closed store says so", m.closed},
		{"a lost acknowledgement is an unknown outcome, and the change whole or absent", m.lost},
		{"a full store says so, stores nothing, and goes on when there is room", m.full},
		{"a store that is opened again has everything", reopened},
	}
}

func (m *records[R]) events(k *storeKit) {
	k.Need(k.Outbox != nil, "Outbox")
	r := m.open("acme", m.number(1))
	created, other := m.event("created", m.number(1)), m.event("other", "another key")
	created.Attempt, created.Claim = 7, 7 // set by Claim: what was saved does not count
	k.nothingQueued("before the save")
	r = m.saveAll(k, change[R]{record: r, events: []ports.Event{created, other}})
	created.Attempt, other.Attempt = 1, 1
	got := k.claimEvents(kit.Epoch, 10)
	k.Same(eventIDs(got), []string{"created", "other"}, "the events of a new "+m.noun())
	k.Same(got[0], created, "the first event")
	k.Same(got[1], other, "the second event")

	for _, s := range m.steps() {
		r = m.saveAll(k, change[R]{record: s.of(r, 0), events: []ports.Event{m.event(s.name, m.number(1))}})
	}
	k.Same(len(k.claimEvents(kit.Epoch, 10)), 0, "the number of events while an earlier one of the key is out")
	k.OK(k.Outbox.Ack(k.Context(), got[0]), "Ack")
	for _, s := range m.steps() {
		k.OK(k.Outbox.Ack(k.Context(), k.first(kit.Epoch, s.name)), "Ack")
	}
}

func (m *records[R]) work(k *storeKit) {
	k.Need(k.Work != nil, "Work")
	later := kit.Epoch.Add(time.Hour)
	want := job("later", later)
	k.nothingQueued("before the save")
	m.saveAll(k, change[R]{record: m.open("acme", m.number(1)), work: []ports.WorkItem{want, job("first", kit.Epoch)}})
	k.Same(workIDs(k.claimWork(kit.Epoch, 10)), []string{"first"}, "the work that is due at once")
	want.Attempt = 1
	got := k.claimWork(later.Add(-time.Millisecond), 10)
	k.Same(workIDs(got), []string{"first"}, "the work before the other is due") // its lease has ended
	got = k.claimWork(later, 10)
	k.Same(workIDs(got), []string{"later"}, "the work that was due later")
	k.Same(got[0], want, "the work item")
}

func (m *records[R]) racersQueue(k *storeKit) {
	k.Need(k.Outbox != nil && k.Work != nil, "Outbox and Work")
	id := func(i int) string { return fmt.Sprint("of racer ", i) }
	won := k.winner(m.race(k, func(i int) change[R] {
		return change[R]{m.open("acme", m.number(1)), []ports.Event{m.event(id(i), id(i))}, []ports.WorkItem{job(id(i), kit.Epoch)}}
	}))
	k.Same(eventIDs(k.claimEvents(kit.Epoch, 100)), []string{id(won)}, "the events after a race")
	k.Same(workIDs(k.claimWork(kit.Epoch, 100)), []string{id(won)}, "the work after a race")
}

func (m *records[R]) queuedTwice(k *storeKit) {
	k.Need(k.Outbox != nil && k.Work != nil, "Outbox and Work")
	k.queuedTwice(func(events []ports.Event, work []ports.WorkItem) error {
		return m.write(k.Context(), k.Store, change[R]{m.open("acme", m.number(1)), events, work})
	})
	m.absent(k, "acme", m.number(1), "a record whose change was refused")
}

// all makes every call of the port.
func (m *records[R]) all(k *storeKit, c change[R], have R) map[string]func(ctx context.Context) error {
	h := m.head(&have)
	calls := m.calls(k.Store, have)
	calls["Save"] = func(ctx context.Context) error { return m.write(ctx, k.Store, c) }
	calls[m.name] = func(ctx context.Context) error { return errOf(m.read(ctx, k.Store, *h.owner, *h.id)) }
	return calls
}

func (m *records[R]) cancelled(k *storeKit) {
	r, ended := m.save(k, m.open("acme", "open")), m.save(k, m.ended(m.open("acme", "ended")))
	k.Case("a new "+m.noun(), func() { k.doneContexts(m.all(k, m.queued(m.open("acme", "fresh"), "fresh"), ended)) })
	for _, s := range m.steps() {
		k.Case(s.name, func() { k.doneContexts(m.all(k, m.queued(s.of(r, 0), s.name), r)) })
		m.has(k, r, s.name+" with a context that was done")
		r = m.save(k, s.of(r, 0))
	}
	m.absent(k, "acme", "fresh", "a save with a context that was done")
	m.has(k, ended, "calls with a context that was done")
	k.nothingQueued("after a save with a context that was done")
}

func (m *records[R]) closed(k *storeKit) {
	r := m.save(k, m.open("acme", m.number(1)))
	k.closed(m.all(k, m.queued(m.ended(r), "end"), r))
}

// lost loses the acknowledgement of a creation and of each step.
func (m *records[R]) lost(k *storeKit) {
	k.Need(k.LoseNextCommit != nil, "LoseNextCommit")
	r := m.loses(k, m.queued(m.open("acme", m.number(1)), "creation"), func() {
		m.absent(k, "acme", m.number(1), "without the change")
	})
	for _, s := range m.steps() {
		before := r
		r = m.loses(k, m.queued(s.of(before, 0), s.name), func() { m.has(k, before, "without "+s.name) })
	}
	m.save(k, m.open("acme", "next"))
}

// loses saves the change, whose acknowledgement is lost, and finds it whole or
// absent; then it can still be made. It returns the record as it is now.
func (m *records[R]) loses(k *storeKit, c change[R], absent func()) R {
	k.Helper()
	k.LoseNextCommit()
	k.Code(m.write(k.Context(), k.Store, c), errcodes.OutcomeUnknown, "Save that loses its acknowledgement")
	h := m.head(&c.record)
	now, err := m.read(k.Context(), k.Store, *h.owner, *h.id)
	if errcodes.Of(err) == errcodes.NotFound || err == nil && *m.head(&now).version == *h.version {
		absent()
		k.nothingQueued("without the change")
		m.saveAll(k, c)
	}
	m.has(k, m.saved(c.record), "with the change")
	k.queuedOnce()
	return m.saved(c.record)
}

// queuedOnce checks that one event and one work item wait, and takes them.
func (k *storeKit) queuedOnce() {
	k.Helper()
	if k.Outbox != nil {
		got := k.claimEvents(kit.Epoch, 10)
		k.Same(len(got), 1, "the number of events")
		k.OK(k.Outbox.Ack(k.Context(), got[0]), "Ack")
	}
	if k.Work != nil {
		got := k.claimWork(kit.Epoch, 10)
		k.Same(len(got), 1, "the number of work items")
		k.OK(k.Work.Done(k.Context(), got[0]), "Done")
	}
}

func (m *records[R]) full(k *storeKit) {
	k.Need(k.Fill != nil, "Fill")
	before := m.save(k, m.open("acme", "changed"))
	end, fresh := m.queued(m.ended(before), "end"), m.queued(m.open("acme", "fresh"), "fresh")
	empty := k.Fill()
	k.Code(m.write(k.Context(), k.Store, end), errcodes.StorageUnavailable, "Save of an end in a full store")
	k.Code(m.write(k.Context(), k.Store, fresh), errcodes.StorageUnavailable, "Save of a new "+m.noun()+" in a full store")
	m.has(k, before, "in a full store")
	m.absent(k, "acme", "fresh", "in a full store")
	empty()
	k.nothingQueued("after saves that found no room")
	m.has(k, m.saveAll(k, end), "saved when there was room again")
	k.queuedOnce()
}
