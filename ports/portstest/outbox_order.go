package portstest

import (
	"fmt"
	"time"

	"github.com/corridor-go/corridor/ports"
)

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

func saveOrder(k *kit) {
	// Neither the ids nor the times rise with the saves.
	for i, id := range []string{"m", "z", "a", "k"} {
		e := event(id, "lock of "+id)
		e.At = epoch.Add(-time.Duration(i) * time.Second)
		k.carryEvents(e)
	}
	k.same(eventIDs(k.claimEvents(epoch, 2)), []string{"m", "z"}, "the first two events")
	k.same(eventIDs(k.claimEvents(epoch, 10)), []string{"a", "k"}, "the other events")
	k.same(eventIDs(k.claimEvents(epoch.Add(lease), 10)), []string{"m", "z", "a", "k"}, "all of them again")
}

// three saves three events of one key, and one of another.
func (k *kit) three() {
	k.Helper()
	k.carryEvents(event("c", "lock"), event("b", "lock"))
	k.carryEvents(event("a", "lock"), event("other", "other"))
}

func oneOfAKey(k *kit) {
	k.three()
	k.same(eventIDs(k.claimEvents(epoch, 10)), []string{"c", "other"}, "a claim")
}

func claimedHoldsBack(k *kit) {
	k.three()
	k.claimEvents(epoch, 1)
	k.same(eventIDs(k.claimEvents(epoch, 10)), []string{"other"}, "a claim while c is leased")
	k.same(eventIDs(k.claimEvents(epoch.Add(lease), 1)), []string{"c"}, "a claim after c's lease")
}

func retriedHoldsBack(k *kit) {
	k.three()
	c := k.first(epoch, "c")
	k.ok(k.Outbox.Retry(k.Context(), c, epoch.Add(time.Hour)), "Retry")
	k.same(eventIDs(k.claimEvents(epoch.Add(lease), 10)), []string{"other"}, "a claim while c is delayed")
	k.same(eventIDs(k.claimEvents(epoch.Add(time.Hour), 1)), []string{"c"}, "a claim when c's time has come")
}

// first claims one event and checks that it is the one expected.
func (k *kit) first(now time.Time, id string) ports.Event {
	k.Helper()
	got := k.claimEvents(now, 1)
	k.same(eventIDs(got), []string{id}, "the next event")
	return got[0]
}

func acknowledgedPasses(k *kit) {
	k.three()
	for _, id := range []string{"c", "b", "a", "other"} {
		if id == "a" { // a new head comes in the order of its save too
			k.same(eventIDs(k.claimEvents(epoch.Add(-lease), 10)), []string{"a", "other"}, "a claim")
		}
		k.ok(k.Outbox.Ack(k.Context(), k.first(epoch, id)), "Ack")
	}
	k.same(eventIDs(k.claimEvents(epoch.AddDate(1, 0, 0), 10)), []string{}, "what is left")
}

func buriedPasses(k *kit) {
	k.three()
	for _, id := range []string{"c", "b", "a", "other"} {
		k.ok(k.Outbox.Bury(k.Context(), k.first(epoch, id), "no use"), "Bury")
	}
	k.same(eventIDs(k.claimEvents(epoch.AddDate(1, 0, 0), 10)), []string{}, "what is left")
}

func eventKeysApart(k *kit) {
	var want []string
	for i, key := range distinct {
		id := fmt.Sprint("event-", i)
		k.carryEvents(event(id, key))
		want = append(want, id)
	}
	got := k.claimEvents(epoch, 100)
	k.same(eventIDs(got), want, "one event of each key")
	for i, e := range got {
		k.same(e.Key, distinct[i], "the key of an event")
	}
}
