package portstest

import (
	"fmt"
	"time"
)

// replayedChecks: what a replay does to the event itself.
var replayedChecks = []storeCheck{
	{"a replayed event comes out as it was saved", replayedRoundTrip},
	{"a replayed event waits for the instant of its replay", replayedAt},
	{"a replayed event is not listed, until it is buried again", replayedListing},
	{"a buried event that is replayed can be delivered", replayedDelivered},
	{"ids that look alike are replayed apart", replayedApart},
}

func replayedRoundTrip(k *kit) {
	for i, data := range anyBytes {
		want := event(fmt.Sprint("event-", i), fmt.Sprint("lock-", i))
		want.Kind, want.Owner, want.Data = "transaction.failed", "zenith", data
		k.carryEvents(want)
		k.ok(k.Outbox.Bury(k.Context(), k.first(epoch, want.ID), "no use"), "Bury")
		k.replays("one is buried", 1, want.ID)
		want.Attempt = 1
		k.same(k.first(epoch, want.ID), want, "the replayed event")
	}
}

func replayedAt(k *kit) {
	k.bury("a", "b")
	later := epoch.Add(time.Hour)
	for _, ids := range [][]string{{"a"}, nil} {
		n, err := k.DeadLetters.Replay(k.Context(), later, ids...)
		k.ok(err, "Replay")
		k.same(n, 1, "the number replayed")
	}
	k.same(eventIDs(k.claimEvents(later.Add(-time.Millisecond), 10)), []string{}, "a claim before the replay's instant")
	k.same(eventIDs(k.claimEvents(later, 10)), []string{"a", "b"}, "a claim at the replay's instant")
}

func replayedListing(k *kit) {
	k.bury("a", "b", "c")
	place := k.page(0, 10)[1].Pos
	k.replays("one is named", 1, "b")
	k.buries("Buried without the replayed event", "a", "c")
	k.ok(k.Outbox.Bury(k.Context(), k.first(epoch, "b"), "again no use"), "Bury")
	page := k.page(0, 10)
	k.same(buriedIDs(page), []string{"a", "b", "c"}, "Buried when the event is buried again")
	k.same(page[1].Reason, "again no use", "its reason")
	k.same(page[1].Pos, place, "its place, which is that of its save")
}

func replayedDelivered(k *kit) {
	k.bury("event-1")
	k.replays("all are meant", 1)
	e := k.first(epoch, "event-1")
	k.replays("the event is out", 0)
	k.discards("the event is out", 0, "event-1")
	k.ok(k.Outbox.Ack(k.Context(), e), "Ack")
	k.buries("Buried when the event is delivered")
	k.replays("the event is delivered", 0, "event-1")
	k.same(eventIDs(k.claimEvents(epoch.AddDate(1, 0, 0), 10)), []string{}, "what is left")
}

// alike buries an event of each id among look-alikes.
func (k *kit) alike() {
	k.Helper()
	for _, id := range distinct {
		k.carryEvents(event(id, "lock of "+id))
	}
	for _, e := range k.claimEvents(epoch, 1000) {
		k.ok(k.Outbox.Bury(k.Context(), e, "no use"), "Bury")
	}
}

func replayedApart(k *kit) {
	k.alike()
	for _, id := range distinct {
		k.replays("one is named among look-alikes", 1, id)
		k.ok(k.Outbox.Ack(k.Context(), k.first(epoch, id)), "Ack")
	}
	k.buries("what is left among look-alikes")
}
