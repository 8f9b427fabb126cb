package storetest

import (
	"fmt"
	"time"

	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// replayedChecks: what a replay does to the event itself.
var replayedChecks = []storeCheck{
	{"a replayed event comes out as it was saved", replayedRoundTrip},
	{"a replayed event waits for the instant of its replay", replayedAt},
	{"a replayed event is not listed, until it is buried again", replayedListing},
	{"a buried event that is replayed can be delivered", replayedDelivered},
	{"ids that look alike are replayed apart", replayedApart},
}

func replayedRoundTrip(k *storeKit) {
	for i, data := range kit.AnyBytes {
		want := kit.Event(fmt.Sprint("event-", i), fmt.Sprint("lock-", i))
		want.Kind, want.Owner, want.Data = "transaction.failed", "zenith", data
		k.carryEvents(want)
		k.OK(k.Outbox.Bury(k.Context(), k.first(kit.Epoch, want.ID), "no use"), "Bury")
		k.replays("one is buried", 1, want.ID)
		want.Attempt = 1
		k.Same(k.first(kit.Epoch, want.ID), want, "the replayed event")
	}
}

func replayedAt(k *storeKit) {
	k.bury("a", "b")
	later := kit.Epoch.Add(time.Hour)
	for _, ids := range [][]string{{"a"}, nil} {
		n, err := k.DeadLetters.Replay(k.Context(), later, ids...)
		k.OK(err, "Replay")
		k.Same(n, 1, "the number replayed")
	}
	k.Same(eventIDs(k.claimEvents(later.Add(-time.Millisecond), 10)), []string{}, "a claim before the replay's instant")
	k.Same(eventIDs(k.claimEvents(later, 10)), []string{"a", "b"}, "a claim at the replay's instant")
}

func replayedListing(k *storeKit) {
	k.bury("a", "b", "c")
	place := k.page(0, 10)[1].Pos
	k.replays("one is named", 1, "b")
	k.buries("Buried without the replayed event", "a", "c")
	k.OK(k.Outbox.Bury(k.Context(), k.first(kit.Epoch, "b"), "again no use"), "Bury")
	page := k.page(0, 10)
	k.Same(buriedIDs(page), []string{"a", "b", "c"}, "Buried when the event is buried again")
	k.Same(page[1].Reason, "again no use", "its reason")
	k.Same(page[1].Pos, place, "its place, which is that of its save")
}

func replayedDelivered(k *storeKit) {
	k.bury("event-1")
	k.replays("all are meant", 1)
	e := k.first(kit.Epoch, "event-1")
	k.replays("the event is out", 0)
	k.discards("the event is out", 0, "event-1")
	k.OK(k.Outbox.Ack(k.Context(), e), "Ack")
	k.buries("Buried when the event is delivered")
	k.replays("the event is delivered", 0, "event-1")
	k.Same(eventIDs(k.claimEvents(kit.Epoch.AddDate(1, 0, 0), 10)), []string{}, "what is left")
}

// alike buries an event of each id among look-alikes.
func (k *storeKit) alike() {
	k.Helper()
	for _, id := range kit.Distinct {
		k.carryEvents(kit.Event(id, "lock of "+id))
	}
	for _, e := range k.claimEvents(kit.Epoch, 1000) {
		k.OK(k.Outbox.Bury(k.Context(), e, "no use"), "Bury")
	}
}

func replayedApart(k *storeKit) {
	k.alike()
	for _, id := range kit.Distinct {
		k.replays("one is named among look-alikes", 1, id)
		k.OK(k.Outbox.Ack(k.Context(), k.first(kit.Epoch, id)), "Ack")
	}
	k.buries("what is left among look-alikes")
}
