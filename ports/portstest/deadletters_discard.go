package portstest

import (
	"fmt"

	"github.com/corridor-go/corridor/errcodes"
)

// discardChecks: what is gone for good.
var discardChecks = []storeCheck{
	{"Discard removes the buried events named, and counts them", discardNamed},
	{"Discard of no event is refused", discardNone},
	{"a discarded event never comes again", discardedForGood},
	{"ids that look alike are discarded apart", discardedApart},
	{"of many that replay or discard an event one does", deadLetterRacers},
	{"many that replay all bring each event back once", replayAllRacers},
}

func discardedApart(k *kit) {
	k.alike()
	for i, id := range distinct {
		k.discards("one is named among look-alikes", 1, id)
		k.buries("what is left among look-alikes", distinct[i+1:]...)
	}
}

func discardNamed(k *kit) {
	k.bury("a", "b", "c", "d")
	k.carryEvents(event("claimed", "claimed"), event("waiting", "waiting"))
	claimed := k.first(epoch, "claimed")
	k.discards("two are buried, one is out, one waits, one is unknown", 2, "d", "b", "b", "claimed", "waiting", "unknown")
	k.buries("Buried after a discard", "a", "c")
	k.discards("they have gone", 0, "d", "b")
	k.ok(k.Outbox.Ack(k.Context(), claimed), "Ack of an event that was named, and not buried")
	k.first(epoch, "waiting")
	k.discards("the rest is named", 2, "a", "c")
	k.buries("Buried after all were discarded")
}

func discardNone(k *kit) {
	k.bury("a")
	_, err := k.DeadLetters.Discard(k.Context())
	k.code(err, errcodes.InvalidRequest, "Discard of no event")
	k.buries("Buried after it", "a")
}

func discardedForGood(k *kit) {
	k.carryEvents(event("first", "lock"), event("second", "lock"))
	first := k.first(epoch, "first")
	k.ok(k.Outbox.Bury(k.Context(), first, "no use"), "Bury")
	k.discards("one is buried", 1, "first")
	k.replays("it has gone", 0, "first")
	k.replays("it has gone", 0)
	k.conflicts(k.eventEnds(first), "of a discarded event")
	k.ok(k.Outbox.Ack(k.Context(), k.first(epoch, "second")), "Ack of the next of its key")
	k.same(eventIDs(k.claimEvents(epoch.AddDate(1, 0, 0), 10)), []string{}, "what is left")
}

func deadLetterRacers(k *kit) {
	for round := range 8 {
		id := fmt.Sprint("event-", round)
		k.bury(id)
		n := make([]int, racers)
		discards := func(i int) bool { // all, none, and then half: the first to run is often the same
			return round == 0 || round > 1 && (i+round)%2 == 0
		}
		errs := race(racers, func(i int) (err error) {
			if discards(i) {
				n[i], err = k.DeadLetters.Discard(k.Context(), id)
			} else {
				n[i], err = k.DeadLetters.Replay(k.Context(), epoch, id)
			}
			return err
		})
		want := []string{}
		if !discards(k.oneDid(errs, n)) {
			want = append(want, id)
		}
		got := k.claimEvents(epoch, 10)
		k.same(eventIDs(got), want, "what waits after the race")
		for _, e := range got {
			k.ok(k.Outbox.Ack(k.Context(), e), "Ack")
		}
		k.buries("Buried after the race")
	}
}

// oneDid checks that one racer counted one event, and gives it.
func (k *kit) oneDid(errs []error, n []int) int {
	k.Helper()
	won, total := -1, 0
	for i, err := range errs {
		k.ok(err, "Replay or Discard in a race")
		total += n[i]
		if n[i] > 0 {
			won = i
		}
	}
	k.same(total, 1, "the number replayed and discarded in a race")
	return won
}

func replayAllRacers(k *kit) {
	ids := []string{"a", "b", "c", "d", "e"}
	k.bury(ids...)
	n := make([]int, racers)
	errs := race(racers, func(i int) (err error) {
		n[i], err = k.DeadLetters.Replay(k.Context(), epoch)
		return err
	})
	total := 0
	for i, err := range errs {
		k.ok(err, "Replay in a race")
		total += n[i]
	}
	k.same(total, len(ids), "the number replayed in a race")
	k.same(eventIDs(k.claimEvents(epoch, 10)), ids, "what waits after the race")
}

// deadLetterOutcomeChecks: how it ends when it does not go well.
var deadLetterOutcomeChecks = []storeCheck{
	{"a context that is done gives its own code and changes nothing", deadLettersCancelled},
	{"a closed store says so", deadLettersClosed},
	{"a store that is opened again has its buried events", deadLettersReopened},
}

func deadLettersCancelled(k *kit) {
	k.bury("a")
	k.doneContexts(k.deadLetterCalls("a"))
	k.buries("Buried after calls with a context that was done", "a")
	k.same(eventIDs(k.claimEvents(epoch.AddDate(1, 0, 0), 10)), []string{}, "what waits after them")
}

func deadLettersClosed(k *kit) {
	k.bury("a")
	k.closed(k.deadLetterCalls("a"))
}

func deadLettersReopened(k *kit) {
	k.need(k.Reopen != nil, "Reopen: it is not durable")
	k.bury("a", "b", "c", "d")
	k.discards("one is named", 1, "b")
	k.replays("one is named", 1, "d")
	want := k.page(0, 10)
	k.Store = k.Reopen()
	got := k.page(0, 10)
	k.same(buriedIDs(got), []string{"a", "c"}, "Buried after opening again")
	for i := range want {
		k.same(got[i].Reason, want[i].Reason, "the reason after opening again")
		k.same(got[i].Pos, want[i].Pos, "the place after opening again")
	}
	k.first(epoch, "d")
	k.replays("two are left", 2)
	k.same(eventIDs(k.claimEvents(epoch, 10)), []string{"a", "c"}, "what comes again")
}
