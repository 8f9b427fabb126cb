package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// Work checks a ports.Work. Items are saved through the store's RateLocks.
func Work(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, workChecks, "Store.Work or Store.RateLocks is nil", func(s Store) bool { return s.Work != nil && s.RateLocks != nil })
}

var items = &queue[ports.WorkItem]{
	noun: "item", done: "Done",
	make:  func(id string) ports.WorkItem { return job(id, kit.Epoch.AddDate(-1, 0, 0)) },
	carry: (*storeKit).carryWork,
	claim: func(ctx context.Context, s Store, now time.Time, n int) ([]ports.WorkItem, error) {
		return s.Work.Claim(ctx, kind, now, lease, n)
	},
	ends: func(s Store, w ports.WorkItem, retry time.Time) map[string]func(ctx context.Context) error {
		return map[string]func(ctx context.Context) error{
			"Done":  func(ctx context.Context) error { return s.Work.Done(ctx, w) },
			"Retry": func(ctx context.Context) error { return s.Work.Retry(ctx, w, retry) },
			"Bury":  func(ctx context.Context) error { return s.Work.Bury(ctx, w, "no use") },
		}
	},
	head: func(w *ports.WorkItem) queuedHead { return queuedHead{&w.ID, &w.Payload, &w.Attempt, &w.Claim} },
}

var workChecks = []storeCheck{
	{"Claim of a store without work returns no items and no error", func(k *storeKit) {
		k.Same(len(items.take(k, kit.Epoch, 10)), 0, "the number of items in an empty store")
	}},
	{"an item is claimed as it was saved", items.roundTrip},
	{"a payload of any bytes is returned unchanged", items.anyData},
	{"changing a payload outside the store does not change the store", items.notAliased},
	{"an item is claimed when it is due, not before", func(k *storeKit) {
		k.carryWork(job("item-1", kit.Epoch))
		k.Same(len(items.take(k, kit.Epoch.Add(-time.Millisecond), 1)), 0, "the number of items before the instant")
		items.first(k, kit.Epoch, "item-1")
	}},
	{"the item due first is claimed first", func(k *storeKit) {
		// The order of the due times is neither that of the ids nor that of the saves.
		for i, id := range []string{"m", "a", "z", "k"} {
			k.carryWork(job(id, kit.Epoch.Add(-time.Duration(i)*time.Second)))
		}
		k.Same(items.ids(items.take(k, kit.Epoch, 2)), []string{"k", "z"}, "the first two items")
		k.Same(items.ids(items.take(k, kit.Epoch, 10)), []string{"a", "m"}, "the other items")
		k.Same(items.ids(items.take(k, kit.Epoch.Add(lease), 10)), []string{"k", "z", "a", "m"}, "all of them again")
	}},
	{"an item's id is reserved until the item is done", itemIDAgain},
	{"kinds that look alike are different kinds", func(k *storeKit) {
		for i, kind := range kit.Distinct {
			w := job(fmt.Sprint("item-", i), kit.Epoch)
			w.Kind = kind
			k.carryWork(w)
		}
		for i, kind := range kit.Distinct {
			k.Case(kit.Name(kind), func() {
				got := kit.Got(k.Work.Claim(k.Context(), kind, kit.Epoch, lease, 100)).OK(k, "Claim")
				k.Same(items.ids(got), []string{fmt.Sprint("item-", i)}, "the items of a kind")
				k.Same(got[0].Kind, kind, "the kind of an item")
			})
		}
	}},
	{"a claim takes at most n items", items.bounded},
	{"a leased item is not claimed until the lease ends, and attempts are counted", items.lease},
	{"a lease holds if the caller's clock jumps back", items.leaseBackwards},
	{"a retried item waits for its time", items.retry},
	{"a done item is never claimed again", func(k *storeKit) {
		k.carryWork(job("a", kit.Epoch), job("b", kit.Epoch.Add(time.Second)))
		k.OK(k.Work.Done(k.Context(), items.first(k, kit.Epoch, "a")), "Done")
		k.Same(items.ids(items.take(k, kit.Epoch.AddDate(1, 0, 0), 10)), []string{"b"}, "the items left")
	}},
	{"a buried item is never claimed again", func(k *storeKit) {
		k.carryWork(job("a", kit.Epoch), job("b", kit.Epoch.Add(time.Second)))
		k.OK(k.Work.Bury(k.Context(), items.first(k, kit.Epoch, "a"), "no use"), "Bury")
		k.Same(items.ids(items.take(k, kit.Epoch.AddDate(1, 0, 0), 10)), []string{"b"}, "the items left")
	}},
	{"a claim that is not the latest is a conflict", items.staleClaim},
	{"a claim can be settled once", items.claimOnce},
	{"concurrent claims never return the same item", items.racers},
	{"a reason of 1,024 bytes is accepted", func(k *storeKit) {
		k.carryWork(job("a", kit.Epoch), job("b", kit.Epoch.Add(time.Millisecond)))
		later := kit.Epoch.Add(time.Millisecond)
		k.OK(k.Work.Bury(k.Context(), items.first(k, later, "a"), longReason), "Bury with a long reason")
		k.OK(k.Work.Bury(k.Context(), items.first(k, later, "b"), ""), "Bury without a reason")
	}},
	{"a done context returns its code and changes nothing", func(k *storeKit) {
		k.carryWork(job("claimed", kit.Epoch), job("waiting", kit.Epoch.Add(time.Second)))
		claimed := items.first(k, kit.Epoch, "claimed")
		k.doneContexts(items.calls(k, claimed))
		k.OK(k.Work.Done(k.Context(), claimed), "Done")
		k.Same(items.first(k, kit.Epoch.Add(lease), "waiting").Attempt, 1, "the attempt")
	}},
	{"a closed store returns Closed", items.closed},
	{"a reopened store has its work", func(k *storeKit) {
		k.Need(k.Reopen != nil, "Reopen")
		k.carryWork(job("done", kit.Epoch), job("claimed", kit.Epoch.Add(time.Millisecond)), job("waiting", kit.Epoch.Add(time.Second)))
		k.OK(k.Work.Done(k.Context(), items.first(k, kit.Epoch, "done")), "Done")
		claimed := items.first(k, kit.Epoch.Add(time.Millisecond), "claimed")
		k.Store = k.Reopen()
		k.Same(items.ids(items.take(k, kit.Epoch.Add(time.Second), 10)), []string{"waiting"}, "the items waiting after reopening")
		k.OK(k.Work.Done(k.Context(), claimed), "Done with a claim from before reopening")
		k.Same(items.ids(items.take(k, kit.Epoch.AddDate(1, 0, 0), 10)), []string{"waiting"}, "the items left")
	}},
}

// itemIDAgain checks that an item's id is reserved until the item is done. Buried items keep theirs.
func itemIDAgain(k *storeKit) {
	item := job("item-1", kit.Epoch)
	again := ports.RateLockChange{Book: ports.Book{Key: keyOf("acme")}, Work: []ports.WorkItem{job("item-1", kit.Epoch.Add(time.Second))}}
	k.carryWork(item)
	k.Code(k.RateLocks.Save(k.Context(), again), errcodes.Conflict, "an item with the id of a waiting item")
	claimed := items.first(k, kit.Epoch, item.ID)
	k.Code(k.RateLocks.Save(k.Context(), again), errcodes.Conflict, "an item with the id of a claimed item")
	k.Same(k.book(again.Book.Key), again.Book, "the book after a conflict")
	k.OK(k.Work.Done(k.Context(), claimed), "Done")
	k.nothingQueued("when the item is done")

	k.carryWork(item)
	k.OK(k.Work.Bury(k.Context(), items.first(k, kit.Epoch, item.ID), "no use"), "Bury")
	k.Code(k.RateLocks.Save(k.Context(), again), errcodes.Conflict, "an item with the id of a buried item")
	k.nothingQueued("when the item is buried")
}
