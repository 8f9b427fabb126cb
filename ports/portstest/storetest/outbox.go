package storetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// Outbox checks a ports.Outbox. Events come in through the store's RateLocks.
func Outbox(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, outboxChecks, "the store keeps no events, or no rate locks to save them with", func(s Store) bool { return s.Outbox != nil && s.RateLocks != nil })
}

var outboxChecks = slices.Concat(eventChecks, eventOrderChecks, eventClaimChecks, eventOutcomeChecks)

// eventChecks: what is handed out, and when it first may be.
var eventChecks = []storeCheck{
	{"an empty outbox hands out nothing, without an error", emptyOutbox},
	{"an event comes out as it was saved", eventRoundTrip},
	{"an event waits from its save on, whatever its time says", eventWaitsAtOnce},
	{"data of any bytes comes back", eventData},
	{"changing data that was passed in or handed out changes nothing stored", eventNotAliased},
	{"every event of a change is stored", eventsOfOneChange},
	{"an id that an event of another change has is that of an event of its own", eventIDAgain},
}

// anyData are anyBytes, and no bytes that are not nil.
var anyData = append([][]byte{{}}, kit.AnyBytes...)

func emptyOutbox(k *storeKit) {
	k.Same(len(k.claimEvents(kit.Epoch, 10)), 0, "the number of events in an empty outbox")
}

func eventRoundTrip(k *storeKit) {
	want := kit.Event("event-1", "lock-1")
	want.Attempt, want.Claim = 7, 7 // set by Claim: what was saved does not count
	k.carryEvents(want)
	want.Attempt = 1
	got := k.claimEvents(kit.Epoch, 10)
	k.Same(len(got), 1, "the number of events")
	k.Same(got[0], want, "the event")
}

func eventWaitsAtOnce(k *storeKit) {
	e := kit.Event("event-1", "lock-1")
	e.At = kit.Epoch.Add(time.Hour) // a book may decide ahead of this process's clock
	k.carryEvents(e)
	k.Same(len(k.claimEvents(kit.Epoch, 10)), 1, "the number of events")
}

func eventData(k *storeKit) {
	for i, data := range anyData {
		k.Case(kit.Name(data), func() {
			want := kit.Event(fmt.Sprint("event-", i), fmt.Sprint("lock-", i))
			want.Data = data
			k.carryEvents(want)
			want.Attempt = 1
			got := k.claimEvents(kit.Epoch, 10)
			k.Same(len(got), 1, "the number of events")
			k.Same(got[0], want, "the event")
			k.sameBytes(got[0].Data, data, "the event's data")
		})
	}
}

func eventNotAliased(k *storeKit) {
	in := kit.Event("event-1", "lock-1")
	want := in
	want.Data = bytes.Clone(in.Data)
	k.carryEvents(in)
	in.Data[0] = '!'
	for attempt := range 2 {
		want.Attempt = attempt + 1
		got := k.claimEvents(kit.Epoch.Add(time.Duration(attempt)*lease), 1)
		k.Same(len(got), 1, "the number of events")
		k.Same(got[0], want, "the event after its bytes were changed outside")
		got[0].Data[0] = '?'
	}
}

func eventsOfOneChange(k *storeKit) {
	var events []ports.Event
	for i := range 50 {
		events = append(events, kit.Event(fmt.Sprint("event-", i), fmt.Sprint("lock-", i)))
	}
	k.carryEvents(events...)
	k.Same(eventIDs(k.claimEvents(kit.Epoch, 1000)), eventIDs(events), "the events of one change")
}

func eventIDs(events []ports.Event) []string {
	out := []string{}
	for _, e := range events {
		out = append(out, e.ID)
	}
	return out
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

// eventOrderChecks: order is kept per key, and nothing else is held up.
var eventOrderChecks = []storeCheck{
	{"events come in the order of their saves", saveOrder},
	{"a claim takes at most one event of a key", oneOfAKey},
	{"a claimed event holds back the later ones of its key only", claimedHoldsBack},
	{"a retried event holds back the later ones of its key", retriedHoldsBack},
	{"an acknowledged event is gone and lets the next of its key pass", acknowledgedPasses},
	{"a buried event is set aside and lets the next of its key pass", buriedPasses},
	{"keys that look alike are ordered apart", eventKeysApart},
}

func saveOrder(k *storeKit) {
	// Neither the ids nor the times rise with the saves.
	for i, id := range []string{"m", "z", "a", "k"} {
		e := kit.Event(id, "lock of "+id)
		e.At = kit.Epoch.Add(-time.Duration(i) * time.Second)
		k.carryEvents(e)
	}
	k.Same(eventIDs(k.claimEvents(kit.Epoch, 2)), []string{"m", "z"}, "the first two events")
	k.Same(eventIDs(k.claimEvents(kit.Epoch, 10)), []string{"a", "k"}, "the other events")
	k.Same(eventIDs(k.claimEvents(kit.Epoch.Add(lease), 10)), []string{"m", "z", "a", "k"}, "all of them again")
}

// three saves three events of one key, and one of another.
func (k *storeKit) three() {
	k.Helper()
	k.carryEvents(kit.Event("c", "lock"), kit.Event("b", "lock"))
	k.carryEvents(kit.Event("a", "lock"), kit.Event("other", "other"))
}

func oneOfAKey(k *storeKit) {
	k.three()
	k.Same(eventIDs(k.claimEvents(kit.Epoch, 10)), []string{"c", "other"}, "a claim")
}

func claimedHoldsBack(k *storeKit) {
	k.three()
	k.claimEvents(kit.Epoch, 1)
	k.Same(eventIDs(k.claimEvents(kit.Epoch, 10)), []string{"other"}, "a claim while c is leased")
	k.Same(eventIDs(k.claimEvents(kit.Epoch.Add(lease), 1)), []string{"c"}, "a claim after c's lease")
}

func retriedHoldsBack(k *storeKit) {
	k.three()
	c := k.first(kit.Epoch, "c")
	k.OK(k.Outbox.Retry(k.Context(), c, kit.Epoch.Add(time.Hour)), "Retry")
	k.Same(eventIDs(k.claimEvents(kit.Epoch.Add(lease), 10)), []string{"other"}, "a claim while c is delayed")
	k.Same(eventIDs(k.claimEvents(kit.Epoch.Add(time.Hour), 1)), []string{"c"}, "a claim when c's time has come")
}

// first claims one event and checks that it is the one expected.
func (k *storeKit) first(now time.Time, id string) ports.Event {
	k.Helper()
	got := k.claimEvents(now, 1)
	k.Same(eventIDs(got), []string{id}, "the next event")
	return got[0]
}

func acknowledgedPasses(k *storeKit) {
	k.three()
	for _, id := range []string{"c", "b", "a", "other"} {
		if id == "a" { // a new head comes in the order of its save too
			k.Same(eventIDs(k.claimEvents(kit.Epoch.Add(-lease), 10)), []string{"a", "other"}, "a claim")
		}
		k.OK(k.Outbox.Ack(k.Context(), k.first(kit.Epoch, id)), "Ack")
	}
	k.Same(eventIDs(k.claimEvents(kit.Epoch.AddDate(1, 0, 0), 10)), []string{}, "what is left")
}

func buriedPasses(k *storeKit) {
	k.three()
	for _, id := range []string{"c", "b", "a", "other"} {
		k.OK(k.Outbox.Bury(k.Context(), k.first(kit.Epoch, id), "no use"), "Bury")
	}
	k.Same(eventIDs(k.claimEvents(kit.Epoch.AddDate(1, 0, 0), 10)), []string{}, "what is left")
}

func eventKeysApart(k *storeKit) {
	var want []string
	for i, key := range kit.Distinct {
		id := fmt.Sprint("event-", i)
		k.carryEvents(kit.Event(id, key))
		want = append(want, id)
	}
	got := k.claimEvents(kit.Epoch, 100)
	k.Same(eventIDs(got), want, "one event of each key")
	for i, e := range got {
		k.Same(e.Key, kit.Distinct[i], "the key of an event")
	}
}

// eventClaimChecks: who has an event, and for how long.
var eventClaimChecks = []storeCheck{
	{"a claim takes at most n events", eventsBounded},
	{"a lease keeps an event until it ends, and counts the attempts", eventLease},
	{"a lease holds when the caller's clock jumps back", eventLeaseBackwards},
	{"a retried event waits for its time", eventRetry},
	{"a claim that is not the latest is a conflict", eventStaleClaim},
	{"a claim serves once", eventClaimOnce},
	{"racers never get the same event", eventRacers},
	{"a reason of 1,024 bytes is taken", eventReason},
}

// eventOutcomeChecks: how it ends when it does not go well.
var eventOutcomeChecks = []storeCheck{
	{"a context that is done gives its own code and changes nothing", outboxCancelled},
	{"a closed store says so", outboxClosed},
	{"a store that is opened again has its events", outboxReopened},
}

func eventsBounded(k *storeKit) {
	for _, id := range []string{"a", "b", "c"} {
		k.carryEvents(kit.Event(id, id))
	}
	for _, want := range []int{2, 1, 0} {
		k.Same(len(k.claimEvents(kit.Epoch, 2)), want, "the number of events in a claim of 2")
	}
}

func eventLease(k *storeKit) {
	k.carryEvents(kit.Event("event-1", "lock-1"))
	for attempt := 1; attempt <= 3; attempt++ {
		start := kit.Epoch.Add(time.Duration(attempt) * lease)
		k.Same(k.first(start, "event-1").Attempt, attempt, "the attempt")
		k.Same(len(k.claimEvents(start, 1)), 0, "the number of events at the start of a lease")
		k.Same(len(k.claimEvents(start.Add(lease-time.Millisecond), 1)), 0, "the number of events just before a lease ends")
	}
}

func eventLeaseBackwards(k *storeKit) {
	k.carryEvents(kit.Event("event-1", "lock-1"))
	k.first(kit.Epoch, "event-1")
	k.Same(len(k.claimEvents(kit.Epoch.Add(-24*time.Hour), 1)), 0, "the number of events a day before the lease")
}

func eventRetry(k *storeKit) {
	k.carryEvents(kit.Event("event-1", "lock-1"))
	at := kit.Epoch.Add(2 * lease)
	k.OK(k.Outbox.Retry(k.Context(), k.first(kit.Epoch, "event-1"), at), "Retry")
	k.Same(len(k.claimEvents(at.Add(-time.Millisecond), 1)), 0, "the number of events before the retry's time")
	again := k.first(at, "event-1")
	k.Same(again.Attempt, 2, "the attempt")
	k.OK(k.Outbox.Retry(k.Context(), again, at), "Retry within the lease")
	k.first(at, "event-1")
}

// eventEnds is every way to end a claim.
func (k *storeKit) eventEnds(e ports.Event) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Ack":   func(ctx context.Context) error { return k.Outbox.Ack(ctx, e) },
		"Retry": func(ctx context.Context) error { return k.Outbox.Retry(ctx, e, kit.Epoch) },
		"Bury":  func(ctx context.Context) error { return k.Outbox.Bury(ctx, e, "no use") },
	}
}

// conflicts makes the calls and expects a conflict of each.
func (k *storeKit) conflicts(calls map[string]func(ctx context.Context) error, what string) {
	k.Helper()
	for name, call := range kit.ByName(calls) {
		k.Case(name+" "+what, func() {
			k.Code(call(k.Context()), errcodes.Conflict, name+" "+what)
		})
	}
}

func eventStaleClaim(k *storeKit) {
	k.carryEvents(kit.Event("event-1", "lock-1"))
	stale := k.first(kit.Epoch, "event-1")
	latest := k.first(kit.Epoch.Add(lease), "event-1")
	k.conflicts(k.eventEnds(stale), "by a claim that is not the latest")
	k.conflicts(k.eventEnds(kit.Event("unknown", "lock-1")), "of an unknown event")
	k.Same(len(k.claimEvents(kit.Epoch.Add(2*lease-time.Millisecond), 1)), 0, "the number of events within the latest lease")
	k.OK(k.Outbox.Ack(k.Context(), latest), "Ack by the latest claim")
}

func eventClaimOnce(k *storeKit) {
	for _, name := range []string{"Ack", "Retry", "Bury"} {
		k.Case(name, func() {
			k.carryEvents(kit.Event(name, "lock of "+name))
			e := k.first(kit.Epoch, name)
			ends := k.eventEnds(e)
			k.OK(ends[name](k.Context()), name)
			k.conflicts(ends, "by a claim that has served its "+name)
			if name == "Retry" {
				k.OK(k.Outbox.Ack(k.Context(), k.first(kit.Epoch, name)), "Ack after a retry")
			}
		})
	}
}

func eventRacers(k *storeKit) {
	const n = 64
	for i := range n {
		k.carryEvents(kit.Event(fmt.Sprint("event-", i), fmt.Sprint("lock-", i)))
	}
	got := make([][]ports.Event, kit.Racers)
	errs := kit.Race(kit.Racers, func(i int) (err error) {
		got[i], err = k.Outbox.Claim(k.Context(), kit.Epoch, lease, n/kit.Racers)
		return err
	})
	seen := map[string]bool{}
	for i, err := range errs {
		k.OK(err, "Claim in a race")
		for _, e := range got[i] {
			if seen[e.ID] || e.Attempt != 1 {
				k.Fatalf("%s was claimed twice", e.ID)
			}
			seen[e.ID] = true
		}
	}
	k.Same(len(seen)+len(k.claimEvents(kit.Epoch, n)), n, "the number of events claimed")
}

// longReason is as long as a reason may be, and no text.
var longReason = strings.Repeat("r\xff\x00\xc3", 256)

func eventReason(k *storeKit) {
	k.carryEvents(kit.Event("event-1", "lock-1"), kit.Event("event-2", "lock-2"))
	k.OK(k.Outbox.Bury(k.Context(), k.first(kit.Epoch, "event-1"), longReason), "Bury with a long reason")
	k.OK(k.Outbox.Bury(k.Context(), k.first(kit.Epoch, "event-2"), ""), "Bury without a reason")
}

func (k *storeKit) outboxCalls(e ports.Event) map[string]func(ctx context.Context) error {
	calls := k.eventEnds(e)
	calls["Claim"] = func(ctx context.Context) error { _, err := k.Outbox.Claim(ctx, kit.Epoch, lease, 1); return err }
	return calls
}

func outboxCancelled(k *storeKit) {
	for _, id := range []string{"buried", "claimed", "waiting"} {
		k.carryEvents(kit.Event(id, id))
	}
	k.OK(k.Outbox.Bury(k.Context(), k.first(kit.Epoch, "buried"), "no use"), "Bury")
	claimed := k.first(kit.Epoch, "claimed")
	k.doneContexts(k.outboxCalls(claimed))
	k.OK(k.Outbox.Ack(k.Context(), claimed), "Ack")
	k.Same(k.first(kit.Epoch, "waiting").Attempt, 1, "the attempt")
	k.Same(len(k.claimEvents(kit.Epoch, 1)), 0, "the number of events left")
}

func outboxClosed(k *storeKit) {
	k.carryEvents(kit.Event("event-1", "lock-1"))
	k.closed(k.outboxCalls(k.first(kit.Epoch, "event-1")))
}

func outboxReopened(k *storeKit) {
	k.Need(k.Reopen != nil, "Reopen: it is not durable")
	for _, id := range []string{"buried", "acknowledged", "claimed", "waiting"} {
		k.carryEvents(kit.Event(id, id))
	}
	k.OK(k.Outbox.Bury(k.Context(), k.first(kit.Epoch, "buried"), "no use"), "Bury")
	k.OK(k.Outbox.Ack(k.Context(), k.first(kit.Epoch, "acknowledged")), "Ack")
	claimed := k.first(kit.Epoch, "claimed")
	k.Store = k.Reopen()
	k.Same(eventIDs(k.claimEvents(kit.Epoch, 10)), []string{"waiting"}, "what waits after opening again")
	k.OK(k.Outbox.Retry(k.Context(), claimed, kit.Epoch.Add(lease)), "Retry of a claim of before")
	k.Same(eventIDs(k.claimEvents(kit.Epoch.Add(lease), 10)), []string{"claimed", "waiting"}, "what comes again")
}
