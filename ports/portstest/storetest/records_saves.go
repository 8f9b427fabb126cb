package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

func (m *records[R]) versions(k *storeKit) {
	r := m.open("acme", m.number(1))
	for i, s := range append(slices.Repeat([]step[R]{m.change}, 5), m.steps()[1:]...) {
		k.Same(*m.head(&r).version, int64(i), "the version before "+s.name)
		r = m.keeps(k, s.of(r, i), s.name)
	}
}

func (m *records[R]) taken(k *storeKit) {
	owners := []string{"acme", "zenith"}
	if m.perOwner {
		owners = owners[:1]
	}
	var saved []R
	for _, r := range m.samples() {
		saved = append(saved, m.save(k, r))
	}
	for _, owner := range owners {
		for i, id := range m.ids(saved) {
			name := owner + " " + id
			if m.perOwner {
				name = id
			}
			k.Case(name, func() {
				again := m.open(owner, id)
				m.rejected(k, again, "a new record of a used id")
				m.rejected(k, m.change.of(again, 1), "another new record of a used id")
				m.rejected(k, m.ended(m.change.of(again, 1)), "a new and ended record of a used id")
				m.has(k, saved[i], "the record with the id")
			})
		}
	}
	for _, id := range m.ids(saved) {
		m.absent(k, "zenith", id, "a new record that was rejected")
	}
}

func (m *records[R]) stale(k *storeKit) {
	first := m.save(k, m.open("acme", m.number(1)))
	want := m.save(k, m.change.of(first, 1))
	m.rejected(k, m.change.of(first, 2), "a change at a stale version")
	kit.Each(k, m.ends, step[R].String, func(end step[R]) { m.rejected(k, end.of(m.change.of(first, 2), 2), "an end at a stale version") })
	m.has(k, want, "after a conflict")
	for _, s := range m.steps()[1:] {
		m.rejected(k, m.at(s.of(want, 1), *m.head(&want).version-1), s.name+" at a stale version")
		m.has(k, want, "after a conflict")
		want = m.save(k, s.of(want, 1))
	}
}

func (m *records[R]) future(k *storeKit) {
	want := m.save(k, m.open("acme", m.number(1)))
	m.rejected(k, m.saved(want), "a change at a version above the stored one")
	m.has(k, want, "after a conflict")

	none := m.at(m.open("acme", m.number(2)), 1)
	m.rejected(k, none, "a change of a record that was never saved")
	m.rejected(k, m.ended(none), "an end of a record that was never saved")
	m.absent(k, "acme", m.number(2), "a record that was never saved")
}

func (m *records[R]) stolen(k *storeKit) {
	want := m.save(k, m.open("acme", m.number(1)))
	kit.Each(k, []string{"zenith", "Acme", "acme ", "acme\x00", ""}, kit.Name, func(owner string) {
		stolen := want
		*m.head(&stolen).owner = owner
		m.rejected(k, stolen, "a change of another owner's record")
		m.rejected(k, m.ended(stolen), "an end of another owner's record")
		m.absent(k, owner, m.number(1), "another owner's id")
	})
	m.has(k, want, "after a conflict")
}

// endsOnce tries every change of every ended record and returns the stored records.
func (m *records[R]) endsOnce(k *storeKit) []R {
	var all []R
	for _, first := range m.ends {
		all = append(all,
			m.save(k, first.of(m.open("acme", "at once "+first.name), 0)),
			m.save(k, first.of(m.save(k, m.change.of(m.open("acme", "later "+first.name), 0)), 0)))
	}
	for i, id := range m.ids(all) {
		k.Case(id, func() {
			want := all[i]
			m.rejected(k, want, "saving an ended record unchanged")
			again := m.at(m.open("acme", id), *m.head(&want).version)
			m.rejected(k, again, "opening an ended record again")
			m.rejected(k, m.change.of(again, 1), "changing an ended record")
			for _, second := range m.ends {
				k.Case("then "+second.name, func() { m.rejected(k, second.of(again, 0), "a second end as "+second.name) })
			}
			m.has(k, want, "after a conflict")
		})
	}
	return all
}

func (m *records[R]) race(k *storeKit, racer func(i int) change[R]) []error {
	return kit.Race(kit.Racers, func(i int) error { return m.write(k.Context(), k.Store, racer(i)) })
}

func (m *records[R]) newIDRacers(k *storeKit) {
	for round := range 8 {
		racer := func(i int) R {
			r := m.change.of(m.open(fmt.Sprint("owner-", i%2), m.number(round)), i)
			if i%4 > 1 {
				r = m.ended(r)
			}
			return r
		}
		errs := m.race(k, func(i int) change[R] { return change[R]{record: racer(i)} })
		if m.perOwner {
			for owner := range 2 {
				var of []error
				for i := owner; i < kit.Racers; i += 2 {
					of = append(of, errs[i])
				}
				m.has(k, m.saved(racer(2*k.winner(of)+owner)), "the winner of an owner's racers")
			}
			continue
		}
		won := k.winner(errs)
		m.has(k, m.saved(racer(won)), "the winner")
		m.absent(k, fmt.Sprint("owner-", (won+1)%2), m.number(round), "an owner whose racers lost")
	}
}

func (m *records[R]) racers(k *storeKit) {
	r := m.save(k, m.open("acme", m.number(1)))
	for _, s := range append(slices.Repeat([]step[R]{m.change}, 8), m.steps()[1:]...) {
		won := k.winner(m.race(k, func(i int) change[R] { return change[R]{record: s.of(r, i)} }))
		r = m.saved(s.of(r, won))
		m.has(k, r, "the winner of a race for "+s.name)
	}
}

func (m *records[R]) apart(k *storeKit) {
	made := func(i int) R {
		number := i
		if m.perOwner {
			number = i / 3
		}
		return m.open(fmt.Sprint("owner-", i%3), m.number(number))
	}
	for i, err := range m.race(k, func(i int) change[R] { return change[R]{record: made(i)} }) {
		k.OK(err, "one of many concurrent saves of different records")
		m.has(k, m.saved(made(i)), "one of many concurrent saves of different records")
	}
}

func (m *records[R]) events(k *storeKit) {
	k.Need(k.Outbox != nil, "Outbox")
	r := m.open("acme", m.number(1))
	created, other := m.event("created", m.number(1)), m.event("other", "another key")
	created.Attempt, created.Claim = 7, 7 // Claim sets these; the saved values do not matter
	k.nothingQueued("before the save")
	r = m.saveAll(k, change[R]{record: r, events: []ports.Event{created, other}})
	created.Attempt, other.Attempt = 1, 1
	got := events.take(k, kit.Epoch, 10)
	k.Same(events.ids(got), []string{"created", "other"}, "the events of a new "+m.noun())
	k.Same(got[0], created, "the first event")
	k.Same(got[1], other, "the second event")

	for _, s := range m.steps() {
		r = m.saveAll(k, change[R]{record: s.of(r, 0), events: []ports.Event{m.event(s.name, m.number(1))}})
	}
	k.Same(len(events.take(k, kit.Epoch, 10)), 0, "the number of events while an earlier one of the key is claimed")
	k.OK(k.Outbox.Ack(k.Context(), got[0]), "Ack")
	for _, s := range m.steps() {
		k.OK(k.Outbox.Ack(k.Context(), events.first(k, kit.Epoch, s.name)), "Ack")
	}
}

func (m *records[R]) work(k *storeKit) {
	k.Need(k.Work != nil, "Work")
	later := kit.Epoch.Add(time.Hour)
	want := job("later", later)
	k.nothingQueued("before the save")
	m.saveAll(k, change[R]{record: m.open("acme", m.number(1)), work: []ports.WorkItem{want, job("first", kit.Epoch)}})
	k.Same(items.ids(items.take(k, kit.Epoch, 10)), []string{"first"}, "the work that is due immediately")
	want.Attempt = 1
	got := items.take(k, later.Add(-time.Millisecond), 10)
	k.Same(items.ids(got), []string{"first"}, "the work before the other is due") // its lease has ended
	got = items.take(k, later, 10)
	k.Same(items.ids(got), []string{"later"}, "the work that was due later")
	k.Same(got[0], want, "the work item")
}

func (m *records[R]) racersQueue(k *storeKit) {
	k.Need(k.Outbox != nil && k.Work != nil, "Outbox and Work")
	id := func(i int) string { return fmt.Sprint("of racer ", i) }
	won := k.winner(m.race(k, func(i int) change[R] {
		return change[R]{m.open("acme", m.number(1)), []ports.Event{m.event(id(i), id(i))}, []ports.WorkItem{job(id(i), kit.Epoch)}, nil}
	}))
	k.Same(events.ids(events.take(k, kit.Epoch, 100)), []string{id(won)}, "the events after a race")
	k.Same(items.ids(items.take(k, kit.Epoch, 100)), []string{id(won)}, "the work after a race")
}

func (m *records[R]) queuedTwice(k *storeKit) {
	k.Need(k.Outbox != nil && k.Work != nil, "Outbox and Work")
	k.queuedTwice(func(events []ports.Event, work []ports.WorkItem) error {
		return m.write(k.Context(), k.Store, change[R]{m.open("acme", m.number(1)), events, work, nil})
	})
	m.absent(k, "acme", m.number(1), "a record whose change was rejected")
}

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
		m.has(k, r, s.name+" with a done context")
		r = m.save(k, s.of(r, 0))
	}
	m.absent(k, "acme", "fresh", "a save with a done context")
	m.has(k, ended, "calls with a done context")
	k.nothingQueued("after a save with a done context")
}

func (m *records[R]) closed(k *storeKit) {
	r := m.save(k, m.open("acme", m.number(1)))
	k.closed(m.all(k, m.queued(m.ended(r), "end"), r))
}

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

// loses saves the change and loses its acknowledgement. The change must be stored
// completely or not at all; if not, it can be saved again. loses returns the record.
func (m *records[R]) loses(k *storeKit, c change[R], absent func()) R {
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
	k.nothingQueued("after saves in a full store")
	m.has(k, m.saveAll(k, end), "saved when there was room again")
	k.queuedOnce()
}
