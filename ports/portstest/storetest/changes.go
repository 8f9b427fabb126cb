package storetest

import (
	"bytes"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// changeChecks: what no store takes, whatever it holds, as
// ports.RateLockChange.Check finds it.
var changeChecks = []storeCheck{
	{"a change that names a lock twice is a conflict and stores nothing", lockTwice},
	{impossibleRecord, recordsThatCannotBe},
	{queuedTwice, func(k *storeKit) {
		key := keyOf("acme")
		k.queuedTwice(func(events []ports.Event, work []ports.WorkItem) error {
			change := mint(k.book(key), activeLock(key, "lock-1", kit.Epoch))
			change.Events, change.Work = events, work
			return k.RateLocks.Save(k.Context(), change)
		})
		k.gone(key.Owner, "lock-1")
	}},
}

const (
	impossibleRecord = "a record that no lock can have is refused and stores nothing"
	queuedTwice      = "a change that names an event or an item twice is a conflict and stores nothing"
)

func lockTwice(k *storeKit) {
	key := keyOf("acme")
	l := activeLock(key, "lock-1", kit.Epoch)
	change := mint(k.book(key), l)
	change.Locks = []ports.RateLock{l, l}
	k.refused(change, "minting a lock twice in one change")
	k.gone(key.Owner, l.ID)

	b := k.mint(key, l.ID, kit.Epoch)
	change = k.end(b, l.ID, expired)
	change.Locks = append(change.Locks, change.Locks[0])
	k.refused(change, "ending a lock twice in one change")
	k.Same(k.lock(key.Owner, l.ID), l, "the lock after a conflict")
}

// impossible are records that break a rule each; all other text of theirs is
// sound.
var impossible = []struct {
	name  string
	spoil func(l *ports.RateLock)
}{
	{"of no status", func(l *ports.RateLock) { l.Status = "" }},
	{"of a status that there is not", func(l *ports.RateLock) { *l = expired(*l); l.Status = "paid" }},
	{"active, with a reason", func(l *ports.RateLock) { l.CancellationReason = ports.CancelledRequested }},
	{"active, with an end", func(l *ports.RateLock) { l.EndedAt = kit.Epoch }},
	{"active, with an observed mid", func(l *ports.RateLock) { l.ObservedMid = "17.9000" }},
	{"expired, without an end", func(l *ports.RateLock) { *l = expired(*l); l.EndedAt = time.Time{} }},
	{"expired, with a reason", func(l *ports.RateLock) { *l = expired(*l); l.CancellationReason = ports.CancelledRequested }},
	{"cancelled, without a reason", func(l *ports.RateLock) { *l = cancelledAt(kit.Epoch)(*l); l.CancellationReason = "" }},
	{"cancelled for a reason that there is not", func(l *ports.RateLock) { *l = cancelledAt(kit.Epoch)(*l); l.CancellationReason = "whim" }},
	{"cancelled by drift to no mid", func(l *ports.RateLock) { *l = driftedAt(kit.Epoch, "", -324)(*l) }},
	{"deviating without drift", func(l *ports.RateLock) { *l = cancelledAt(kit.Epoch)(*l); l.DeviationBps = -324 }},
	{"with a negative markup", func(l *ports.RateLock) { l.MarkupBps = -1 }},
	{"that expires as it begins", func(l *ports.RateLock) { l.ExpiresAt = l.CreatedAt }},
}

func recordsThatCannotBe(k *storeKit) {
	key := keyOf("acme")
	b := k.mint(key, "lock-1", kit.Epoch)
	want := k.lock(key.Owner, "lock-1")
	for _, wrong := range impossible {
		fresh, stored := activeLock(key, "lock-2", kit.Epoch.Add(time.Second)), want
		wrong.spoil(&fresh)
		wrong.spoil(&stored)
		for _, l := range []ports.RateLock{fresh, stored} {
			k.refusedAs(errcodes.CorruptRecord, ports.RateLockChange{Book: b, Locks: []ports.RateLock{l}}, "a record "+wrong.name)
		}
		k.gone(key.Owner, fresh.ID)
		k.Same(k.lock(key.Owner, stored.ID), want, "the lock that is stored, after a record "+wrong.name)
		inSlot := b
		inSlot.Slots[1] = fresh
		k.refusedAs(errcodes.CorruptRecord, ports.RateLockChange{Book: inSlot}, "in a slot a record "+wrong.name)
	}
	behind := ports.Book{Key: keyOf("zenith")}
	behind.Slots[1] = activeLock(behind.Key, "lock-3", kit.Epoch)
	k.refusedAs(errcodes.CorruptRecord, ports.RateLockChange{Book: behind}, "a lock behind an empty slot")
}

// queuedTwice checks a save of a record that carries events and work, whichever
// the record.
func (k *storeKit) queuedTwice(save func(events []ports.Event, work []ports.WorkItem) error) {
	k.Helper()
	first, second := kit.Event("event-1", "lock-1"), kit.Event("event-1", "lock-2")
	err := save([]ports.Event{first, kit.Event("event-2", "lock-3"), second}, []ports.WorkItem{job("work-1", kit.Epoch)})
	k.Code(err, errcodes.Conflict, "saving an event twice in one change")
	k.nothingQueued("after an event that came twice")
	err = save([]ports.Event{first}, []ports.WorkItem{job("work-1", kit.Epoch), job("work-2", kit.Epoch), job("work-1", kit.Epoch)})
	k.Code(err, errcodes.Conflict, "saving a work item twice in one change")
	k.nothingQueued("after an item that came twice")
}

// eventIDAgain: a store is not asked to look for an id among the events that wait.
func eventIDAgain(k *storeKit) {
	first, second := kit.Event("event-1", "lock-1"), kit.Event("event-1", "lock-2")
	second.Data = []byte("second")
	k.carryEvents(first)
	k.carryEvents(second)
	first.Attempt, second.Attempt = 1, 1
	got := k.claimEvents(kit.Epoch, 10)
	k.Same(len(got), 2, "the number of events of one id that two changes saved")
	k.Same(got[0], first, "the event of the first change")
	k.Same(got[1], second, "the event of the second change")

	k.OK(k.Outbox.Ack(k.Context(), got[1]), "Ack of the second event")
	k.Code(k.Outbox.Ack(k.Context(), got[1]), errcodes.Conflict, "Ack of the second event again")
	first.Attempt = 2
	got = k.claimEvents(kit.Epoch.Add(lease), 10)
	k.Same(len(got), 1, "the number of events when the second is acknowledged")
	k.Same(got[0], first, "the event that is left")
	k.OK(k.Outbox.Ack(k.Context(), got[0]), "Ack of the first event")
	k.nothingQueued("when both events are acknowledged")
}

// itemIDAgain: an id of work is taken until it is done, and for good by what was
// buried.
func itemIDAgain(k *storeKit) {
	item := job("item-1", kit.Epoch)
	again := ports.RateLockChange{Book: ports.Book{Key: keyOf("acme")}, Work: []ports.WorkItem{job("item-1", kit.Epoch.Add(time.Second))}}
	k.carryWork(item)
	k.Code(k.RateLocks.Save(k.Context(), again), errcodes.Conflict, "an item of an id that waits")
	claimed := k.item(kit.Epoch, item.ID)
	k.Code(k.RateLocks.Save(k.Context(), again), errcodes.Conflict, "an item of an id that is claimed")
	k.Same(k.book(again.Book.Key), again.Book, "the book after a conflict")
	k.OK(k.Work.Done(k.Context(), claimed), "Done")
	k.nothingQueued("when the item is done")

	k.carryWork(item)
	k.OK(k.Work.Bury(k.Context(), k.item(kit.Epoch, item.ID), "no use"), "Bury")
	k.Code(k.RateLocks.Save(k.Context(), again), errcodes.Conflict, "an item of an id that is buried")
	k.nothingQueued("when the item is buried")
}

// sameBytes checks bytes that came back: none are nil.
func (k *storeKit) sameBytes(got, want []byte, what string) {
	k.Helper()
	if !bytes.Equal(got, want) || got != nil && len(got) == 0 {
		k.Fatalf("%s: got %#.80v, want %#.80v, and nil for none", what, got, want)
	}
}
