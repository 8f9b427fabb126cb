package storetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// Work checks a ports.Work. Items come in through the store's RateLocks.
func Work(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, workChecks, func(s Store) string {
		if s.Work == nil || s.RateLocks == nil {
			return "the store keeps no work, or no rate locks to save it with"
		}
		return ""
	})
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
		want := job(fmt.Sprint("item-", i), kit.Epoch)
		want.Payload = payload
		k.carryWork(want)
		want.Attempt = 1
		got := k.item(kit.Epoch, want.ID)
		k.Same(got, want, "the item")
		k.sameBytes(got.Payload, payload, "the item's payload")
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
		got, err := k.Work.Claim(k.Context(), kind, kit.Epoch, lease, 100)
		k.OK(err, "Claim")
		k.Same(workIDs(got), []string{fmt.Sprint("item-", i)}, "the items of a kind")
		k.Same(got[0].Kind, kind, "the kind of an item")
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
