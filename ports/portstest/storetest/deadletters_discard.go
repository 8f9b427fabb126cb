package storetest

import (
	"fmt"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
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

func discardedApart(k *storeKit) {
	k.alike()
	for i, id := range kit.Distinct {
		k.discards("one is named among look-alikes", 1, id)
		k.buries("what is left among look-alikes", kit.Distinct[i+1:]...)
	}
}

func discardNamed(k *storeKit) {
	k.bury("a", "b", "c", "d")
	k.carryEvents(kit.Event("claimed", "claimed"), kit.Event("waiting", "waiting"))
	claimed := k.first(kit.Epoch, "claimed")
	k.discards("two are buried, one is out, one waits, one is unknown", 2, "d", "b", "b", "claimed", "waiting", "unknown")
	k.buries("Buried after a discard", "a", "c")
	k.discards("they have gone", 0, "d", "b")
	k.OK(k.Outbox.Ack(k.Context(), claimed), "Ack of an event that was named, and not buried")
	k.first(kit.Epoch, "waiting")
	k.discards("the rest is named", 2, "a", "c")
	k.buries("Buried after all were discarded")
}

func discardNone(k *storeKit) {
	k.bury("a")
	_, err := k.DeadLetters.Discard(k.Context())
	k.Code(err, errcodes.InvalidRequest, "Discard of no event")
	k.buries("Buried after it", "a")
}

func discardedForGood(k *storeKit) {
	k.carryEvents(kit.Event("first", "lock"), kit.Event("second", "lock"))
	first := k.first(kit.Epoch, "first")
	k.OK(k.Outbox.Bury(k.Context(), first, "no use"), "Bury")
	k.discards("one is buried", 1, "first")
	k.replays("it has gone", 0, "first")
	k.replays("it has gone", 0)
	k.conflicts(k.eventEnds(first), "of a discarded event")
	k.OK(k.Outbox.Ack(k.Context(), k.first(kit.Epoch, "second")), "Ack of the next of its key")
	k.Same(eventIDs(k.claimEvents(kit.Epoch.AddDate(1, 0, 0), 10)), []string{}, "what is left")
}

func deadLetterRacers(k *storeKit) {
	for round := range 8 {
		id := fmt.Sprint("event-", round)
		k.bury(id)
		n := make([]int, kit.Racers)
		discards := func(i int) bool { // all, none, and then half: the first to run is often the same
			return round == 0 || round > 1 && (i+round)%2 == 0
		}
		errs := kit.Race(kit.Racers, func(i int) (err error) {
			if discards(i) {
				n[i], err = k.DeadLetters.Discard(k.Context(), id)
			} else {
				n[i], err = k.DeadLetters.Replay(k.Context(), kit.Epoch, id)
			}
			return err
		})
		want := []string{}
		if !discards(k.oneDid(errs, n)) {
			want = append(want, id)
		}
		got := k.claimEvents(kit.Epoch, 10)
		k.Same(eventIDs(got), want, "what waits after the race")
		for _, e := range got {
			k.OK(k.Outbox.Ack(k.Context(), e), "Ack")
		}
		k.buries("Buried after the race")
	}
}

// oneDid checks that one racer counted one event, and gives it.
func (k *storeKit) oneDid(errs []error, n []int) int {
	k.Helper()
	won, total := -1, 0
	for i, err := range errs {
		k.OK(err, "Replay or Discard in a race")
		total += n[i]
		if n[i] > 0 {
			won = i
		}
	}
	k.Same(total, 1, "the number replayed and discarded in a race")
	return won
}

func replayAllRacers(k *storeKit) {
	ids := []string{"a", "b", "c", "d", "e"}
	k.bury(ids...)
	n := make([]int, kit.Racers)
	errs := kit.Race(kit.Racers, func(i int) (err error) {
		n[i], err = k.DeadLetters.Replay(k.Context(), kit.Epoch)
		return err
	})
	total := 0
	for i, err := range errs {
		k.OK(err, "Replay in a race")
		total += n[i]
	}
	k.Same(total, len(ids), "the number replayed in a race")
	k.Same(eventIDs(k.claimEvents(kit.Epoch, 10)), ids, "what waits after the race")
}

// deadLetterOutcomeChecks: how it ends when it does not go well.
var deadLetterOutcomeChecks = []storeCheck{
	{"a context that is done gives its own code and changes nothing", deadLettersCancelled},
	{"a closed store says so", deadLettersClosed},
	{"a store that is opened again has its buried events", deadLettersReopened},
}

func deadLettersCancelled(k *storeKit) {
	k.bury("a")
	k.doneContexts(k.deadLetterCalls("a"))
	k.buries("Buried after calls with a context that was done", "a")
	k.Same(eventIDs(k.claimEvents(kit.Epoch.AddDate(1, 0, 0), 10)), []string{}, "what waits after them")
}

func deadLettersClosed(k *storeKit) {
	k.bury("a")
	k.closed(k.deadLetterCalls("a"))
}

func deadLettersReopened(k *storeKit) {
	k.Need(k.Reopen != nil, "Reopen: it is not durable")
	k.bury("a", "b", "c", "d")
	k.discards("one is named", 1, "b")
	k.replays("one is named", 1, "d")
	want := k.page(0, 10)
	k.Store = k.Reopen()
	got := k.page(0, 10)
	k.Same(buriedIDs(got), []string{"a", "c"}, "Buried after opening again")
	for i := range want {
		k.Same(got[i].Reason, want[i].Reason, "the reason after opening again")
		k.Same(got[i].Pos, want[i].Pos, "the place after opening again")
	}
	k.first(kit.Epoch, "d")
	k.replays("two are left", 2)
	k.Same(eventIDs(k.claimEvents(kit.Epoch, 10)), []string{"a", "c"}, "what comes again")
}
