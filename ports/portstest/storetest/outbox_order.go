package storetest

import (
	"fmt"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
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
