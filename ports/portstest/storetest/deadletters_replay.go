package storetest

import (
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// replayChecks: what comes back, and in which order.
var replayChecks = []storeCheck{
	{"a replayed event comes before the later ones of its key", replayedFirst},
	{"an event given back waits behind a replayed one, and for its own time", givenBackBehindReplayed},
	{"Replay brings back the events named, or all, and counts them", replayNamed},
	{"a claim of before a replay is a conflict", eventReplayedClaim},
}

func replayedFirst(k *storeKit) {
	k.three()
	k.OK(k.Outbox.Bury(k.Context(), k.first(kit.Epoch, "c"), "no use"), "Bury")
	b := k.first(kit.Epoch, "b")
	k.OK(k.Outbox.Retry(k.Context(), b, kit.Epoch), "Retry")
	k.replays("one is buried", 1, "c")
	c := k.first(kit.Epoch, "c")
	k.Same(c.Attempt, 1, "the attempt of a replayed event")
	k.OK(k.Outbox.Ack(k.Context(), c), "Ack")
	k.Same(k.first(kit.Epoch, "b").Attempt, 2, "the attempt of the next")
}

func givenBackBehindReplayed(k *storeKit) {
	k.three()
	k.OK(k.Outbox.Bury(k.Context(), k.first(kit.Epoch, "c"), "no use"), "Bury")
	b := k.first(kit.Epoch, "b")
	k.replays("one is buried", 1, "c")
	later := kit.Epoch.Add(2 * lease)
	k.OK(k.Outbox.Retry(k.Context(), b, later), "Retry")
	k.Code(k.Outbox.Ack(k.Context(), b), errcodes.Conflict, "Ack by a claim that was given back")
	k.Same(eventIDs(k.claimEvents(later, 10)), []string{"c", "other"}, "a claim while c waits")
	k.OK(k.Outbox.Ack(k.Context(), k.first(later.Add(lease), "c")), "Ack")
	k.Same(eventIDs(k.claimEvents(later.Add(-time.Millisecond), 1)), []string{}, "a claim before b's time")
	k.first(later, "b")
}

func replayNamed(k *storeKit) {
	for _, id := range []string{"d", "c", "b", "a"} {
		k.carryEvents(kit.Event(id, "lock of "+id))
	}
	for _, e := range k.claimEvents(kit.Epoch, 3) {
		k.OK(k.Outbox.Bury(k.Context(), e, "no use"), "Bury")
	}
	k.replays("one is buried, one waits, one is unknown", 1, "c", "c", "a", "unknown")
	k.replays("the rest is meant", 2)
	k.replays("none is left", 0)
	k.Same(eventIDs(k.claimEvents(kit.Epoch, 10)), []string{"d", "c", "b", "a"}, "the events in the order of their saves")
}

// eventReplayedClaim has claims of before a replay come late, and in turn: the
// latest claim is of an attempt that they were of too.
func eventReplayedClaim(k *storeKit) {
	k.carryEvents(kit.Event("event-1", "lock-1"))
	first := k.first(kit.Epoch, "event-1")
	second := k.first(kit.Epoch.Add(lease), "event-1")
	k.OK(k.Outbox.Bury(k.Context(), second, "no use"), "Bury")
	k.replays("one is buried", 1, "event-1")
	late := func(when string) {
		k.Helper()
		k.conflicts(k.eventEnds(first), "by the first claim, "+when)
		k.conflicts(k.eventEnds(second), "by the claim that buried, "+when)
	}
	late("when the event waits again")
	k.Same(k.first(kit.Epoch, "event-1").Attempt, 1, "the attempt of a replayed event")
	late("when the event is claimed again")
	latest := k.first(kit.Epoch.Add(lease), "event-1")
	late("when the event is claimed once more")
	k.OK(k.Outbox.Ack(k.Context(), latest), "Ack by the latest claim")
}
