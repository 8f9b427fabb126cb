package portstest

import (
	"fmt"
	"time"

	"github.com/corridor-go/corridor/ports"
)

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

func itemsBounded(k *kit) {
	k.carryWork(job("a", epoch), job("b", epoch), job("c", epoch))
	for _, want := range []int{2, 1, 0} {
		k.same(len(k.claimWork(epoch, 2)), want, "the number of items in a claim of 2")
	}
}

func itemLease(k *kit) {
	k.carryWork(job("item-1", epoch))
	for attempt := 1; attempt <= 3; attempt++ {
		start := epoch.Add(time.Duration(attempt) * lease)
		k.same(k.item(start, "item-1").Attempt, attempt, "the attempt")
		k.same(len(k.claimWork(start, 1)), 0, "the number of items at the start of a lease")
		k.same(len(k.claimWork(start.Add(lease-time.Millisecond), 1)), 0, "the number of items just before a lease ends")
	}
}

func itemLeaseBackwards(k *kit) {
	k.carryWork(job("item-1", epoch.AddDate(-1, 0, 0)))
	k.item(epoch, "item-1")
	k.same(len(k.claimWork(epoch.Add(-24*time.Hour), 1)), 0, "the number of items a day before the lease")
}

func itemRetry(k *kit) {
	k.carryWork(job("item-1", epoch))
	at := epoch.Add(2 * lease)
	k.ok(k.Work.Retry(k.Context(), k.item(epoch, "item-1"), at), "Retry")
	k.same(len(k.claimWork(at.Add(-time.Millisecond), 1)), 0, "the number of items before the retry's time")
	again := k.item(at, "item-1")
	k.same(again.Attempt, 2, "the attempt")
	k.ok(k.Work.Retry(k.Context(), again, at), "Retry within the lease")
	k.item(at, "item-1")
}

func itemDone(k *kit) {
	k.carryWork(job("a", epoch), job("b", epoch.Add(time.Second)))
	k.ok(k.Work.Done(k.Context(), k.item(epoch, "a")), "Done")
	k.same(workIDs(k.claimWork(epoch.AddDate(1, 0, 0), 10)), []string{"b"}, "what is left")
}

func itemBuried(k *kit) {
	k.carryWork(job("a", epoch), job("b", epoch.Add(time.Second)))
	k.ok(k.Work.Bury(k.Context(), k.item(epoch, "a"), "no use"), "Bury")
	k.same(workIDs(k.claimWork(epoch.AddDate(1, 0, 0), 10)), []string{"b"}, "what is left")
}

func itemStaleClaim(k *kit) {
	k.carryWork(job("item-1", epoch))
	stale := k.item(epoch, "item-1")
	latest := k.item(epoch.Add(lease), "item-1")
	k.conflicts(k.workEnds(stale), "by a claim that is not the latest")
	k.conflicts(k.workEnds(job("unknown", epoch)), "of an unknown item")
	k.same(len(k.claimWork(epoch.Add(2*lease-time.Millisecond), 1)), 0, "the number of items within the latest lease")
	k.ok(k.Work.Done(k.Context(), latest), "Done by the latest claim")
}

func itemClaimOnce(k *kit) {
	for _, name := range []string{"Done", "Retry", "Bury"} {
		k.carryWork(job(name, epoch))
		ends := k.workEnds(k.item(epoch, name))
		k.ok(ends[name](k.Context()), name)
		k.conflicts(ends, "by a claim that has served its "+name)
		if name == "Retry" {
			k.ok(k.Work.Done(k.Context(), k.item(epoch, name)), "Done after a retry")
		}
	}
}

func itemRacers(k *kit) {
	const n = 64
	for i := range n {
		k.carryWork(job(fmt.Sprint("item-", i), epoch))
	}
	got := make([][]ports.WorkItem, racers)
	errs := race(racers, func(i int) (err error) {
		got[i], err = k.Work.Claim(k.Context(), kind, epoch, lease, n/racers)
		return err
	})
	seen := map[string]bool{}
	for i, err := range errs {
		k.ok(err, "Claim in a race")
		for _, w := range got[i] {
			if seen[w.ID] || w.Attempt != 1 {
				k.Fatalf("%s was claimed twice", w.ID)
			}
			seen[w.ID] = true
		}
	}
	k.same(len(seen)+len(k.claimWork(epoch, n)), n, "the number of items claimed")
}

func itemReason(k *kit) {
	k.carryWork(job("a", epoch), job("b", epoch.Add(time.Millisecond)))
	later := epoch.Add(time.Millisecond)
	k.ok(k.Work.Bury(k.Context(), k.item(later, "a"), longReason), "Bury with a long reason")
	k.ok(k.Work.Bury(k.Context(), k.item(later, "b"), ""), "Bury without a reason")
}

func workCancelled(k *kit) {
	k.carryWork(job("claimed", epoch), job("waiting", epoch.Add(time.Second)))
	claimed := k.item(epoch, "claimed")
	k.doneContexts(k.workCalls(claimed))
	k.ok(k.Work.Done(k.Context(), claimed), "Done")
	k.same(k.item(epoch.Add(lease), "waiting").Attempt, 1, "the attempt")
}

func workClosed(k *kit) {
	k.carryWork(job("item-1", epoch))
	k.closed(k.workCalls(k.item(epoch, "item-1")))
}

func workReopened(k *kit) {
	k.need(k.Reopen != nil, "Reopen: it is not durable")
	k.carryWork(job("done", epoch), job("claimed", epoch.Add(time.Millisecond)), job("waiting", epoch.Add(time.Second)))
	k.ok(k.Work.Done(k.Context(), k.item(epoch, "done")), "Done")
	claimed := k.item(epoch.Add(time.Millisecond), "claimed")
	k.Store = k.Reopen()
	k.same(workIDs(k.claimWork(epoch.Add(time.Second), 10)), []string{"waiting"}, "what waits after opening again")
	k.ok(k.Work.Done(k.Context(), claimed), "Done by a claim of before")
	k.same(workIDs(k.claimWork(epoch.AddDate(1, 0, 0), 10)), []string{"waiting"}, "what is left")
}
