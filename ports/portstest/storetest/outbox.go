package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// Outbox checks a ports.Outbox. Events are saved through the store's RateLocks.
func Outbox(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, outboxChecks, "Store.Outbox or Store.RateLocks is nil", func(s Store) bool { return s.Outbox != nil && s.RateLocks != nil })
}

var outboxChecks = []storeCheck{
	{"Claim of an empty outbox returns no events and no error", func(k *storeKit) {
		k.Same(len(events.take(k, kit.Epoch, 10)), 0, "the number of events in an empty outbox")
	}},
	{"an event is claimed as it was saved", events.roundTrip},
	{"an event can be claimed once it is saved, whatever its time", func(k *storeKit) {
		e := kit.Event("event-1", "lock-1")
		e.At = kit.Epoch.Add(time.Hour) // a book's time may be ahead of this process's clock
		k.carryEvents(e)
		k.Same(len(events.take(k, kit.Epoch, 10)), 1, "the number of events")
	}},
	{"data of any bytes is returned unchanged", events.anyData},
	{"changing data outside the store does not change the store", events.notAliased},
	{"every event of a change is stored", func(k *storeKit) {
		var saved []ports.Event
		for i := range 50 {
			saved = append(saved, kit.Event(fmt.Sprint("event-", i), fmt.Sprint("lock-", i)))
		}
		k.carryEvents(saved...)
		k.Same(events.ids(events.take(k, kit.Epoch, 1000)), events.ids(saved), "the events of one change")
	}},
	{"events of different changes may have the same id", eventIDAgain},
	{"events are claimed in the order of their saves", func(k *storeKit) {
		// The order of the saves is neither that of the ids nor that of the times.
		for i, id := range []string{"m", "z", "a", "k"} {
			e := kit.Event(id, "lock of "+id)
			e.At = kit.Epoch.Add(-time.Duration(i) * time.Second)
			k.carryEvents(e)
		}
		k.Same(events.ids(events.take(k, kit.Epoch, 2)), []string{"m", "z"}, "the first two events")
		k.Same(events.ids(events.take(k, kit.Epoch, 10)), []string{"a", "k"}, "the other events")
		k.Same(events.ids(events.take(k, kit.Epoch.Add(lease), 10)), []string{"m", "z", "a", "k"}, "all of them again")
	}},
	{"a claim takes at most one event of a key", func(k *storeKit) {
		k.three()
		k.Same(events.ids(events.take(k, kit.Epoch, 10)), []string{"c", "other"}, "a claim")
	}},
	{"a claimed event holds back only the later ones of its key", func(k *storeKit) {
		k.three()
		events.take(k, kit.Epoch, 1)
		k.Same(events.ids(events.take(k, kit.Epoch, 10)), []string{"other"}, "a claim while c is leased")
		k.Same(events.ids(events.take(k, kit.Epoch.Add(lease), 1)), []string{"c"}, "a claim after c's lease")
	}},
	{"a retried event holds back the later ones of its key", func(k *storeKit) {
		k.three()
		c := events.first(k, kit.Epoch, "c")
		k.OK(k.Outbox.Retry(k.Context(), c, kit.Epoch.Add(time.Hour)), "Retry")
		k.Same(events.ids(events.take(k, kit.Epoch.Add(lease), 10)), []string{"other"}, "a claim while c is delayed")
		k.Same(events.ids(events.take(k, kit.Epoch.Add(time.Hour), 1)), []string{"c"}, "a claim when c's time has come")
	}},
	{"an acknowledged event is removed and releases the next of its key", func(k *storeKit) {
		k.three()
		for _, id := range []string{"c", "b", "a", "other"} {
			if id == "a" { // the new first event of a key also keeps the order of its save
				k.Same(events.ids(events.take(k, kit.Epoch.Add(-lease), 10)), []string{"a", "other"}, "a claim")
			}
			k.OK(k.Outbox.Ack(k.Context(), events.first(k, kit.Epoch, id)), "Ack")
		}
		k.Same(events.ids(events.take(k, kit.Epoch.AddDate(1, 0, 0), 10)), []string{}, "the events left")
	}},
	{"a buried event is set aside and releases the next of its key", func(k *storeKit) {
		k.three()
		for _, id := range []string{"c", "b", "a", "other"} {
			k.OK(k.Outbox.Bury(k.Context(), events.first(k, kit.Epoch, id), "no use"), "Bury")
		}
		k.Same(events.ids(events.take(k, kit.Epoch.AddDate(1, 0, 0), 10)), []string{}, "the events left")
	}},
	{"keys that look alike are ordered separately", func(k *storeKit) {
		var want []string
		for i, key := range kit.Distinct {
			id := fmt.Sprint("event-", i)
			k.carryEvents(kit.Event(id, key))
			want = append(want, id)
		}
		got := events.take(k, kit.Epoch, 100)
		k.Same(events.ids(got), want, "one event of each key")
		for i, e := range got {
			k.Same(e.Key, kit.Distinct[i], "the key of an event")
		}
	}},
	{"a claim takes at most n events", events.bounded},
	{"a leased event is not claimed until the lease ends, and attempts are counted", events.lease},
	{"a lease holds if the caller's clock jumps back", events.leaseBackwards},
	{"a retried event waits for its time", events.retry},
	{"a claim that is not the latest is a conflict", events.staleClaim},
	{"a claim can be settled once", events.claimOnce},
	{"concurrent claims never return the same event", events.racers},
	{"a reason of 1,024 bytes is accepted", func(k *storeKit) {
		k.carryEvents(kit.Event("event-1", "lock-1"), kit.Event("event-2", "lock-2"))
		k.OK(k.Outbox.Bury(k.Context(), events.first(k, kit.Epoch, "event-1"), longReason), "Bury with a long reason")
		k.OK(k.Outbox.Bury(k.Context(), events.first(k, kit.Epoch, "event-2"), ""), "Bury without a reason")
	}},
	{"a done context returns its code and changes nothing", func(k *storeKit) {
		for _, id := range []string{"buried", "claimed", "waiting"} {
			k.carryEvents(kit.Event(id, id))
		}
		k.OK(k.Outbox.Bury(k.Context(), events.first(k, kit.Epoch, "buried"), "no use"), "Bury")
		claimed := events.first(k, kit.Epoch, "claimed")
		k.doneContexts(events.calls(k, claimed))
		k.OK(k.Outbox.Ack(k.Context(), claimed), "Ack")
		k.Same(events.first(k, kit.Epoch, "waiting").Attempt, 1, "the attempt")
		k.Same(len(events.take(k, kit.Epoch, 1)), 0, "the number of events left")
	}},
	{"a closed store returns Closed", events.closed},
	{"a reopened store has its events", func(k *storeKit) {
		k.Need(k.Reopen != nil, "Reopen")
		for _, id := range []string{"buried", "acknowledged", "claimed", "waiting"} {
			k.carryEvents(kit.Event(id, id))
		}
		k.OK(k.Outbox.Bury(k.Context(), events.first(k, kit.Epoch, "buried"), "no use"), "Bury")
		k.OK(k.Outbox.Ack(k.Context(), events.first(k, kit.Epoch, "acknowledged")), "Ack")
		claimed := events.first(k, kit.Epoch, "claimed")
		k.Store = k.Reopen()
		k.Same(events.ids(events.take(k, kit.Epoch, 10)), []string{"waiting"}, "the events waiting after reopening")
		k.OK(k.Outbox.Retry(k.Context(), claimed, kit.Epoch.Add(lease)), "Retry with a claim from before reopening")
		k.Same(events.ids(events.take(k, kit.Epoch.Add(lease), 10)), []string{"claimed", "waiting"}, "the events after the retry")
	}},
}

var events = &queue[ports.Event]{
	noun: "event", done: "Ack",
	make:  func(id string) ports.Event { return kit.Event(id, "lock of "+id) },
	carry: (*storeKit).carryEvents,
	claim: func(ctx context.Context, s Store, now time.Time, n int) ([]ports.Event, error) {
		return s.Outbox.Claim(ctx, now, lease, n)
	},
	ends: func(s Store, e ports.Event, retry time.Time) map[string]func(ctx context.Context) error {
		return map[string]func(ctx context.Context) error{
			"Ack":   func(ctx context.Context) error { return s.Outbox.Ack(ctx, e) },
			"Retry": func(ctx context.Context) error { return s.Outbox.Retry(ctx, e, retry) },
			"Bury":  func(ctx context.Context) error { return s.Outbox.Bury(ctx, e, "no use") },
		}
	},
	head: func(e *ports.Event) queuedHead { return queuedHead{&e.ID, &e.Data, &e.Attempt, &e.Claim} },
}

// eventIDAgain checks that a store need not look for an id among waiting events.
func eventIDAgain(k *storeKit) {
	first, second := kit.Event("event-1", "lock-1"), kit.Event("event-1", "lock-2")
	second.Data = []byte("second")
	k.carryEvents(first)
	k.carryEvents(second)
	first.Attempt, second.Attempt = 1, 1
	got := events.take(k, kit.Epoch, 10)
	k.Same(len(got), 2, "the number of events of one id that two changes saved")
	k.Same(got[0], first, "the event of the first change")
	k.Same(got[1], second, "the event of the second change")

	k.OK(k.Outbox.Ack(k.Context(), got[1]), "Ack of the second event")
	k.Code(k.Outbox.Ack(k.Context(), got[1]), errcodes.Conflict, "Ack of the second event again")
	first.Attempt = 2
	got = events.take(k, kit.Epoch.Add(lease), 10)
	k.Same(len(got), 1, "the number of events when the second is acknowledged")
	k.Same(got[0], first, "the remaining event")
	k.OK(k.Outbox.Ack(k.Context(), got[0]), "Ack of the first event")
	k.nothingQueued("when both events are acknowledged")
}

// three saves three events of one key and one of another.
func (k *storeKit) three() {
	k.carryEvents(kit.Event("c", "lock"), kit.Event("b", "lock"))
	k.carryEvents(kit.Event("a", "lock"), kit.Event("other", "other"))
}

// longReason has the maximum length and is not valid text.
var longReason = strings.Repeat("r\xff\x00\xc3", 256)
