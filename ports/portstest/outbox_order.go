package portstest

import (
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
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
	{"a replayed event comes before the later ones of its key", replayedFirst},
	{"an event given back waits behind a replayed one, and for its own time", givenBackBehindReplayed},
	{"Replay brings back the events named, or all, and counts them", replayNamed},
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

func replayedFirst(k *kit) {
	k.three()
	k.ok(k.Outbox.Bury(k.Context(), k.first(epoch, "c"), "no use"), "Bury")
	b := k.first(epoch, "b")
	k.ok(k.Outbox.Retry(k.Context(), b, epoch), "Retry")
	k.replay("c")
	c := k.first(epoch, "c")
	k.same(c.Attempt, 1, "the attempt of a replayed event")
	k.ok(k.Outbox.Ack(k.Context(), c), "Ack")
	k.same(k.first(epoch, "b").Attempt, 2, "the attempt of the next")
}

func givenBackBehindReplayed(k *kit) {
	k.three()
	k.ok(k.Outbox.Bury(k.Context(), k.first(epoch, "c"), "no use"), "Bury")
	b := k.first(epoch, "b")
	k.replay("c")
	later := epoch.Add(2 * lease)
	k.ok(k.Outbox.Retry(k.Context(), b, later), "Retry")
	k.code(k.Outbox.Ack(k.Context(), b), errcodes.Conflict, "Ack by a claim that was given back")
	k.same(eventIDs(k.claimEvents(later, 10)), []string{"c", "other"}, "a claim while c waits")
	k.ok(k.Outbox.Ack(k.Context(), k.first(later.Add(lease), "c")), "Ack")
	k.same(eventIDs(k.claimEvents(later.Add(-time.Millisecond), 1)), []string{}, "a claim before b's time")
	k.first(later, "b")
}

func replayNamed(k *kit) {
	for _, id := range []string{"d", "c", "b", "a"} {
		k.carryEvents(event(id, "lock of "+id))
	}
	for _, e := range k.claimEvents(epoch, 3) {
		k.ok(k.Outbox.Bury(k.Context(), e, "no use"), "Bury")
	}
	for _, step := range []struct {
		ids  []string
		n    int
		what string
	}{
		{[]string{"c", "c", "a", "unknown"}, 1, "one is buried, one waits, one is unknown"},
		{nil, 2, "the rest"},
		{nil, 0, "none is left"},
	} {
		n, err := k.Outbox.Replay(k.Context(), epoch, step.ids...)
		k.ok(err, "Replay")
		k.same(n, step.n, "the number replayed, when "+step.what)
	}
	k.same(eventIDs(k.claimEvents(epoch, 10)), []string{"d", "c", "b", "a"}, "the events in the order of their saves")
}
