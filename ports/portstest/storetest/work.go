package storetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// Work checks a ports.Work. Items come in through the store's RateLocks.
func Work(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, workChecks, "the store keeps no work, or no rate locks to save it with", func(s Store) bool { return s.Work != nil && s.RateLocks != nil })
}

var workChecks = slices.Concat(itemChecks, itemClaimChecks)

// itemChecks: what is handed out, and when.
var itemChecks = []storeCheck{
	{"a store without work hands out nothing, without an error", noWork},
	{"an item comes out as it was saved", itemRoundTrip},
	{"a payload of any bytes comes back", itemPayload},
	{"changing a payload that was passed in or handed out changes nothing stored", itemNotAliased},
	{"an item is due at its instant, not before", itemDue},
	{"what is due earliest comes first", earliestFirst},
	{"the id of an item is taken until it is done", itemIDAgain},
	{"kinds that look alike are kept apart", kindsApart},
}

func noWork(k *storeKit) {
	k.Same(len(k.claimWork(kit.Epoch, 10)), 0, "the number of items in an empty store")
}

func itemRoundTrip(k *storeKit) {
	want := job("item-1", kit.Epoch)
	want.Attempt, want.Claim = 7, 7 // set by Claim: what was saved does not count
	k.carryWork(want)
	want.Attempt = 1
	k.Same(k.item(kit.Epoch, "item-1"), want, "the item")
}

// item claims one work item and checks that it is the one expected.
func (k *storeKit) item(now time.Time, id string) ports.WorkItem {
	k.Helper()
	got := k.claimWork(now, 1)
	k.Same(workIDs(got), []string{id}, "the next item")
	return got[0]
}

func workIDs(items []ports.WorkItem) []string {
	out := []string{}
	for _, w := range items {
		out = append(out, w.ID)
	}
	return out
}

func itemPayload(k *storeKit) {
	for i, payload := range anyData {
		k.Case(kit.Name(payload), func() {
			want := job(fmt.Sprint("item-", i), kit.Epoch)
			want.Payload = payload
			k.carryWork(want)
			want.Attempt = 1
			got := k.item(kit.Epoch, want.ID)
			k.Same(got, want, "the item")
			k.sameBytes(got.Payload, payload, "the item's payload")
		})
	}
}

func itemNotAliased(k *storeKit) {
	in := job("item-1", kit.Epoch)
	want := in
	want.Payload = bytes.Clone(in.Payload)
	k.carryWork(in)
	in.Payload[0] = '!'
	for attempt := range 2 {
		want.Attempt = attempt + 1
		got := k.item(kit.Epoch.Add(time.Duration(attempt)*lease), "item-1")
		k.Same(got, want, "the item after its bytes were changed outside")
		got.Payload[0] = '?'
	}
}

func itemDue(k *storeKit) {
	k.carryWork(job("item-1", kit.Epoch))
	k.Same(len(k.claimWork(kit.Epoch.Add(-time.Millisecond), 1)), 0, "the number of items before the instant")
	k.item(kit.Epoch, "item-1")
}

func earliestFirst(k *storeKit) {
	// Neither the ids nor the saves rise with the due times.
	for i, id := range []string{"m", "a", "z", "k"} {
		k.carryWork(job(id, kit.Epoch.Add(-time.Duration(i)*time.Second)))
	}
	k.Same(workIDs(k.claimWork(kit.Epoch, 2)), []string{"k", "z"}, "the first two items")
	k.Same(workIDs(k.claimWork(kit.Epoch, 10)), []string{"a", "m"}, "the other items")
	k.Same(workIDs(k.claimWork(kit.Epoch.Add(lease), 10)), []string{"k", "z", "a", "m"}, "all of them again")
}

func kindsApart(k *storeKit) {
	for i, kind := range kit.Distinct {
		w := job(fmt.Sprint("item-", i), kit.Epoch)
		w.Kind = kind
		k.carryWork(w)
	}
	for i, kind := range kit.Distinct {
		k.Case(kit.Name(kind), func() {
			got, err := k.Work.Claim(k.Context(), kind, kit.Epoch, lease, 100)
			k.OK(err, "Claim")
			k.Same(workIDs(got), []string{fmt.Sprint("item-", i)}, "the items of a kind")
			k.Same(got[0].Kind, kind, "the kind of an item")
		})
	}
}

// workEnds is every way to end a claim.
func (k *storeKit) workEnds(w ports.WorkItem) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Done":  func(ctx context.Context) error { return k.Work.Done(ctx, w) },
		"Retry": func(ctx context.Context) error { return k.Work.Retry(ctx, w, kit.Epoch) },
		"Bury":  func(ctx context.Context) error { return k.Work.Bury(ctx, w, "no use") },
	}
}

func (k *storeKit) workCalls(w ports.WorkItem) map[string]func(ctx context.Context) error {
	calls := k.workEnds(w)
	calls["Claim"] = func(ctx context.Context) error {
		_, err := k.Work.Claim(ctx, kind, kit.Epoch, lease, 1)
		return err
	}
	return calls
}

// itemIDAgain: an id of work is taken until it is done, and for good by what was
// buried.
func itemIDAgain(k *storeKit) {
	item := job("item-1", kit.Epoch)
	again := ports.RateLockChange{Book: ports.Book{Key: keyOf("acme")}, Work: []ports.WorkItem{job("item-1", kit.Epoch.Add(time.Second))}}
	k.carryWork(item)
	k.Code(k.RateLocks.Save(k.Context(), again), errcodes.Conflict, "an item of an id that waits")
	claimed := k.item(kit.Epoch, item.ID)
	k.Code(k.RateLocks.Save(k.Context(), again), errcodes.Conflict, "an item of an id that is claimed")
	k.Same(k.book(again.Book.Key), again.Book, "the book after a conflict")
	k.OK(k.Work.Done(k.Context(), claimed), "Done")
	k.nothingQueued("when the item is done")

	k.carryWork(item)
	k.OK(k.Work.Bury(k.Context(), k.item(kit.Epoch, item.ID), "no use"), "Bury")
	k.Code(k.RateLocks.Save(k.Context(), again), errcodes.Conflict, "an item of an id that is buried")
	k.nothingQueued("when the item is buried")
}

// itemClaimChecks: who has an item, for how long, and how it ends.
var itemClaimChecks = []storeCheck{
	{"a claim takes at most n items", itemsBounded},
	{"a lease keeps an item until it ends, and counts the attempts", itemLease},
	{"a lease holds when the caller's clock jumps back", itemLeaseBackwards},
	{"a retried item waits for its time", itemRetry},
	{"an item that is done is gone", itemDone},
	{"a buried item is set aside for good", itemBuried},
	{"a claim that is not the latest is a conflict", itemStaleClaim},
	{"a claim serves once", itemClaimOnce},
	{"racers never get the same item", itemRacers},
	{"a reason of 1,024 bytes is taken", itemReason},
	{"a context that is done gives its own code and changes nothing", workCancelled},
	{"a closed store says so", workClosed},
	{"a store that is opened again has its work", workReopened},
}

func itemsBounded(k *storeKit) {
	k.carryWork(job("a", kit.Epoch), job("b", kit.Epoch), job("c", kit.Epoch))
	for _, want := range []int{2, 1, 0} {
		k.Same(len(k.claimWork(kit.Epoch, 2)), want, "the number of items in a claim of 2")
	}
}

func itemLease(k *storeKit) {
	k.carryWork(job("item-1", kit.Epoch))
	for attempt := 1; attempt <= 3; attempt++ {
		start := kit.Epoch.Add(time.Duration(attempt) * lease)
		k.Same(k.item(start, "item-1").Attempt, attempt, "the attempt")
		k.Same(len(k.claimWork(start, 1)), 0, "the number of items at the start of a lease")
		k.Same(len(k.claimWork(start.Add(lease-time.Millisecond), 1)), 0, "the number of items just before a lease ends")
	}
}

func itemLeaseBackwards(k *storeKit) {
	k.carryWork(job("item-1", kit.Epoch.AddDate(-1, 0, 0)))
	k.item(kit.Epoch, "item-1")
	k.Same(len(k.claimWork(kit.Epoch.Add(-24*time.Hour), 1)), 0, "the number of items a day before the lease")
}

func itemRetry(k *storeKit) {
	k.carryWork(job("item-1", kit.Epoch))
	at := kit.Epoch.Add(2 * lease)
	k.OK(k.Work.Retry(k.Context(), k.item(kit.Epoch, "item-1"), at), "Retry")
	k.Same(len(k.claimWork(at.Add(-time.Millisecond), 1)), 0, "the number of items before the retry's time")
	again := k.item(at, "item-1")
	k.Same(again.Attempt, 2, "the attempt")
	k.OK(k.Work.Retry(k.Context(), again, at), "Retry within the lease")
	k.item(at, "item-1")
}

func itemDone(k *storeKit) {
	k.carryWork(job("a", kit.Epoch), job("b", kit.Epoch.Add(time.Second)))
	k.OK(k.Work.Done(k.Context(), k.item(kit.Epoch, "a")), "Done")
	k.Same(workIDs(k.claimWork(kit.Epoch.AddDate(1, 0, 0), 10)), []string{"b"}, "what is left")
}

func itemBuried(k *storeKit) {
	k.carryWork(job("a", kit.Epoch), job("b", kit.Epoch.Add(time.Second)))
	k.OK(k.Work.Bury(k.Context(), k.item(kit.Epoch, "a"), "no use"), "Bury")
	k.Same(workIDs(k.claimWork(kit.Epoch.AddDate(1, 0, 0), 10)), []string{"b"}, "what is left")
}

func itemStaleClaim(k *storeKit) {
	k.carryWork(job("item-1", kit.Epoch))
	stale := k.item(kit.Epoch, "item-1")
	latest := k.item(kit.Epoch.Add(lease), "item-1")
	k.conflicts(k.workEnds(stale), "by a claim that is not the latest")
	k.conflicts(k.workEnds(job("unknown", kit.Epoch)), "of an unknown item")
	k.Same(len(k.claimWork(kit.Epoch.Add(2*lease-time.Millisecond), 1)), 0, "the number of items within the latest lease")
	k.OK(k.Work.Done(k.Context(), latest), "Done by the latest claim")
}

func itemClaimOnce(k *storeKit) {
	for _, name := range []string{"Done", "Retry", "Bury"} {
		k.Case(name, func() {
			k.carryWork(job(name, kit.Epoch))
			ends := k.workEnds(k.item(kit.Epoch, name))
			k.OK(ends[name](k.Context()), name)
			k.conflicts(ends, "by a claim that has served its "+name)
			if name == "Retry" {
				k.OK(k.Work.Done(k.Context(), k.item(kit.Epoch, name)), "Done after a retry")
			}
		})
	}
}

func itemRacers(k *storeKit) {
	const n = 64
	for i := range n {
		k.carryWork(job(fmt.Sprint("item-", i), kit.Epoch))
	}
	got := make([][]ports.WorkItem, kit.Racers)
	errs := kit.Race(kit.Racers, func(i int) (err error) {
		got[i], err = k.Work.Claim(k.Context(), kind, kit.Epoch, lease, n/kit.Racers)
		return err
	})
	seen := map[string]bool{}
	for i, err := range errs {
		k.OK(err, "Claim in a race")
		for _, w := range got[i] {
			if seen[w.ID] || w.Attempt != 1 {
				k.Fatalf("%s was claimed twice", w.ID)
			}
			seen[w.ID] = true
		}
	}
	k.Same(len(seen)+len(k.claimWork(kit.Epoch, n)), n, "the number of items claimed")
}

func itemReason(k *storeKit) {
	k.carryWork(job("a", kit.Epoch), job("b", kit.Epoch.Add(time.Millisecond)))
	later := kit.Epoch.Add(time.Millisecond)
	k.OK(k.Work.Bury(k.Context(), k.item(later, "a"), longReason), "Bury with a long reason")
	k.OK(k.Work.Bury(k.Context(), k.item(later, "b"), ""), "Bury without a reason")
}

func workCancelled(k *storeKit) {
	k.carryWork(job("claimed", kit.Epoch), job("waiting", kit.Epoch.Add(time.Second)))
	claimed := k.item(kit.Epoch, "claimed")
	k.doneContexts(k.workCalls(claimed))
	k.OK(k.Work.Done(k.Context(), claimed), "Done")
	k.Same(k.item(kit.Epoch.Add(lease), "waiting").Attempt, 1, "the attempt")
}

func workClosed(k *storeKit) {
	k.carryWork(job("item-1", kit.Epoch))
	k.closed(k.workCalls(k.item(kit.Epoch, "item-1")))
}

func workReopened(k *storeKit) {
	k.Need(k.Reopen != nil, "Reopen: it is not durable")
	k.carryWork(job("done", kit.Epoch), job("claimed", kit.Epoch.Add(time.Millisecond)), job("waiting", kit.Epoch.Add(time.Second)))
	k.OK(k.Work.Done(k.Context(), k.item(kit.Epoch, "done")), "Done")
	claimed := k.item(kit.Epoch.Add(time.Millisecond), "claimed")
	k.Store = k.Reopen()
	k.Same(workIDs(k.claimWork(kit.Epoch.Add(time.Second), 10)), []string{"waiting"}, "what waits after opening again")
	k.OK(k.Work.Done(k.Context(), claimed), "Done by a claim of before")
	k.Same(workIDs(k.claimWork(kit.Epoch.AddDate(1, 0, 0), 10)), []string{"waiting"}, "what is left")
}
