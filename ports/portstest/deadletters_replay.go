package portstest

import (
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// replayChecks: what comes back, and in which order.
var replayChecks = []storeCheck{
	{"a replayed event comes before the later ones of its key", replayedFirst},
	{"an event given back waits behind a replayed one, and for its own time", givenBackBehindReplayed},
	{"Replay brings back the events named, or all, and counts them", replayNamed},
	{"a claim of before a replay is a conflict", eventReplayedClaim},
}

func replayedFirst(k *kit) {
	k.three()
	k.ok(k.Outbox.Bury(k.Context(), k.first(epoch, "c"), "no use"), "Bury")
	b := k.first(epoch, "b")
	k.ok(k.Outbox.Retry(k.Context(), b, epoch), "Retry")
	k.replays("one is buried", 1, "c")
	c := k.first(epoch, "c")
	k.same(c.Attempt, 1, "the attempt of a replayed event")
	k.ok(k.Outbox.Ack(k.Context(), c), "Ack")
	k.same(k.first(epoch, "b").Attempt, 2, "the attempt of the next")
}

func givenBackBehindReplayed(k *kit) {
	k.three()
	k.ok(k.Outbox.Bury(k.Context(), k.first(epoch, "c"), "no use"), "Bury")
	b := k.first(epoch, "b")
	k.replays("one is buried", 1, "c")
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
	k.replays("one is buried, one waits, one is unknown", 1, "c", "c", "a", "unknown")
	k.replays("the rest is meant", 2)
	k.replays("none is left", 0)
	k.same(eventIDs(k.claimEvents(epoch, 10)), []string{"d", "c", "b", "a"}, "the events in the order of their saves")
}

// eventReplayedClaim has claims of before a replay come late, and in turn: the
// latest claim is of an attempt that they were of too.
func eventReplayedClaim(k *kit) {
	k.carryEvents(event("event-1", "lock-1"))
	first := k.first(epoch, "event-1")
	second := k.first(epoch.Add(lease), "event-1")
	k.ok(k.Outbox.Bury(k.Context(), second, "no use"), "Bury")
	k.replays("one is buried", 1, "event-1")
	late := func(when string) {
		k.Helper()
		k.conflicts(k.eventEnds(first), "by the first claim, "+when)
		k.conflicts(k.eventEnds(second), "by the claim that buried, "+when)
	}
	late("when the event waits again")
	k.same(k.first(epoch, "event-1").Attempt, 1, "the attempt of a replayed event")
	late("when the event is claimed again")
	latest := k.first(epoch.Add(lease), "event-1")
	late("when the event is claimed once more")
	k.ok(k.Outbox.Ack(k.Context(), latest), "Ack by the latest claim")
}
