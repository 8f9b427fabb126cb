package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

var replayChecks = []storeCheck{
	{"a replayed event comes before the later ones of its key", func(k *storeKit) {
		k.three()
		k.OK(k.Outbox.Bury(k.Context(), events.first(k, kit.Epoch, "c"), "no use"), "Bury")
		b := events.first(k, kit.Epoch, "b")
		k.OK(k.Outbox.Retry(k.Context(), b, kit.Epoch), "Retry")
		k.replays("one is buried", 1, "c")
		c := events.first(k, kit.Epoch, "c")
		k.Same(c.Attempt, 1, "the attempt of a replayed event")
		k.OK(k.Outbox.Ack(k.Context(), c), "Ack")
		k.Same(events.first(k, kit.Epoch, "b").Attempt, 2, "the attempt of the next event")
	}},
	{"a retried event waits for earlier replayed ones and for its own time", func(k *storeKit) {
		k.three()
		k.OK(k.Outbox.Bury(k.Context(), events.first(k, kit.Epoch, "c"), "no use"), "Bury")
		b := events.first(k, kit.Epoch, "b")
		k.replays("one is buried", 1, "c")
		later := kit.Epoch.Add(2 * lease)
		k.OK(k.Outbox.Retry(k.Context(), b, later), "Retry")
		k.Code(k.Outbox.Ack(k.Context(), b), errcodes.Conflict, "Ack with a claim that was retried")
		k.Same(events.ids(events.take(k, later, 10)), []string{"c", "other"}, "a claim while c waits")
		k.OK(k.Outbox.Ack(k.Context(), events.first(k, later.Add(lease), "c")), "Ack")
		k.Same(events.ids(events.take(k, later.Add(-time.Millisecond), 1)), []string{}, "a claim before b's time")
		events.first(k, later, "b")
	}},
	{"Replay replays the given events, or all, and returns their number", func(k *storeKit) {
		for _, id := range []string{"d", "c", "b", "a"} {
			k.carryEvents(kit.Event(id, "lock of "+id))
		}
		for _, e := range events.take(k, kit.Epoch, 3) {
			k.OK(k.Outbox.Bury(k.Context(), e, "no use"), "Bury")
		}
		k.replays("one is buried, one waits, one is unknown", 1, "c", "c", "a", "unknown")
		k.replays("all the rest", 2)
		k.replays("none is left", 0)
		k.Same(events.ids(events.take(k, kit.Epoch, 10)), []string{"d", "c", "b", "a"}, "the events in the order of their saves")
	}},
	{"a claim from before a replay is a conflict", eventReplayedClaim},
	{"a replayed event is claimed as it was saved", func(k *storeKit) {
		for i, data := range kit.AnyBytes {
			k.Case(kit.Name(data), func() {
				want := kit.Event(fmt.Sprint("event-", i), fmt.Sprint("lock-", i))
				want.Kind, want.Owner, want.Data = "transaction.failed", "zenith", data
				k.carryEvents(want)
				k.OK(k.Outbox.Bury(k.Context(), events.first(k, kit.Epoch, want.ID), "no use"), "Bury")
				k.replays("one is buried", 1, want.ID)
				want.Attempt = 1
				k.Same(events.first(k, kit.Epoch, want.ID), want, "the replayed event")
			})
		}
	}},
	{"a replayed event is marked as such until it is delivered", eventReplayedMark},
	{"a replayed event waits until the time of its replay", func(k *storeKit) {
		k.bury("a", "b")
		later := kit.Epoch.Add(time.Hour)
		for _, ids := range [][]string{{"a"}, nil} {
			k.Same(kit.Got(k.DeadLetters.Replay(k.Context(), later, anyAct, ids...)).OK(k, "Replay"), 1, "the number replayed")
		}
		k.Same(events.ids(events.take(k, later.Add(-time.Millisecond), 10)), []string{}, "a claim before the replay's instant")
		k.Same(events.ids(events.take(k, later, 10)), []string{"a", "b"}, "a claim at the replay's instant")
	}},
	{"a replayed event is not listed until it is buried again", func(k *storeKit) {
		k.bury("a", "b", "c")
		place := k.page(0, 10)[1].Pos
		k.replays("one is named", 1, "b")
		k.buries("Buried without the replayed event", "a", "c")
		k.OK(k.Outbox.Bury(k.Context(), events.first(k, kit.Epoch, "b"), "again no use"), "Bury")
		page := k.page(0, 10)
		k.Same(buriedIDs(page), []string{"a", "b", "c"}, "Buried when the event is buried again")
		k.Same(page[1].Reason, "again no use", "its reason")
		k.Same(page[1].Pos, place, "Pos, which is that of its save")
	}},
	{"a replayed event can be delivered", func(k *storeKit) {
		k.bury("event-1")
		k.replays("all", 1)
		e := events.first(k, kit.Epoch, "event-1")
		k.replays("the event is claimed", 0)
		k.discards("the event is claimed", 0, "event-1")
		k.OK(k.Outbox.Ack(k.Context(), e), "Ack")
		k.buries("Buried when the event is delivered")
		k.replays("the event is delivered", 0, "event-1")
		k.Same(events.ids(events.take(k, kit.Epoch.AddDate(1, 0, 0), 10)), []string{}, "what is left")
	}},
	{"ids that look alike are replayed separately", func(k *storeKit) {
		k.alike()
		for _, id := range kit.Distinct {
			k.replays("one is named among look-alikes", 1, id)
			k.OK(k.Outbox.Ack(k.Context(), events.first(k, kit.Epoch, id)), "Ack")
		}
		k.buries("what is left among look-alikes")
	}},
	{"Discard removes the given buried events and returns their number", func(k *storeKit) {
		k.bury("a", "b", "c", "d")
		k.carryEvents(kit.Event("claimed", "claimed"), kit.Event("waiting", "waiting"))
		claimed := events.first(k, kit.Epoch, "claimed")
		k.discards("two are buried, one is claimed, one waits, one is unknown", 2, "d", "b", "b", "claimed", "waiting", "unknown")
		k.buries("Buried after a discard", "a", "c")
		k.discards("they are discarded already", 0, "d", "b")
		k.OK(k.Outbox.Ack(k.Context(), claimed), "Ack of an event that was named but not buried")
		events.first(k, kit.Epoch, "waiting")
		k.discards("the rest is named", 2, "a", "c")
		k.buries("Buried after all were discarded")
	}},
	{"Discard without ids is rejected", func(k *storeKit) {
		k.bury("a")
		k.Code(errOf(k.DeadLetters.Discard(k.Context(), anyAct)), errcodes.InvalidRequest, "Discard of no event")
		k.buries("Buried after the rejected call", "a")
	}},
	{"a discarded event is never claimed again", func(k *storeKit) {
		k.carryEvents(kit.Event("first", "lock"), kit.Event("second", "lock"))
		first := events.first(k, kit.Epoch, "first")
		k.OK(k.Outbox.Bury(k.Context(), first, "no use"), "Bury")
		k.discards("one is buried", 1, "first")
		k.replays("it is discarded already", 0, "first")
		k.replays("it is discarded already", 0)
		k.conflicts(events.ends(k.Store, first, kit.Epoch), "of a discarded event")
		k.OK(k.Outbox.Ack(k.Context(), events.first(k, kit.Epoch, "second")), "Ack of the next of its key")
		k.Same(events.ids(events.take(k, kit.Epoch.AddDate(1, 0, 0), 10)), []string{}, "what is left")
	}},
	{"ids that look alike are discarded separately", func(k *storeKit) {
		k.alike()
		for i, id := range kit.Distinct {
			k.discards("one is named among look-alikes", 1, id)
			k.buries("what is left among look-alikes", kit.Distinct[i+1:]...)
		}
	}},
	{"of many concurrent replays and discards of an event one succeeds", deadLetterRacers},
	{"concurrent replays of all events replay each event once", func(k *storeKit) {
		ids := []string{"a", "b", "c", "d", "e"}
		k.bury(ids...)
		n := make([]int, kit.Racers)
		k.RaceOK("a concurrent Replay", func(i int) (err error) {
			n[i], err = k.DeadLetters.Replay(k.Context(), kit.Epoch, anyAct)
			return err
		})
		k.Same(total(n), len(ids), "the number replayed in a race")
		k.Same(events.ids(events.take(k, kit.Epoch, 10)), ids, "the events waiting after the race")
	}},
	{"a done context returns its code and changes nothing", func(k *storeKit) {
		k.bury("a")
		k.doneContexts(k.deadLetterCalls("a"))
		k.buries("Buried after calls with a done context", "a")
		k.Same(events.ids(events.take(k, kit.Epoch.AddDate(1, 0, 0), 10)), []string{}, "the events waiting after calls with a done context")
	}},
	{"a closed store returns Closed", func(k *storeKit) {
		k.bury("a")
		k.closed(k.deadLetterCalls("a"))
	}},
	{"a reopened store has its buried events", deadLettersReopened},
}

// eventReplayedClaim settles claims from before a replay late. The replayed event's
// attempts start at 1 again, so that the latest claim has the same attempt as one
// of them.
func eventReplayedClaim(k *storeKit) {
	k.carryEvents(kit.Event("event-1", "lock-1"))
	first := events.first(k, kit.Epoch, "event-1")
	second := events.first(k, kit.Epoch.Add(lease), "event-1")
	k.OK(k.Outbox.Bury(k.Context(), second, "no use"), "Bury")
	k.replays("one is buried", 1, "event-1")
	late := func(when string) {
		k.conflicts(events.ends(k.Store, first, kit.Epoch), "with the first claim, "+when)
		k.conflicts(events.ends(k.Store, second, kit.Epoch), "with the claim that buried, "+when)
	}
	late("when the event waits again")
	k.Same(events.first(k, kit.Epoch, "event-1").Attempt, 1, "the attempt of a replayed event")
	late("when the event is claimed again")
	latest := events.first(k, kit.Epoch.Add(lease), "event-1")
	late("when the event is claimed once more")
	k.OK(k.Outbox.Ack(k.Context(), latest), "Ack with the latest claim")
}

// eventReplayedMark checks Event.Replayed: Claim continues to count where Attempt starts at
// 1 again.
func eventReplayedMark(k *storeKit) {
	k.carryEvents(kit.Event("event-1", "lock-1"))
	claim := func(attempt int, claim int64, replayed bool) {
		e := events.first(k, kit.Epoch, "event-1")
		k.Same(e.Attempt, attempt, "the attempt")
		k.Same(e.Claim, claim, "the number of claims")
		k.Same(e.Replayed(), replayed, "Replayed")
		k.OK(k.Outbox.Retry(k.Context(), e, kit.Epoch), "Retry")
	}
	for n := range int64(3) {
		if n > 0 {
			k.OK(k.Outbox.Bury(k.Context(), events.first(k, kit.Epoch, "event-1"), "no use"), "Bury")
			k.Same(k.page(0, 1)[0].Event.Claim, 3*n, "the number of claims of a buried event")
			k.replays("one is buried", 1, "event-1")
		}
		claim(1, 3*n+1, n > 0)
		claim(2, 3*n+2, n > 0)
	}
}

// alike buries an event for each id among look-alikes.
func (k *storeKit) alike() {
	for _, id := range kit.Distinct {
		k.carryEvents(kit.Event(id, "lock of "+id))
	}
	for _, e := range events.take(k, kit.Epoch, 1000) {
		k.OK(k.Outbox.Bury(k.Context(), e, "no use"), "Bury")
	}
}

func deadLetterRacers(k *storeKit) {
	for round := range 8 {
		id := fmt.Sprint("event-", round)
		k.bury(id)
		n := make([]int, kit.Racers)
		discards := func(i int) bool { // all, none, and then half: the goroutine that runs first is often the same
			return round == 0 || round > 1 && (i+round)%2 == 0
		}
		k.RaceOK("a concurrent Replay or Discard", func(i int) (err error) {
			if discards(i) {
				n[i], err = k.DeadLetters.Discard(k.Context(), anyAct, id)
			} else {
				n[i], err = k.DeadLetters.Replay(k.Context(), kit.Epoch, anyAct, id)
			}
			return err
		})
		want := []string{}
		k.Same(total(n), 1, "the number replayed and discarded in a race")
		if !discards(slices.Index(n, 1)) {
			want = append(want, id)
		}
		got := events.take(k, kit.Epoch, 10)
		k.Same(events.ids(got), want, "the events waiting after the race")
		for _, e := range got {
			k.OK(k.Outbox.Ack(k.Context(), e), "Ack")
		}
		k.buries("Buried after the race")
	}
}

func total(counts []int) (sum int) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

func deadLettersReopened(k *storeKit) {
	k.Need(k.Reopen != nil, "Reopen")
	k.bury("a", "b", "c", "d")
	k.discards("one is named", 1, "b")
	k.replays("one is named", 1, "d")
	want := k.page(0, 10)
	k.Store = k.Reopen()
	got := k.page(0, 10)
	k.Same(buriedIDs(got), []string{"a", "c"}, "Buried after reopening")
	for i := range want {
		k.Same(got[i].Reason, want[i].Reason, "the reason after reopening")
		k.Same(got[i].Pos, want[i].Pos, "Pos after reopening")
	}
	events.first(k, kit.Epoch, "d")
	k.replays("two are left", 2)
	k.Same(events.ids(events.take(k, kit.Epoch, 10)), []string{"a", "c"}, "the replayed events")
}
