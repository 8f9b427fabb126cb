package portstest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// Work checks a ports.Work. Items come in through the store's RateLocks.
func Work(t *testing.T, h StoreHarness) {
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

func noWork(k *kit) {
	k.same(len(k.claimWork(epoch, 10)), 0, "the number of items in an empty store")
}

func itemRoundTrip(k *kit) {
	want := job("item-1", epoch)
	want.Attempt, want.Claim = 7, 7 // set by Claim: what was saved does not count
	k.carryWork(want)
	want.Attempt = 1
	k.same(k.item(epoch, "item-1"), want, "the item")
}

// item claims one work item and checks that it is the one expected.
func (k *kit) item(now time.Time, id string) ports.WorkItem {
	k.Helper()
	got := k.claimWork(now, 1)
	k.same(workIDs(got), []string{id}, "the next item")
	return got[0]
}

func workIDs(items []ports.WorkItem) []string {
	out := []string{}
	for _, w := range items {
		out = append(out, w.ID)
	}
	return out
}

func itemPayload(k *kit) {
	for i, payload := range anyData {
		want := job(fmt.Sprint("item-", i), epoch)
		want.Payload = payload
		k.carryWork(want)
		want.Attempt = 1
		got := k.item(epoch, want.ID)
		k.same(got, want, "the item")
		k.sameBytes(got.Payload, payload, "the item's payload")
	}
}

func itemNotAliased(k *kit) {
	in := job("item-1", epoch)
	want := in
	want.Payload = bytes.Clone(in.Payload)
	k.carryWork(in)
	in.Payload[0] = '!'
	for attempt := range 2 {
		want.Attempt = attempt + 1
		got := k.item(epoch.Add(time.Duration(attempt)*lease), "item-1")
		k.same(got, want, "the item after its bytes were changed outside")
		got.Payload[0] = '?'
	}
}

func itemDue(k *kit) {
	k.carryWork(job("item-1", epoch))
	k.same(len(k.claimWork(epoch.Add(-time.Millisecond), 1)), 0, "the number of items before the instant")
	k.item(epoch, "item-1")
}

func earliestFirst(k *kit) {
	// Neither the ids nor the saves rise with the due times.
	for i, id := range []string{"m", "a", "z", "k"} {
		k.carryWork(job(id, epoch.Add(-time.Duration(i)*time.Second)))
	}
	k.same(workIDs(k.claimWork(epoch, 2)), []string{"k", "z"}, "the first two items")
	k.same(workIDs(k.claimWork(epoch, 10)), []string{"a", "m"}, "the other items")
	k.same(workIDs(k.claimWork(epoch.Add(lease), 10)), []string{"k", "z", "a", "m"}, "all of them again")
}

func kindsApart(k *kit) {
	for i, kind := range distinct {
		w := job(fmt.Sprint("item-", i), epoch)
		w.Kind = kind
		k.carryWork(w)
	}
	for i, kind := range distinct {
		got, err := k.Work.Claim(k.Context(), kind, epoch, lease, 100)
		k.ok(err, "Claim")
		k.same(workIDs(got), []string{fmt.Sprint("item-", i)}, "the items of a kind")
		k.same(got[0].Kind, kind, "the kind of an item")
	}
}

// workEnds is every way to end a claim.
func (k *kit) workEnds(w ports.WorkItem) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Done":  func(ctx context.Context) error { return k.Work.Done(ctx, w) },
		"Retry": func(ctx context.Context) error { return k.Work.Retry(ctx, w, epoch) },
		"Bury":  func(ctx context.Context) error { return k.Work.Bury(ctx, w, "no use") },
	}
}

func (k *kit) workCalls(w ports.WorkItem) map[string]func(ctx context.Context) error {
	calls := k.workEnds(w)
	calls["Claim"] = func(ctx context.Context) error {
		_, err := k.Work.Claim(ctx, kind, epoch, lease, 1)
		return err
	}
	return calls
}
